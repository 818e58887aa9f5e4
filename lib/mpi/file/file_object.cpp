#include "lib/mpi/file/file_object.hpp"

#include <fmt/format.h>

#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/runtime.hpp"

namespace tutti::mpi {

File::File(std::shared_ptr<detail::File> opened, int access_mode)
    : ErrorOwner(*errors_without_file().error_handler()),
      state(std::move(opened)),
      amode(access_mode),
      view{.etype = inner_of(datatype_of(MPI_BYTE)),
           .filetype = inner_of(datatype_of(MPI_BYTE)),
           .representation = &native_representation()}
{
    name_ = state->path();
}

ErrorOwner& errors_without_file() noexcept
{
    // Never destroyed: calls may fail after main.
    static ErrorOwner& one = *new ErrorOwner(returned_errors());
    return one;
}

Ref<ErrorHandler> handler_of_file(MPI_File& file)
{
    if (const File* const found = find<File>(file))
        return found->error_handler();
    file = MPI_FILE_NULL;
    return errors_without_file().error_handler();
}

std::string described(MPI_File file)
{
    const File* const found = find<File>(file);
    return found != nullptr ? found->name() : std::string();
}

void refuse_file(MPI_File handle)
{
    if (!Runtime::was_begun())
        fail(MPI_ERR_FILE, "MPI is not initialised yet; call MPI_Init first");
    if (Runtime::has_ended())
        fail(MPI_ERR_FILE, "MPI has been finalized; close files before MPI_Finalize");
    if (handle == MPI_FILE_NULL)
        fail(MPI_ERR_FILE, "the file is MPI_FILE_NULL; open one with MPI_File_open");
    fail(MPI_ERR_FILE, fmt::format("{} is no file, or one that was closed", fmt::ptr(handle)));
}

void check_writes(const File& file)
{
    if (!file.state->modes().writes)
        fail(MPI_ERR_READ_ONLY, "the file was opened to be read only; open it with MPI_MODE_RDWR");
}

void check_not_sequential(const File& file)
{
    if (file.state->modes().is_sequential)
        fail(MPI_ERR_UNSUPPORTED_OPERATION,
             "the file was opened with MPI_MODE_SEQUENTIAL, where only the shared pointer is used; call a "
             "function "
             "whose name ends with _shared or _ordered, or open it without");
}

void check_no_split(const File& file)
{
    if (file.split)
        fail(MPI_ERR_OTHER,
             fmt::format("a split collective is under way: call {0}_end first; between {0}_begin and "
                         "it there is no other collective call on the file",
                         file.split->access));
}

}  // namespace tutti::mpi
