// Writes many short runs of a file through memory that the kernel maps of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/core/files/open_file.hpp"

namespace tutti::detail {

/// Maps a window of the file at a time and stores the runs' bytes there, and no others: what lies between is not read to
/// be written back, so no lock is needed, and no byte of another rank is lost. A call of the kernel for each run would
/// take several times as long.
///
/// Memory is there before it is stored to (MADV_POPULATE_WRITE): a full disk is an answer, not a SIGBUS. Where the
/// kernel refuses anything, it is left to the caller's writes, which learn why.
class MappedWrite {
public:
    /// `end`: of the last run.
    MappedWrite(const OpenFile& file, std::int64_t end) noexcept;
    ~MappedWrite() { unmap(); }
    MappedWrite(const MappedWrite&) = delete;
    MappedWrite& operator=(const MappedWrite&) = delete;

    /// Writes a part of the run, from its beginning on; returns how many bytes: 0 if it cannot.
    std::size_t add(std::int64_t place, const std::byte* data, std::size_t bytes) noexcept;

private:
    bool map(std::int64_t place) noexcept;
    void unmap() noexcept;

    const int descriptor_;
    const std::int64_t end_;
    std::int64_t size_ = 0;  // of the file, as far as known
    bool works_ = true;
    std::byte* window_ = nullptr;
    std::int64_t from_ = 0;  // of the window, in the file
    std::int64_t to_ = 0;
};

}  // namespace tutti::detail
