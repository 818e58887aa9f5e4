#include "lib/core/files/mapped_window.hpp"

#include <sys/mman.h>

namespace tutti::detail {

std::byte* MappedWindow::memory(int descriptor, int protection, std::int64_t from, std::int64_t to) noexcept
{
    constexpr std::int64_t kPage = 4096;
    is_new_ = window_ == nullptr || from < from_ || to > to_;
    if (is_new_) {
        unmap();
        const std::int64_t first = from - from % kPage;
        void* const mapped =
            mmap(nullptr, static_cast<std::size_t>(to - first), protection, MAP_SHARED, descriptor, first);
        if (mapped == MAP_FAILED)
            return nullptr;
        window_ = static_cast<std::byte*>(mapped);
        from_ = first;
        to_ = to;
    }
    is_ready_ = true;
    return window_ + (from - from_);
}

MappedWindow::Before MappedWindow::note(std::int64_t from, std::int64_t to, std::uint64_t bytes) noexcept
{
    const std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock)
        return {};
    const bool again = from >= noted_from_ && to <= noted_to_;
    const Before before{again ? moved_ : 0, window_ != nullptr && is_ready_ && from >= from_ && to <= to_};
    noted_from_ = from;
    noted_to_ = to;
    moved_ = before.moved + bytes;
    return before;
}

void MappedWindow::written_back() noexcept
{
    const std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock)
        return;
    moved_ = 0;
    is_ready_ = false;
}

void MappedWindow::unmap() noexcept
{
    if (window_ != nullptr)
        munmap(window_, static_cast<std::size_t>(to_ - from_));
    window_ = nullptr;
}

}  // namespace tutti::detail
