// Writes many short runs of a file through memory that the kernel maps of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/core/files/mapped_window.hpp"
#include "lib/core/files/open_file.hpp"

namespace tutti::detail {

/// Stores the runs' bytes to mapped memory, and no others: what lies between is not read to be written back,
/// so no lock is needed, and no byte of another rank is lost. A call of the kernel for each run would take
/// several times as long.
///
/// Memory is there before it is stored to (MADV_POPULATE_WRITE): a full disk is an answer, not a SIGBUS.
/// Where the kernel refuses anything, it is left to the caller's writes, which learn why.
class MappedWrite {
public:
    /// [from, end): has all runs.
    MappedWrite(const OpenFile& file, std::int64_t from, std::int64_t end) noexcept;
    /// The file has been changed now, which the kernel does not learn of stores to pages that it has seen
    /// written.
    ~MappedWrite();
    MappedWrite(const MappedWrite&) = delete;
    MappedWrite& operator=(const MappedWrite&) = delete;

    /// Writes a part of the run, from its beginning on; returns how many bytes: 0 if it cannot. Places
    /// ascend.
    std::size_t add(std::int64_t place, const std::byte* data, std::size_t bytes) noexcept;

private:
    bool map(std::int64_t place) noexcept;
    bool populate(std::int64_t place) noexcept;

    const int descriptor_;
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
