// Moves runs of a file through memory that the kernel maps of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/core/files/mapped_window.hpp"
#include "lib/core/files/open_file.hpp"

namespace tutti::detail {

/// Stores the runs' bytes to mapped memory, or loads them, and no others: what lies between is not read to be
/// written back, so no lock is needed, and no byte of another rank is lost.
///
/// Memory is there before it is used (MADV_POPULATE_WRITE, MADV_POPULATE_READ): a full disk is an answer, not
/// a SIGBUS. Where the kernel refuses anything, or a read goes beyond the file's end, it is left to the
/// caller's calls, which learn why.
class MappedAccess {
public:
    /// [from, end): has all runs.
    MappedAccess(const OpenFile& file, bool writes, std::int64_t from, std::int64_t end) noexcept;
    /// A write has changed the file now, which the kernel does not learn of stores to pages that it has seen
    /// written.
    ~MappedAccess();
    MappedAccess(const MappedAccess&) = delete;
    MappedAccess& operator=(const MappedAccess&) = delete;

    /// Moves a part of the run, from its beginning on; returns how many bytes: 0 if it cannot. Places
    /// ascend. A write only reads the data.
    std::size_t add(std::int64_t place, std::byte* data, std::size_t bytes) noexcept;

    static constexpr std::int64_t kMostMapped = std::int64_t{1} << 30;

private:
    bool map(std::int64_t place) noexcept;
    bool populate(std::int64_t place) noexcept;
    bool is_there(const std::byte* memory, std::size_t bytes) const noexcept;
    bool make_long_enough() noexcept;

    const int descriptor_;
    const int protection_;
    const bool writes_;
    const bool may_ask_;  // the kernel which pages are there, which is cheaper than to bring them all again
    const std::int64_t end_;
    std::int64_t size_ = 0;  // of the file, as far as known
    bool works_ = true;
    MappedWindow own_;                   // while another thread uses the file's
    std::unique_lock<std::mutex> lock_;  // of the file's
    MappedWindow& window_;
    std::byte* memory_ = nullptr;  // of [from_, to_)
    std::int64_t from_ = 0;
    std::int64_t populated_ = 0;  // from the last place to here pages are there
    std::int64_t to_ = 0;
};

}  // namespace tutti::detail
