// The size of files, what is on the disk, who sees what when, and who has opened them.
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/mpi/file/file_object.hpp"
#include "lib/mpi/group/group_object.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

int file_set_size(MPI_File fh, MPI_Offset size)
{
    return guard("MPI_File_set_size", fh, [&] {
        const File& file = file_of(fh);
        check_writes(file);
        check_no_split(file);
        file.state->set_size(size);
    });
}

int file_preallocate(MPI_File fh, MPI_Offset size)
{
    return guard("MPI_File_preallocate", fh, [&] {
        const File& file = file_of(fh);
        check_writes(file);
        check_no_split(file);
        file.state->preallocate(size);
    });
}

int file_get_size(MPI_File fh, MPI_Offset* size)
{
    return guard_result("MPI_File_get_size", fh, size, "size", [&] { return file_of(fh).state->size(); });
}

int file_sync(MPI_File fh)
{
    return guard("MPI_File_sync", fh, [&] {
        const File& file = file_of(fh);
        check_no_split(file);
        file.state->sync();
    });
}

int file_set_atomicity(MPI_File fh, int flag)
{
    return guard("MPI_File_set_atomicity", fh, [&] {
        const File& file = file_of(fh);
        check_no_split(file);
        file.state->set_atomic(flag != 0);
    });
}

int file_get_atomicity(MPI_File fh, int* flag)
{
    return guard_result("MPI_File_get_atomicity", fh, flag, "flag",
                        [&] { return file_of(fh).state->is_atomic() ? 1 : 0; });
}

int file_get_amode(MPI_File fh, int* amode)
{
    return guard_result("MPI_File_get_amode", fh, amode, "amode", [&] { return file_of(fh).amode; });
}

int file_get_group(MPI_File fh, MPI_Group* group)
{
    return guard_result("MPI_File_get_group", fh, group, "group",
                        [&] { return new_group(file_of(fh).state->communicator()->members()); });
}

}  // namespace tutti::mpi
