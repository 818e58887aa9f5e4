// The rank's pointer and the one that all ranks share, in etypes of the view.
#include <fmt/format.h>

#include "lib/mpi/file/file_object.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

detail::FileWhence whence_of(int whence)
{
    switch (whence) {
        case MPI_SEEK_SET:
            return detail::FileWhence::start;
        case MPI_SEEK_CUR:
            return detail::FileWhence::current;
        case MPI_SEEK_END:
            return detail::FileWhence::end;
        default:
            fail(MPI_ERR_ARG,
                 fmt::format("whence is {}; it must be MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END", whence));
    }
}

}  // namespace

int file_seek(MPI_File fh, MPI_Offset offset, int whence)
{
    return guard("MPI_File_seek", fh, [&] {
        const File& file = file_of(fh);
        check_not_sequential(file);
        file.state->seek(offset, whence_of(whence));
    });
}

int file_get_position(MPI_File fh, MPI_Offset* offset)
{
    return guard_result("MPI_File_get_position", fh, offset, "offset", [&] {
        const File& file = file_of(fh);
        check_not_sequential(file);
        return file.state->position();
    });
}

int file_get_byte_offset(MPI_File fh, MPI_Offset offset, MPI_Offset* disp)
{
    return guard_result("MPI_File_get_byte_offset", fh, disp, "disp", [&] {
        const File& file = file_of(fh);
        check_not_sequential(file);
        check_not_negative("the offset", offset);
        return file.state->byte_of(offset);
    });
}

int file_seek_shared(MPI_File fh, MPI_Offset offset, int whence)
{
    return guard("MPI_File_seek_shared", fh, [&] {
        const File& file = file_of(fh);
        check_not_sequential(file);
        check_no_split(file);
        file.state->seek_shared(offset, whence_of(whence));
    });
}

int file_get_position_shared(MPI_File fh, MPI_Offset* offset)
{
    return guard_result("MPI_File_get_position_shared", fh, offset, "offset", [&] {
        const File& file = file_of(fh);
        check_not_sequential(file);
        return file.state->shared_position();
    });
}

}  // namespace tutti::mpi
