#include "lib/core/files/mapped_window.hpp"

#include <sys/mman.h>

namespace tutti::detail {

std::byte* MappedWindow::memory(int descriptor, std::int64_t from, std::int64_t to) noexcept
{
    constexpr std::int64_t kPage = 4096;
    if (window_ == nullptr || from < from_ || to > to_) {
        unmap();
        const std::int64_t first = from - from % kPage;
        void* const mapped = mmap(nullptr, static_cast<std::size_t>(to - first), PROT_READ | PROT_WRITE,
                                  MAP_SHARED, descriptor, first);
        if (mapped == MAP_FAILED)
            return nullptr;
        window_ = static_cast<std::byte*>(mapped);
        from_ = first;
        to_ = to;
    }
    return window_ + (from - from_);
}

bool MappedWindow::is_used_again(std::int64_t from, std::int64_t to) noexcept
{
    const std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock)
        return false;
    const bool again = from >= used_from_ && to <= used_to_;
    used_from_ = from;
    used_to_ = to;
    return again;
}

void MappedWindow::unmap() noexcept
{
    if (window_ != nullptr)
        munmap(window_, static_cast<std::size_t>(to_ - from_));
    window_ = nullptr;
}

}  // namespace tutti::detail
