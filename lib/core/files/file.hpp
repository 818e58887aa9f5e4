// A file that the ranks of a communicator have opened together, as one of them sees it.
//
// A view lays out what a rank sees of the file: from a displacement on, repetitions of a datatype, the
// filetype. Its bytes are the rank's data, in their order. Offsets count etypes, units of the view, as MPI's
// do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "lib/core/files/collective_access.hpp"
#include "lib/core/files/shared_pointer.hpp"
#include "tutti/calls.hpp"
#include "tutti/file_calls.hpp"
#include "tutti/request.hpp"

namespace tutti::detail {

/// Errors are thrown: FileError for those of files, at all ranks if the call is collective. Threads may
/// access a file at once.
class File : public std::enable_shared_from_this<File> {
public:
    /// Collective: all ranks open the file, or all throw. All give the same path and modes.
    static std::shared_ptr<File> open(const StatePointer& communicator, const FileOpening& opening,
                                      const FileHints& hints);
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    /// Collective; requests have ended before. What was written is with the kernel then, not yet on the disk:
    /// sync().
    void close();
    /// Removes a file that need not be open. Local.
    static void remove(std::string_view path);

    /// Its own.
    const StatePointer& communicator() const noexcept { return pointer_.communicator(); }
    const std::string& path() const noexcept { return file_.path(); }
    FileModes modes() const noexcept { return file_.modes(); }
    /// As they are used.
    const FileHints& hints() const noexcept { return hints_; }
    /// All ranks give the same. Accesses that are under way keep those that they began with.
    void set_hints(const FileHints& hints);

    // ---- the view

    /// Local; but all ranks set their views before one of them accesses the file together with others, or by
    /// the shared pointer. Both pointers become 0. Where the view does not ascend, it is only read.
    /// `representation` is a number that ranks compare in collective accesses.
    void set_view(ViewMap view, std::size_t etype_bytes, std::uint32_t representation = 0);
    std::size_t etype_bytes() const noexcept { return etype_bytes_; }
    /// The place in the file, in bytes, of an offset.
    std::int64_t byte_of(std::int64_t offset) const;

    // ---- accesses

    /// Reads or writes as many bytes as the memory has, which a write only reads; returns how many. A read
    /// ends at the file's end. Collective if access.together. `call` is the caller's operation, for errors;
    /// it is never destroyed. `refusal`: the caller has found its own arguments wrong; this is thrown, and
    /// all ranks of a collective access are told.
    std::size_t access(std::string_view call, const FileAccess& access, const View& memory,
                       const std::exception_ptr& refusal = nullptr);
    /// access() as a request, whose status has the bytes. Pointers move at once.
    Request start(std::string_view call, const FileAccess& access, const View& memory,
                  const std::exception_ptr& refusal = nullptr);

    // ---- pointers

    std::int64_t position() const;
    void seek(std::int64_t offset, FileWhence whence);
    std::int64_t shared_position();
    /// Collective: all ranks give the same.
    void seek_shared(std::int64_t offset, FileWhence whence);

    // ---- the whole file

    /// In bytes. Local.
    std::int64_t size() const;
    /// Collective: all ranks give the same.
    void set_size(std::int64_t bytes);
    /// Collective: the disk has room for the first `bytes` afterwards.
    void preallocate(std::int64_t bytes);
    /// Collective: what any rank has written before is on the disk, and every rank sees it.
    void sync();
    /// Collective: accesses of different ranks to the same bytes happen one after the other from now on.
    void set_atomic(bool atomic);
    bool is_atomic() const noexcept { return turns_ != nullptr; }

private:
    struct Turn;

    File(OpenFile file, SharedPointer pointer, const FileHints& hints);

    static std::shared_ptr<File> open_together(const StatePointer& communicator, const FileOpening& opening,
                                               const FileHints& hints);
    void close_together();
    std::uint64_t view_kind() const noexcept;
    void check(std::string_view call, const FileAccess& access, const View& memory) const;
    CallHandle begin(std::string_view call, const FileAccess& access, const View& memory,
                     const std::exception_ptr& refusal);
    std::int64_t etypes_of(const View& memory) const noexcept;
    std::int64_t end_in_etypes(std::string_view call) const;
    std::int64_t target_of(std::string_view call, std::int64_t offset, FileWhence whence,
                           std::int64_t current) const;
    /// Moves the pointer, if the access is at one, and returns the offset of the access.
    std::int64_t take_offset(const FileAccess& access, std::int64_t etypes);
    std::int64_t take_ordered(std::int64_t etypes);
    FileTransfer transfer_of(std::string_view call, bool writes, std::int64_t offset, const View& memory,
                             FileWorker* worker) const;
    CollectiveAccess collective_of(std::string_view call, const FileAccess& access, const View& memory,
                                   FileWorker* worker, std::exception_ptr refusal);
    FileOutcome move_in_turn(const FileTransfer& transfer);
    /// Throws at all ranks if a rank has met trouble, or their arguments differ.
    void agree(std::string_view call, std::string_view doing, std::int64_t argument,
               const FileTrouble& own) const;

    OpenFile file_;
    SharedPointer pointer_;
    FileHints hints_;
    std::shared_ptr<const FileRanks> ranks_;  // accesses keep those that they began with
    std::shared_ptr<Window> turns_;  // in atomic mode: whoever holds its lock accesses the file
    std::mutex turn_mutex_;          // threads of this rank take turns before that
    ViewMap view_;
    std::size_t etype_bytes_ = 1;
    std::uint32_t representation_ = 0;
    std::uint16_t view_number_ = 0;
    mutable std::mutex pointer_mutex_;
    std::int64_t position_ = 0;  // in etypes
};

}  // namespace tutti::detail
