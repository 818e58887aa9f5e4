// A file that the ranks of a communicator have opened together, as each of them sees it.
//
// A view lays out what a rank sees of the file: from a displacement on, repetitions of a datatype, the filetype.
// Its bytes are the rank's data, in their order. Offsets count etypes, units of the view, as MPI's do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/core/files/open_file.hpp"
#include "lib/core/files/view_map.hpp"
#include "lib/core/windows/rank_window.hpp"
#include "tutti/buffer.hpp"
#include "tutti/call_handle.hpp"
#include "tutti/calls.hpp"

namespace tutti::detail {

/// What a program asks of an open file; docs/guide/files.md.
struct FileHints {
    std::size_t buffer_bytes = std::size_t{16} << 20;  // of an aggregator, for data that it cannot map
    int aggregators = 0;                               // of collective accesses; 0: as many as suit the file
    enum class Collective : std::uint8_t { automatic, always, never };
    Collective collective_reads = Collective::automatic;  // whether aggregators read for all
    Collective collective_writes = Collective::automatic;
    std::size_t alignment = std::size_t{1} << 20;  // parts of aggregators begin at multiples of it
};

/// One of the 36 ways to access a file.
struct FileAccess {
    enum class Place : std::uint8_t {
        given,    // at `offset`
        own,      // at this rank's pointer, which moves
        shared    // at the pointer that all ranks share, which moves
    };
    bool writes = false;
    bool together = false;  // collective. With Place::shared, in the order of ranks
    Place place = Place::given;
    std::int64_t offset = 0;  // in etypes
};

enum class FileWhence : std::uint8_t { start, current, end };

class File {
public:
    /// Collective: all ranks open the file, or all throw. `call` is the name of the caller's operation, for
    /// errors. All ranks give the same mode.
    static std::shared_ptr<File> open(const StatePointer& communicator, const FileOpening& opening,
                                      const FileHints& hints);
    /// Not open any more; the file is closed, but not together with the other ranks.
    ~File();
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    /// Collective. Ends when no rank accesses the file any more, whose data are with the kernel then, not
    /// necessarily on the disk. Requests have ended before. Throws what close() has found, on all ranks.
    void close();
    /// Removes a file that need not be open. Local.
    static void remove(const std::string& path);

    const StatePointer& communicator() const noexcept { return pointer_->communicator(); }
    const std::string& path() const noexcept { return file_.path(); }
    FileModes modes() const noexcept { return file_.modes(); }
    /// As they are used, which may differ from what the program asked.
    const FileHints& hints() const noexcept { return hints_; }
    void set_hints(const FileHints& hints) noexcept { hints_ = hints; }

    // ---- the view

    /// Local; but all ranks set their views before any accesses the file together with others or by the shared
    /// pointer. Both pointers become 0. `representation` is a number that the ranks compare.
    void set_view(std::int64_t displacement, std::size_t etype_bytes, datatype::TypemapRef filetype,
                  std::uint32_t representation = 0);
    std::size_t etype_bytes() const noexcept { return etype_bytes_; }
    /// The place in the file, in bytes from its start, of an offset in the view.
    std::int64_t byte_of(std::int64_t offset) const;

    // ---- accesses

    /// Reads or writes as many bytes as `memory` has, which a write only reads. A read ends at the file's end:
    /// `moved` gets the bytes that were read or written. Blocking; `moved` must live until the call ends.
    /// Collective if access.together.
    void access(std::string_view call, const FileAccess& access, const View& memory, std::size_t& moved);
    /// access() as a request, whose status has the bytes. Pointers move at once.
    Request start(std::string_view call, const FileAccess& access, const View& memory);

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
    /// Collective: accesses of different ranks to the same bytes happen one after the other, and are seen at
    /// once.
    void set_atomic(bool atomic);
    bool is_atomic() const noexcept { return turns_ != nullptr; }

private:
    struct Piece;

    OpenFile file_;
    FileHints hints_;
};

}  // namespace tutti::detail
