// Where the bytes of an access are, in the file and in memory: pieces, of which those of one size at one distance are
// one run. So what vectors and subarrays describe takes few runs, and ranks can give them to each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::detail {

/// Travels between ranks. Plain bytes.
struct FileRun {
    std::int64_t place;    // in the file, of the first piece
    std::uint64_t memory;  // its address
    std::uint64_t bytes;   // of a piece
    std::uint64_t count;   // of pieces
    std::int64_t stride;   // from piece to piece, in the file
    std::int64_t memory_stride;
    std::uint64_t before;  // bytes of the access before this run

    std::int64_t end() const noexcept
    {
        return place + static_cast<std::int64_t>(count - 1) * stride + static_cast<std::int64_t>(bytes);
    }
};

using FileRuns = std::span<const FileRun>;

class FileRunList {
public:
    /// The next piece. Where places do not ascend, only the numbers of bytes and pieces are of use.
    void add(std::int64_t place, std::uint64_t memory, std::uint64_t bytes);

    FileRuns runs() const noexcept { return runs_; }
    std::uint64_t bytes() const noexcept { return bytes_; }
    std::uint64_t pieces() const noexcept { return pieces_; }

private:
    std::vector<FileRun> runs_;
    std::uint64_t bytes_ = 0;
    std::uint64_t pieces_ = 0;
};

/// How many bytes of the access lie before a place.
std::uint64_t bytes_before(FileRuns runs, std::int64_t place) noexcept;

/// The pieces in [from, to) of the file, one after the other; those at the borders are cut.
class PieceCursor {
public:
    PieceCursor(FileRuns runs, std::int64_t from, std::int64_t to) noexcept;

    bool done() const noexcept { return run_ == end_ || place_ >= to_; }
    // Of this piece, unless done().
    std::int64_t place() const noexcept { return place_; }
    std::uint64_t bytes() const noexcept { return bytes_; }
    std::uint64_t memory() const noexcept { return memory_; }
    /// Bytes of the access before it.
    std::uint64_t before() const noexcept { return before_; }

    void next() noexcept
    {
        before_ += bytes_;
        if (++index_ == run_->count) {
            ++run_;
            index_ = 0;
            if (run_ == end_)
                return;
        }
        show(0);
    }

private:
    // Without the first `cut` bytes.
    void show(std::uint64_t cut) noexcept
    {
        const auto index = static_cast<std::int64_t>(index_);
        place_ = run_->place + index * run_->stride + static_cast<std::int64_t>(cut);
        memory_ = run_->memory + static_cast<std::uint64_t>(index * run_->memory_stride) + cut;
        bytes_ = run_->bytes - cut;
        if (place_ + static_cast<std::int64_t>(bytes_) > to_ && place_ < to_)
            bytes_ = static_cast<std::uint64_t>(to_ - place_);
    }

    const FileRun* run_;
    const FileRun* end_;
    std::uint64_t index_ = 0;  // of the piece in its run
    std::int64_t to_;
    std::int64_t place_ = 0;
    std::uint64_t memory_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t before_ = 0;
};

}  // namespace tutti::detail
