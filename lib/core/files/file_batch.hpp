// Gathers runs of a file, each with its place in memory, and moves them by as few calls of the kernel as it
// takes.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "lib/core/files/open_file.hpp"

namespace tutti::detail {

/// Calls of the kernel take up to 1,024 places in memory, so runs in a row of the file are one call, wherever
/// they are in memory. Runs that are shorter than a copy is dear go through a buffer. Reads pass over short
/// gaps; nothing is read to be written back.
///
/// The first trouble ends it: what comes later is dropped. So is what a read wants behind the file's end.
class FileBatch {
public:
    FileBatch(int descriptor, bool writes) noexcept : descriptor_(descriptor), writes_(writes) {}
    FileBatch(const FileBatch&) = delete;
    FileBatch& operator=(const FileBatch&) = delete;

    /// The next run; it is fastest where places ascend. A write only reads the memory.
    void add(std::int64_t place, std::byte* memory, std::size_t bytes);
    /// Moves what is left.
    void finish() { move(); }

    FileTrouble trouble() const noexcept { return trouble_; }
    static constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();
    /// Where a read has found the file's end, or kNoEnd.
    std::int64_t end_of_file() const noexcept { return end_of_file_; }

private:
    static constexpr std::size_t kMostPlaces = 1024;       // IOV_MAX of Linux
    static constexpr std::size_t kMostBytes = 0x7ffff000;  // of a call, on Linux
    static constexpr std::size_t kShortBytes = 256;        // a copy of them costs less than a place
    static constexpr std::size_t kStagedBytes = std::size_t{128} << 10;
    static constexpr std::size_t kGapBytes = 4096;  // to read them costs less than a call

    struct Staged {
        std::byte* memory;
        std::size_t bytes;
        std::int64_t place;
    };

    bool is_full(std::size_t more_bytes) const noexcept;
    bool bridges(std::int64_t place);
    void append(std::byte* memory, std::size_t bytes);
    void stage(std::int64_t place, std::byte* memory, std::size_t bytes);
    void move();
    std::int64_t call(std::int64_t place, std::size_t first);
    void unstage(std::int64_t end);

    const int descriptor_;
    const bool writes_;
    std::array<iovec, kMostPlaces> places_;
    std::size_t count_ = 0;
    std::int64_t begin_ = 0;               // in the file, of the first place
    std::int64_t end_ = 0;                 // and behind the last one
    std::unique_ptr<std::byte[]> buffer_;  // for short runs
    std::size_t buffered_ = 0;
    std::vector<Staged> staged_;  // to be copied from there
    std::unique_ptr<std::byte[]> gap_;
    FileTrouble trouble_;
    std::int64_t end_of_file_ = kNoEnd;
};

}  // namespace tutti::detail
