// Questions to groups, and their end.
#include "lib/core/process/process.hpp"
#include "lib/mpi/group/group_object.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/runtime.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

int group_size(MPI_Group group, int* size)
{
    return guard_result("MPI_Group_size", size, "size", [&] { return group_of(group).size(); });
}

int group_rank(MPI_Group group, int* rank)
{
    return guard_result("MPI_Group_rank", rank, "rank", [&] {
        const Group& asked = group_of(group);
        // Without MPI there is no rank, and the only group is empty.
        return Runtime::is_running() ? asked.rank_of(Runtime::process().rank()) : MPI_UNDEFINED;
    });
}

int group_compare(MPI_Group group1, MPI_Group group2, int* result)
{
    return guard_result("MPI_Group_compare", result, "result",
                        [&] { return compare(group_of(group1), group_of(group2)); });
}

int group_translate_ranks(MPI_Group group1, int n, const int* ranks1, MPI_Group group2, int* ranks2)
{
    return guard("MPI_Group_translate_ranks", [&] {
        const Group& from = group_of(group1);
        const Group& to = group_of(group2);
        check_array("ranks1", ranks1, n);
        check_array("ranks2", ranks2, n);
        for (int i = 0; i < n; ++i) {
            if (ranks1[i] != MPI_PROC_NULL)
                check_rank_in(from, ranks1[i], "ranks1");
            ranks2[i] = ranks1[i] == MPI_PROC_NULL ? MPI_PROC_NULL : to.rank_of(from[ranks1[i]]);
        }
    });
}

int group_free(MPI_Group* group)
{
    return guard("MPI_Group_free", [&] {
        check_not_null(group, "group");
        if (const Group& freed = group_of(*group); !is_predefined(freed))
            freed.free_handle();
        *group = MPI_GROUP_NULL;
    });
}

}  // namespace tutti::mpi
