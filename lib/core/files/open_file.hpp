// The file as the kernel has it: how it is opened, and its errors in words.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "lib/core/files/file_error.hpp"
#include "lib/core/files/mapped_window.hpp"
#include "lib/foundation/base/unique_fd.hpp"

namespace tutti::detail {

/// What a file is opened for.
struct FileModes {
    bool reads = false;
    bool writes = false;
    bool creates = false;        // a file that does not exist
    bool is_new = false;         // the file must not exist
    bool is_temporary = false;   // it is removed when it is closed
    bool appends = false;        // pointers begin at its end
    bool is_sequential = false;  // only the shared pointer is used
    bool empties = false;        // what the file has is dropped

    friend bool operator==(const FileModes&, const FileModes&) = default;
};

struct FileOpening {
    std::string path;  // a prefix that names a file system for other libraries, "ufs:", is cut off
    FileModes modes;
};

/// An error of the kernel's, and where it came up.
struct FileTrouble {
    int error = 0;           // an errno; 0: none
    std::int64_t place = 0;  // in bytes from the file's start

    explicit operator bool() const noexcept { return error != 0; }
};

FileFault fault_of(int error) noexcept;

class OpenFile {
public:
    OpenFile() = default;
    explicit OpenFile(const FileOpening& opening);

    /// `only_opens`: another rank has created and emptied the file.
    FileTrouble open(bool only_opens);
    int descriptor() const noexcept { return descriptor_.get(); }
    const std::string& path() const noexcept { return path_; }
    FileModes modes() const noexcept { return modes_; }

    /// Whether only this host uses the file system.
    bool is_local() const noexcept { return is_local_; }
    /// Whether the file system is tmpfs: what a file has is in memory.
    bool is_in_memory() const noexcept { return is_in_memory_; }
    /// Whether accesses may go through memory that the kernel maps of the file.
    bool is_mappable() const noexcept { return is_mappable_; }
    /// For such accesses.
    MappedWindow& window() const noexcept { return *window_; }
    /// Which file it is, on this host.
    struct Identity {
        std::uint64_t device = 0;
        std::uint64_t number = 0;
        friend bool operator==(const Identity&, const Identity&) = default;
    };
    Identity identity() const noexcept { return identity_; }

    FileTrouble find_size(std::int64_t& bytes) const noexcept;
    /// Whether it has holes, which take no memory until they are mapped.
    bool is_sparse() const noexcept;
    FileTrouble set_size(std::int64_t bytes) const noexcept;
    FileTrouble preallocate(std::int64_t bytes) const noexcept;
    /// The kernel begins to bring all to the disk that any rank here has written, and does not wait for it;
    /// sync() answers what went wrong.
    void begin_sync() const noexcept;
    FileTrouble sync() const noexcept;
    /// What the kernel has kept to itself so far is an error here (NFS, quotas).
    FileTrouble close() noexcept;

    /// Throws FileError: "cannot write to /tmp/a at byte 4096: No space left on device; ...", with the
    /// remedy. `rank` has met the trouble, unless it is Error::kNoPeer.
    [[noreturn]] void fail(std::string_view call, std::string_view doing, const FileTrouble& trouble,
                           int rank = Error::kNoPeer) const;

private:
    base::UniqueFd descriptor_;
    std::string path_;
    FileModes modes_;
    bool is_local_ = false;
    bool is_in_memory_ = false;
    bool is_mappable_ = false;
    std::unique_ptr<MappedWindow> window_ = std::make_unique<MappedWindow>();
    Identity identity_;
};

/// Throws FileError for trouble with a path.
[[noreturn]] void fail_with_path(std::string_view call, std::string_view doing, std::string_view path,
                                 const FileTrouble& trouble, int rank = Error::kNoPeer);

/// The path without such a prefix.
std::string_view path_in(std::string_view name) noexcept;

}  // namespace tutti::detail
