// Numbers of basic elements in a status.
#include <fmt/format.h>

#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/status.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

int tell_elements(const char* call, const MPI_Status* status, MPI_Datatype datatype, CountPlace count)
{
    return guard(call, [&] {
        check_not_null(status, "status");
        check_not_null(count, "count");
        const datatype::Signature& signature = datatype_of(datatype).map->signature();
        const std::uint64_t bytes = size_of(*status);
        const std::size_t whole = signature.whole_elements(bytes);
        const std::size_t used = whole == 0 ? 0 : signature.bytes_of(whole);
        count.set(used == bytes ? static_cast<MPI_Count>(whole) : MPI_UNDEFINED);
    });
}

int set_elements(const char* call, MPI_Status* status, MPI_Datatype datatype, MPI_Count count)
{
    return guard(call, [&] {
        check_not_null(status, "status");
        const datatype::Signature& signature = datatype_of(datatype).map->signature();
        check_not_negative("the count", count, MPI_ERR_COUNT);
        if (count != 0 && signature.elements == 0)
            fail(MPI_ERR_COUNT, fmt::format("the count is {}, but the datatype has no elements", count));
        set_size(*status, count == 0 ? 0 : signature.bytes_of(static_cast<std::size_t>(count)));
    });
}

}  // namespace

int get_elements(const MPI_Status* status, MPI_Datatype datatype, CountPlace count)
{
    return tell_elements("MPI_Get_elements", status, datatype, count);
}

int get_elements_x(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count)
{
    return tell_elements("MPI_Get_elements_x", status, datatype, CountPlace(count));
}

int status_set_elements(MPI_Status* status, MPI_Datatype datatype, MPI_Count count)
{
    return set_elements("MPI_Status_set_elements", status, datatype, count);
}

int status_set_elements_x(MPI_Status* status, MPI_Datatype datatype, MPI_Count count)
{
    return set_elements("MPI_Status_set_elements_x", status, datatype, count);
}

}  // namespace tutti::mpi
