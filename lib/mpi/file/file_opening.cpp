// How files are opened, closed and removed.
#include <fmt/format.h>

#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/file/file_hints.hpp"
#include "lib/mpi/file/file_object.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/runtime.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

constexpr int kAllModes = MPI_MODE_APPEND | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_EXCL |
                          MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL | MPI_MODE_UNIQUE_OPEN |
                          MPI_MODE_WRONLY;

// MPI_MODE_UNIQUE_OPEN promises that nobody else opens the file, which changes nothing.
detail::FileModes modes_of(int amode)
{
    const auto has = [&](int mode) { return (amode & mode) != 0; };
    if ((amode & ~kAllModes) != 0)
        fail(MPI_ERR_AMODE, fmt::format("the access mode {:#x} has bits of no MPI_MODE_ constant", amode));
    if (has(MPI_MODE_RDONLY) + has(MPI_MODE_WRONLY) + has(MPI_MODE_RDWR) != 1)
        fail(MPI_ERR_AMODE,
             "the access mode must have one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR, and "
             "only one");
    if (has(MPI_MODE_RDONLY) && (has(MPI_MODE_CREATE) || has(MPI_MODE_EXCL)))
        fail(MPI_ERR_AMODE,
             "a file that is only read is not created: leave out MPI_MODE_CREATE and MPI_MODE_EXCL, or "
             "open it with MPI_MODE_RDWR");
    if (has(MPI_MODE_RDWR) && has(MPI_MODE_SEQUENTIAL))
        fail(MPI_ERR_AMODE,
             "MPI_MODE_SEQUENTIAL is for files that are only read or only written, not for MPI_MODE_RDWR");
    return {.reads = !has(MPI_MODE_WRONLY),
            .writes = !has(MPI_MODE_RDONLY),
            .creates = has(MPI_MODE_CREATE),
            .is_new = has(MPI_MODE_EXCL),
            .is_temporary = has(MPI_MODE_DELETE_ON_CLOSE),
            .appends = has(MPI_MODE_APPEND),
            .is_sequential = has(MPI_MODE_SEQUENTIAL)};
}

void check_name(const char* filename)
{
    check_not_null(filename, "filename");
    if (*filename == '\0')
        fail(MPI_ERR_BAD_FILE, "the name of the file is empty");
}

}  // namespace

int file_open(MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh)
{
    return guard("MPI_File_open", MPI_FILE_NULL, [&] {
        check_not_null(fh, "fh");
        const detail::StatePointer& communicator = intracommunicator_of(comm).state;
        check_name(filename);
        const detail::FileModes modes = modes_of(amode);
        *fh = handle_of(
            *new File(detail::File::open(communicator, {filename, modes}, file_hints_of(info)), amode));
    });
}

int file_close(MPI_File* fh)
{
    constexpr const char* kCall = "MPI_File_close";
    Ref<File> closed;  // its error handler takes what is found
    return guard(kCall, fh == nullptr ? MPI_FILE_NULL : *fh, [&] {
        check_not_null(fh, "fh");
        File& file = file_of(*fh);
        check_no_split(file);
        closed = Ref<File>(&file);
        *fh = MPI_FILE_NULL;
        file.free_handle();
        file.state->close();
    });
}

int file_delete(const char* filename, MPI_Info info)
{
    return guard("MPI_File_delete", MPI_FILE_NULL, [&] {
        Runtime::check_running();
        check_name(filename);
        check_info(info);
        detail::File::remove(filename);
    });
}

}  // namespace tutti::mpi
