// Questions to a status.
#include "lib/mpi/object/status_form.hpp"

#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

int get_field(const char* call, const MPI_Status* status, int MPI_Status::*field, int* value,
              const char* name)
{
    return guard(call, [&] {
        check_not_null(status, "status");
        check_not_null(value, name);
        *value = status->*field;
    });
}

int set_field(const char* call, MPI_Status* status, int MPI_Status::*field, int value)
{
    return guard(call, [&] {
        check_not_null(status, "status");
        status->*field = value;
    });
}

int count_elements(const char* call, const MPI_Status* status, MPI_Datatype datatype, CountPlace count)
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

int get_count(const MPI_Status* status, MPI_Datatype datatype, CountPlace count)
{
    return guard("MPI_Get_count", [&] {
        check_not_null(status, "status");
        check_not_null(count, "count");
        const std::size_t element = datatype_of(datatype).map->size_bytes();
        const std::uint64_t bytes = size_of(*status);
        if (element == 0)
            count.set(bytes == 0 ? 0 : MPI_UNDEFINED);
        else
            count.set(bytes % element == 0 ? static_cast<MPI_Count>(bytes / element) : MPI_UNDEFINED);
    });
}

int test_cancelled(const MPI_Status* status, int* flag)
{
    return guard("MPI_Test_cancelled", [&] {
        check_not_null(status, "status");
        check_not_null(flag, "flag");
        *flag = status->MPI_internal[kCancelled] != 0 ? 1 : 0;
    });
}

int status_set_cancelled(MPI_Status* status, int flag)
{
    return guard("MPI_Status_set_cancelled", [&] {
        check_not_null(status, "status");
        status->MPI_internal[kCancelled] = flag != 0 ? 1 : 0;
    });
}

int status_get_source(const MPI_Status* status, int* source)
{
    return get_field("MPI_Status_get_source", status, &MPI_Status::MPI_SOURCE, source, "source");
}

int status_get_tag(const MPI_Status* status, int* tag)
{
    return get_field("MPI_Status_get_tag", status, &MPI_Status::MPI_TAG, tag, "tag");
}

int status_get_error(const MPI_Status* status, int* error)
{
    return get_field("MPI_Status_get_error", status, &MPI_Status::MPI_ERROR, error, "error");
}

int status_set_source(MPI_Status* status, int source)
{
    return set_field("MPI_Status_set_source", status, &MPI_Status::MPI_SOURCE, source);
}

int status_set_tag(MPI_Status* status, int tag)
{
    return set_field("MPI_Status_set_tag", status, &MPI_Status::MPI_TAG, tag);
}

int status_set_error(MPI_Status* status, int error)
{
    return set_field("MPI_Status_set_error", status, &MPI_Status::MPI_ERROR, error);
}

int get_elements(const MPI_Status* status, MPI_Datatype datatype, CountPlace count)
{
    return count_elements("MPI_Get_elements", status, datatype, count);
}

int get_elements_x(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count)
{
    return count_elements("MPI_Get_elements_x", status, datatype, CountPlace(count));
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
