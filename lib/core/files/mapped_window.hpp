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
    /// `protection`: as mmap() has it, alike in all calls.
    std::byte* memory(int descriptor, int protection, std::int64_t from, std::int64_t to) noexcept;

    /// Whether the memory has been mapped just now.
    bool is_new() const noexcept { return is_new_; }

    /// What was there before an access.
    struct Before {
        std::uint64_t moved = 0;  // bytes, by accesses in a row that lay within each other's places
        bool is_mapped = false;
    };
    /// Notes an access to [from, to). Knows of nothing before while another thread uses the memory, for
    /// which nobody waits here.
    Before note(std::int64_t from, std::int64_t to, std::uint64_t bytes) noexcept;

    /// The next store to each page is dear again, as the kernel wants to learn of it.
    void written_back() noexcept;

private:
    void unmap() noexcept;

    std::int64_t noted_from_ = 0;
    std::int64_t noted_to_ = 0;
    std::uint64_t moved_ = 0;
    bool is_new_ = false;
    bool is_ready_ = false;  // the window, since it was written back

    std::byte* window_ = nullptr;
    std::int64_t from_ = 0;
    std::int64_t to_ = 0;
};

}  // namespace tutti::detail
