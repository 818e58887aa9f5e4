// The object behind an MPI_File.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lib/core/files/file.hpp"
#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/file/file_operation.hpp"
#include "lib/mpi/file/representation.hpp"
#include "lib/mpi/object/error_handler.hpp"
#include "lib/mpi/object/object.hpp"

namespace tutti::mpi {

/// What a rank sees of the file, as MPI_File_get_view tells it.
struct FileView {
    MPI_Offset displacement = 0;
    Construction::Inner etype;
    Construction::Inner filetype;
    const Representation* representation;
};

struct File final : ObjectOf<File>, ErrorOwner {
    using Handle = MPI_File;
    static constexpr std::uintptr_t kFirst = 0x118;
    static constexpr std::size_t kPredefined = 8;
    static constexpr Kind kKind = Kind::file;
    inline static const Predefined<File, kPredefined> predefined{};  // the null handle only

    File(std::shared_ptr<detail::File> opened, int access_mode);

    /// A split collective, between its begin and its end.
    struct Split {
        std::string access;  // the functions' common name
        const void* buffer;
        FileOperation operation;
    };

    const std::shared_ptr<detail::File> state;
    const int amode;
    FileView view;
    std::optional<Split> split;
};

[[noreturn]] void refuse_file(MPI_File handle);

/// Throws Failure for a handle that is no file's.
inline File& file_of(MPI_File handle)
{
    File* const found = find<File>(handle);
    if (found == nullptr) [[unlikely]]
        refuse_file(handle);
    return *found;
}

/// The error handler of MPI_FILE_NULL: it takes the errors of calls without a file, and files get it when
/// they are opened.
ErrorOwner& errors_without_file() noexcept;

/// Throws Failure unless the mode allows it.
void check_writes(const File& file);
/// Throws Failure for a file of which only the shared pointer may be used.
void check_not_sequential(const File& file);
/// Throws Failure between the begin and the end of a split collective. All collective calls ask.
void check_no_split(const File& file);

}  // namespace tutti::mpi
