#include "lib/core/files/mapped_write.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tutti::detail {

namespace {

constexpr std::int64_t kPage = 4096;
constexpr std::int64_t kWindow = std::int64_t{4} << 20;
constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE of Linux 5.14

}  // namespace

MappedWrite::MappedWrite(const OpenFile& file, std::int64_t end) noexcept
    : descriptor_(file.descriptor()), end_(end), works_(!file.find_size(size_))
{
}

std::size_t MappedWrite::add(std::int64_t place, const std::byte* data, std::size_t bytes) noexcept
{
    if ((place < from_ || place >= to_) && !map(place))
        return 0;
    const std::size_t part = std::min(bytes, static_cast<std::size_t>(to_ - place));
    std::memcpy(window_ + (place - from_), data, part);
    return part;
}

bool MappedWrite::map(std::int64_t place) noexcept
{
    unmap();
    if (!works_)
        return false;
    const std::int64_t from = place - place % kPage;
    const std::int64_t to = std::min(from + kWindow, end_);
    if (to > size_) {
        // Never makes the file shorter, whatever other ranks do meanwhile.
        works_ = fallocate(descriptor_, 0, size_, to - size_) == 0;
        size_ = to;
    }
    const auto bytes = static_cast<std::size_t>(to - from);
    void* const memory =
        works_ ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, from) : MAP_FAILED;
    if (memory == MAP_FAILED) {
        works_ = false;
        return false;
    }
    window_ = static_cast<std::byte*>(memory);
    from_ = from;
    to_ = to;
    int answer = 0;
    do {
        answer = madvise(window_, bytes, kPopulateWrite);
    } while (answer != 0 && errno == EINTR);
    works_ = answer == 0;
    if (!works_)
        unmap();
    return works_;
}

void MappedWrite::unmap() noexcept
{
    if (window_ != nullptr)
        munmap(window_, static_cast<std::size_t>(to_ - from_));
    window_ = nullptr;
    from_ = to_ = 0;
}

}  // namespace tutti::detail
