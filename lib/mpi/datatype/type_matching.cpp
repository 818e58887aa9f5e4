// Predefined types that are found by what they hold: Fortran's by precision and range, by class and size,
// pairs by their members.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <map>
#include <mutex>
#include <tuple>

#include "lib/foundation/datatype/build.hpp"
#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"
#include "tutti/reduction.hpp"

namespace tutti::mpi {

namespace {

/// Types without names, each made once: by combiner and two arguments.
struct UnnamedTypes {
    using Key = std::tuple<int, std::intptr_t, std::intptr_t>;

    std::mutex mutex;
    std::map<Key, Datatype*> by_arguments;
};

// Never destroyed, as other predefined types.
UnnamedTypes& unnamed_types()
{
    static UnnamedTypes& all = *new UnnamedTypes;
    return all;
}

// make() gives its description and its arguments.
template <class Make>
MPI_Datatype unnamed_type(const UnnamedTypes::Key& key, const std::optional<DataType>& number, Make&& make)
{
    UnnamedTypes& all = unnamed_types();
    const std::lock_guard lock(all.mutex);
    Datatype*& type = all.by_arguments[key];
    if (type == nullptr) {
        const base::Ref<Construction> arguments(new Construction(std::get<0>(key), false));
        type = new Datatype(make(*arguments));
        type->construction = base::Ref<const Construction>(arguments.get());
        type->number = number;
        type->committed = true;
        type->permanent = true;
    }
    return handle_of(*type);
}

/// A kind of Fortran's real numbers, with decimal digits and exponents as far as it goes, and its complex
/// numbers.
struct RealKind {
    int digits;
    int range;
    MPI_Datatype real;
    MPI_Datatype complex;
};

MPI_Datatype real_type(const char* name, int combiner, int p, int r)
{
    // The kind of 80 bits is that of C's long double, where there is one.
    constexpr bool kHas80Bits = std::numeric_limits<long double>::digits == 64;
    const std::array<RealKind, 4> kinds = {
        {{6, 37, MPI_REAL4, MPI_COMPLEX8},
         {15, 307, MPI_REAL8, MPI_COMPLEX16},
         {kHas80Bits ? 18 : 0, 4931, MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX},
         {33, 4931, MPI_REAL16, MPI_COMPLEX32}}};
    if (p == MPI_UNDEFINED && r == MPI_UNDEFINED)
        fail(MPI_ERR_ARG, "precision and range are both MPI_UNDEFINED; give at least one of them");
    for (const RealKind& kind : kinds)
        if (p <= kind.digits && r <= kind.range) {
            const Datatype& base = datatype_of(combiner == MPI_COMBINER_F90_REAL ? kind.real : kind.complex);
            return unnamed_type({combiner, p, r}, base.number, [&](Construction& arguments) {
                arguments.add_integers({p, r});
                return base.map;
            });
        }
    fail(MPI_ERR_ARG,
         fmt::format("no {} number has {} decimal digits and a range of {}; the most are 33 and 4931", name,
                     p, r));
}

MPI_Datatype integer_type(int r)
{
    struct IntegerKind {
        int range;
        MPI_Datatype type;
    };
    const std::array<IntegerKind, 5> kinds = {
        {{2, MPI_INTEGER1}, {4, MPI_INTEGER2}, {9, MPI_INTEGER4}, {18, MPI_INTEGER8}, {38, MPI_INTEGER16}}};
    for (const auto& [range, handle] : kinds)
        if (r <= range && r != MPI_UNDEFINED) {
            const Datatype& base = datatype_of(handle);
            return unnamed_type({MPI_COMBINER_F90_INTEGER, r, 0}, base.number, [&](Construction& arguments) {
                arguments.add_integers({r});
                return base.map;
            });
        }
    fail(MPI_ERR_ARG, fmt::format("no integer has a range of {} decimal digits; the most are 38", r));
}

struct SizedType {
    int type_class;
    int size;
    MPI_Datatype type;
};
const std::array<SizedType, 18> kSizedTypes = {{
    {MPI_TYPECLASS_INTEGER, 1, MPI_INTEGER1},
    {MPI_TYPECLASS_INTEGER, 2, MPI_INTEGER2},
    {MPI_TYPECLASS_INTEGER, 4, MPI_INTEGER4},
    {MPI_TYPECLASS_INTEGER, 8, MPI_INTEGER8},
    {MPI_TYPECLASS_INTEGER, 16, MPI_INTEGER16},
    {MPI_TYPECLASS_REAL, 2, MPI_REAL2},
    {MPI_TYPECLASS_REAL, 4, MPI_REAL4},
    {MPI_TYPECLASS_REAL, 8, MPI_REAL8},
    {MPI_TYPECLASS_REAL, 16, MPI_REAL16},
    {MPI_TYPECLASS_COMPLEX, 4, MPI_COMPLEX4},
    {MPI_TYPECLASS_COMPLEX, 8, MPI_COMPLEX8},
    {MPI_TYPECLASS_COMPLEX, 16, MPI_COMPLEX16},
    {MPI_TYPECLASS_COMPLEX, 32, MPI_COMPLEX32},
    {MPIX_TYPECLASS_LOGICAL, 1, MPI_LOGICAL1},
    {MPIX_TYPECLASS_LOGICAL, 2, MPI_LOGICAL2},
    {MPIX_TYPECLASS_LOGICAL, 4, MPI_LOGICAL4},
    {MPIX_TYPECLASS_LOGICAL, 8, MPI_LOGICAL8},
    {MPIX_TYPECLASS_LOGICAL, 16, MPI_LOGICAL16},
}};

struct NamedPair {
    MPI_Datatype value;
    MPI_Datatype index;
    MPI_Datatype pair;
};
const std::array<NamedPair, 9> kNamedPairs = {{
    {MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},
    {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
    {MPI_LONG, MPI_INT, MPI_LONG_INT},
    {MPI_INT, MPI_INT, MPI_2INT},
    {MPI_SHORT, MPI_INT, MPI_SHORT_INT},
    {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
    {MPI_REAL, MPI_REAL, MPI_2REAL},
    {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
    {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER},
}};

// A value and its index as in a C struct, if minloc is defined on them.
MPI_Datatype pair_of(MPI_Datatype value_handle, MPI_Datatype index_handle)
{
    for (const auto& [value, index, pair] : kNamedPairs)
        if (value == value_handle && index == index_handle)
            return pair;
    const Datatype& value = datatype_of(value_handle);
    const Datatype& index = datatype_of(index_handle);
    const bool is_index = index.number == DataType::int32 || index.number == DataType::int64;
    if (!value.permanent || !index.permanent || !value.number || !is_index || index_bytes(*value.number) != 0)
        return MPI_DATATYPE_NULL;
    const std::size_t index_size = size_bytes(*index.number);
    const DataType both = with_index(*value.number, index_size);
    if (!is_defined(Op::minloc, both))
        return MPI_DATATYPE_NULL;
    const UnnamedTypes::Key key{MPI_COMBINER_VALUE_INDEX, reinterpret_cast<std::intptr_t>(value_handle),
                                reinterpret_cast<std::intptr_t>(index_handle)};
    return unnamed_type(key, both, [&](Construction& arguments) {
        arguments.add_type(value);
        arguments.add_type(index);
        const std::size_t offset = (value.map->size_bytes() + index_size - 1) / index_size * index_size;
        const datatype::Member members[] = {{0, 1, value.map.get()},
                                            {static_cast<std::ptrdiff_t>(offset), 1, index.map.get()}};
        return datatype::structure(members);
    });
}

std::string name_of_class(int typeclass)
{
    switch (typeclass) {
        case MPI_TYPECLASS_REAL:
            return "MPI_TYPECLASS_REAL";
        case MPI_TYPECLASS_INTEGER:
            return "MPI_TYPECLASS_INTEGER";
        case MPI_TYPECLASS_COMPLEX:
            return "MPI_TYPECLASS_COMPLEX";
        default:
            return fmt::format("class {}, which is none of MPI_TYPECLASS_*,", typeclass);
    }
}

}  // namespace

int type_create_f90_real(int p, int r, MPI_Datatype* newtype)
{
    return guard_result("MPI_Type_create_f90_real", newtype, "newtype",
                        [&] { return real_type("real", MPI_COMBINER_F90_REAL, p, r); });
}

int type_create_f90_complex(int p, int r, MPI_Datatype* newtype)
{
    return guard_result("MPI_Type_create_f90_complex", newtype, "newtype",
                        [&] { return real_type("complex", MPI_COMBINER_F90_COMPLEX, p, r); });
}

int type_create_f90_integer(int r, MPI_Datatype* newtype)
{
    return guard_result("MPI_Type_create_f90_integer", newtype, "newtype", [&] { return integer_type(r); });
}

int type_match_size(int typeclass, int size, MPI_Datatype* datatype)
{
    return guard("MPI_Type_match_size", [&] {
        check_not_null(datatype, "datatype");
        for (const auto& [type_class, bytes, type] : kSizedTypes)
            if (type_class == typeclass && bytes == size) {
                *datatype = type;
                return;
            }
        fail(MPI_ERR_ARG, fmt::format("no datatype of {} has {} bytes", name_of_class(typeclass), size));
    });
}

int type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype* pair_type)
{
    return guard_result("MPI_Type_get_value_index", pair_type, "pair_type", [&] {
        datatype_of(value_type);
        datatype_of(index_type);
        return pair_of(value_type, index_type);
    });
}

}  // namespace tutti::mpi
