// Files below the templates: they know bytes, and no element types. docs/guide/files.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "tutti/buffer.hpp"
#include "tutti/request.hpp"

namespace tutti {

class Communicator;

/// What a file is opened for: FileMode::write | FileMode::create. At least one of read and write.
enum class FileMode : std::uint32_t {
    read = 1 << 0,
    write = 1 << 1,
    create = 1 << 2,     // the file, if it does not exist
    exclusive = 1 << 3,  // with create: it must not exist
    empty = 1 << 4,      // what it has is dropped
    append = 1 << 5,     // pointers begin at its end
    temporary = 1 << 6,  // it is removed when it is closed
    sequential = 1 << 7  // only the shared pointer is used
};

/// Both.
constexpr FileMode operator|(FileMode a, FileMode b) noexcept
{
    return static_cast<FileMode>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
/// Whether all of `some` are in `mode`.
constexpr bool has(FileMode mode, FileMode some) noexcept
{
    return (static_cast<std::uint32_t>(mode) & static_cast<std::uint32_t>(some)) ==
           static_cast<std::uint32_t>(some);
}

/// How a file is accessed; it changes times, never results. All ranks give the same.
struct FileHints {
    /// Whether aggregators access the file for all ranks of a collective access.
    enum class Collective : std::uint8_t { automatic, always, never };

    std::size_t buffer_bytes = std::size_t{16} << 20;  // of an aggregator, for memory that it does not map
    int aggregators = 0;                               // 0: as many as suit the ranks
    Collective collective_reads = Collective::automatic;   // of read_all and its like
    Collective collective_writes = Collective::automatic;  // of write_all and its like
    std::size_t alignment = std::size_t{1} << 20;  // parts of aggregators begin at multiples of it, in bytes
};

/// From where a pointer is moved.
enum class FileFrom : std::uint8_t { start, current, end };

namespace detail {

using tutti::FileHints;
using FileWhence = FileFrom;

class File;
using FilePointer = std::shared_ptr<File>;

/// One of the 36 ways to access a file.
struct FileAccess {
    enum class Place : std::uint8_t {
        given,  // at `offset`
        own,    // at this rank's pointer, which moves
        shared  // at the pointer that all ranks share, which moves
    };
    bool writes = false;
    bool together = false;  // collective. With Place::shared, in the order of ranks
    Place place = Place::given;
    std::int64_t offset = 0;  // in etypes
};

/// The calls of lib/core/files/file.hpp; errors are thrown. `call` is the caller's operation, for errors; it
/// is never destroyed.
struct FileCalls {
    static FilePointer open(const Communicator& communicator, std::string_view path, FileMode mode,
                            const FileHints& hints);
    static void close(File& file);
    static void remove(std::string_view path);
    /// The whole file if there is no layout. Throws unless its places ascend.
    static void set_view(File& file, std::int64_t displacement, std::size_t etype_bytes,
                         const Layout* layout);

    static std::size_t access(File& file, std::string_view call, const FileAccess& access,
                              const View& memory);
    static Request start(File& file, std::string_view call, const FileAccess& access, const View& memory);

    static std::int64_t position(const File& file);
    static void seek(File& file, std::int64_t offset, FileFrom from);
    static std::int64_t shared_position(File& file);
    static void seek_shared(File& file, std::int64_t offset, FileFrom from);
    static std::int64_t byte_of(const File& file, std::int64_t offset);

    static const std::string& path(const File& file) noexcept;
    static std::int64_t size(const File& file);
    static void resize(File& file, std::int64_t bytes);
    static void preallocate(File& file, std::int64_t bytes);
    static void sync(File& file);
    static void set_atomic(File& file, bool atomic);

    /// For destructors: an error ends the job.
    static void end(File& file) noexcept;
};

/// Collective: a file beside `path`, which takes its place if all ranks have written.
class FileReplacement {
public:
    FileReplacement(const Communicator& communicator, std::string_view path, const FileHints& hints);
    FileReplacement(const FileReplacement&) = delete;
    FileReplacement& operator=(const FileReplacement&) = delete;
    ~FileReplacement();

    const FilePointer& file() const noexcept;
    /// `failure`: what this rank's part has thrown. Throws it, or that another rank has failed.
    void end(std::exception_ptr failure);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace detail
}  // namespace tutti
