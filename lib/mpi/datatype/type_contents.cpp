// The arguments that a datatype was made with.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

// nullptr: a predefined type with a name. `small`: the caller has no room for large counts.
const Construction* construction_behind(MPI_Datatype datatype, bool small)
{
    const Construction* const found = datatype_of(datatype).construction.get();
    if (small && found != nullptr && found->is_large())
        fail(MPI_ERR_TYPE,
             "the datatype was made by a call for large counts; ask for its arguments by the form whose "
             "name ends with _c");
    return found;
}

template <class T>
void check_room(std::size_t needed, MPI_Count room, const T* array, std::string_view what)
{
    if (room < 0 || static_cast<std::size_t>(room) < needed)
        fail(MPI_ERR_ARG, fmt::format("the datatype has {} {}, but there is room for {}; ask "
                                      "MPI_Type_get_envelope for the numbers",
                                      needed, what, room));
    if (needed != 0)
        check_not_null(array, what);
}

struct ContentsRoom {
    MPI_Count integers, addresses, large_counts, datatypes;
};

void copy_contents(MPI_Datatype datatype, bool small, const ContentsRoom& room, int* integers,
                   MPI_Aint* addresses, MPI_Count* large_counts, MPI_Datatype* datatypes)
{
    const Construction* const from = construction_behind(datatype, small);
    if (from == nullptr)
        fail(MPI_ERR_TYPE, fmt::format("{} is predefined and was made of nothing; its combiner is "
                                       "MPI_COMBINER_NAMED",
                                       datatype_of(datatype).name));
    check_room(from->integers().size(), room.integers, integers, "integers");
    check_room(from->addresses().size(), room.addresses, addresses, "addresses");
    check_room(from->large_counts().size(), room.large_counts, large_counts, "large counts");
    check_room(from->types().size(), room.datatypes, datatypes, "datatypes");
    std::ranges::copy(from->integers(), integers);
    std::ranges::copy(from->addresses(), addresses);
    std::ranges::copy(from->large_counts(), large_counts);
    std::ranges::transform(from->types(), datatypes,
                           [](const Construction::Inner& type) { return handle_of(type); });
}

template <class Number>
void put_number(Number* place, std::size_t number)
{
    check_not_null(place, "a number's place");
    *place = static_cast<Number>(number);
}

template <class Number>
void put_envelope(const Construction* from, Number* integers, Number* addresses, Number* datatypes,
                  int* combiner)
{
    check_not_null(combiner, "combiner");
    put_number(integers, from == nullptr ? 0 : from->integers().size());
    put_number(addresses, from == nullptr ? 0 : from->addresses().size());
    put_number(datatypes, from == nullptr ? 0 : from->types().size());
    *combiner = from == nullptr ? MPI_COMBINER_NAMED : from->combiner();
}

}  // namespace

int type_get_envelope(MPI_Datatype datatype, int* num_integers, int* num_addresses, int* num_datatypes,
                      int* combiner)
{
    return guard("MPI_Type_get_envelope", [&] {
        put_envelope(construction_behind(datatype, true), num_integers, num_addresses, num_datatypes,
                     combiner);
    });
}

int type_get_envelope_c(MPI_Datatype datatype, MPI_Count* num_integers, MPI_Count* num_addresses,
                        MPI_Count* num_large_counts, MPI_Count* num_datatypes, int* combiner)
{
    return guard("MPI_Type_get_envelope_c", [&] {
        const Construction* const from = construction_behind(datatype, false);
        put_number(num_large_counts, from == nullptr ? 0 : from->large_counts().size());
        put_envelope(from, num_integers, num_addresses, num_datatypes, combiner);
    });
}

int type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
                      int* array_of_integers, MPI_Aint* array_of_addresses, MPI_Datatype* array_of_datatypes)
{
    return guard("MPI_Type_get_contents", [&] {
        copy_contents(datatype, true, {max_integers, max_addresses, 0, max_datatypes}, array_of_integers,
                      array_of_addresses, nullptr, array_of_datatypes);
    });
}

int type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                        MPI_Count max_large_counts, MPI_Count max_datatypes, int* array_of_integers,
                        MPI_Aint* array_of_addresses, MPI_Count* array_of_large_counts,
                        MPI_Datatype* array_of_datatypes)
{
    return guard("MPI_Type_get_contents_c", [&] {
        copy_contents(datatype, false, {max_integers, max_addresses, max_large_counts, max_datatypes},
                      array_of_integers, array_of_addresses, array_of_large_counts, array_of_datatypes);
    });
}

}  // namespace tutti::mpi
