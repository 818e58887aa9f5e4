// A part of a file that stays mapped to memory from one access to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

namespace tutti::detail {

/// One part at a time. To map and to unmap a part for each access would take as long as to write it.
class MappedWindow {
public:
    MappedWindow() = default;
    ~MappedWindow() { unmap(); }
    MappedWindow(const MappedWindow&) = delete;
    MappedWindow& operator=(const MappedWindow&) = delete;

    /// Held by the thread that uses the memory.
    std::mutex mutex;

    /// Memory for [from, to) of the file, whose pages need not be there; nullptr: the kernel refuses.
    std::byte* memory(int descriptor, std::int64_t from, std::int64_t to) noexcept;

    /// Whether [from, to) lies in what was asked for the time before; false while another thread uses the
    /// memory, for which nobody waits here.
    bool is_used_again(std::int64_t from, std::int64_t to) noexcept;

private:
    void unmap() noexcept;

    std::int64_t used_from_ = 0;
    std::int64_t used_to_ = 0;

    std::byte* window_ = nullptr;
    std::int64_t from_ = 0;
    std::int64_t to_ = 0;
};

}  // namespace tutti::detail
