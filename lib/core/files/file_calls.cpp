// What the C++ interface of files calls.
#include "tutti/file_calls.hpp"

#include <fmt/format.h>

#include <exception>

#include "lib/core/communicators/communicator_access.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/files/file.hpp"
#include "lib/core/files/file_error.hpp"
#include "lib/core/process/process.hpp"
#include "lib/foundation/datatype/build.hpp"
#include "tutti/communicator.hpp"

namespace tutti::detail {

namespace {

FileModes modes_of(FileMode mode) noexcept
{
    return {.reads = has(mode, FileMode::read),
            .writes = has(mode, FileMode::write),
            .creates = has(mode, FileMode::create),
            .is_new = has(mode, FileMode::exclusive),
            .is_temporary = has(mode, FileMode::temporary),
            .appends = has(mode, FileMode::append),
            .is_sequential = has(mode, FileMode::sequential),
            .empties = has(mode, FileMode::empty)};
}

}  // namespace

FilePointer FileCalls::open(const Communicator& communicator, std::string_view path, FileMode mode,
                            const FileHints& hints)
{
    return File::open(CommunicatorAccess::state_of(communicator), {std::string(path), modes_of(mode)}, hints);
}

void FileCalls::close(File& file)
{
    file.close();
}

void FileCalls::remove(std::string_view path)
{
    File::remove(path);
}

void FileCalls::set_view(File& file, std::int64_t displacement, std::size_t etype_bytes, const Layout* layout)
{
    if (displacement < 0)
        throw FileError(
            FileFault::argument, "set_view",
            fmt::format("{}: a view begins at byte 0 or later, not at {}", file.path(), displacement));
    if (layout != nullptr)
        check_filetype("set_view", file.path(), layout->typemap(), etype_bytes);
    file.set_view({displacement, layout != nullptr ? datatype::TypemapRef(&layout->typemap())
                                                   : datatype::bytes(etype_bytes)},
                  etype_bytes);
}

std::size_t FileCalls::access(File& file, std::string_view call, const FileAccess& access, const View& memory)
{
    return file.access(call, access, memory);
}

Request FileCalls::start(File& file, std::string_view call, const FileAccess& access, const View& memory)
{
    return file.start(call, access, memory);
}

std::int64_t FileCalls::position(const File& file)
{
    return file.position();
}

void FileCalls::seek(File& file, std::int64_t offset, FileFrom from)
{
    file.seek(offset, from);
}

std::int64_t FileCalls::shared_position(File& file)
{
    return file.shared_position();
}

void FileCalls::seek_shared(File& file, std::int64_t offset, FileFrom from)
{
    file.seek_shared(offset, from);
}

std::int64_t FileCalls::byte_of(const File& file, std::int64_t offset)
{
    return file.byte_of(offset);
}

const std::string& FileCalls::path(const File& file) noexcept
{
    return file.path();
}

std::int64_t FileCalls::size(const File& file)
{
    return file.size();
}

void FileCalls::resize(File& file, std::int64_t bytes)
{
    file.set_size(bytes);
}

void FileCalls::preallocate(File& file, std::int64_t bytes)
{
    file.preallocate(bytes);
}

void FileCalls::sync(File& file)
{
    file.sync();
}

void FileCalls::set_atomic(File& file, bool atomic)
{
    file.set_atomic(atomic);
}

void FileCalls::end(File& file) noexcept
{
    try {
        file.close();
    } catch (const std::exception& error) {
        file.communicator()->process().abort(1, error.what());
    }
}

}  // namespace tutti::detail
