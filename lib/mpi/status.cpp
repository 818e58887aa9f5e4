// What a status tells.
#include "lib/mpi/status.hpp"

#include "lib/mpi/datatype.hpp"
#include "lib/mpi/errors.hpp"
#include "lib/mpi/guard.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

int get_count(const MPI_Status* status, MPI_Datatype datatype, CountPlace count)
{
    return guard("MPI_Get_count", [&] {
        check_not_null(status, "status");
        if (count.is_null())
            check_not_null(nullptr, "count");
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

}  // namespace tutti::mpi
