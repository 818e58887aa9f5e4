#include "lib/core/files/mapped_write.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tutti::detail {

namespace {

constexpr std::int64_t kPage = 4096;
constexpr std::int64_t kMostMapped = std::int64_t{1} << 30;
// Pages that are looked at shortly before they are stored to are still in the caches.
constexpr std::int64_t kStep = std::int64_t{1} << 20;
constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE of Linux 5.14

}  // namespace

MappedWrite::MappedWrite(const OpenFile& file, std::int64_t from, std::int64_t end) noexcept
    : descriptor_(file.descriptor()),
      end_(end),
      works_(!file.find_size(size_)),
      lock_(file.window().mutex, std::try_to_lock),
      window_(lock_ ? file.window() : own_)
{
    map(from);
}

MappedWrite::~MappedWrite()
{
    const timespec times[] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, {.tv_sec = 0, .tv_nsec = UTIME_NOW}};
    futimens(descriptor_, times);
}

std::size_t MappedWrite::add(std::int64_t place, const std::byte* data, std::size_t bytes) noexcept
{
    if (place >= to_ && !map(place))
        return 0;
    if (place >= populated_ && !populate(place))
        return 0;
    const std::size_t part = std::min(bytes, static_cast<std::size_t>(populated_ - place));
    std::memcpy(memory_ + (place - from_), data, part);
    return part;
}

bool MappedWrite::map(std::int64_t place) noexcept
{
    if (!works_)
        return false;
    from_ = place - place % kPage;
    to_ = std::min(from_ + kMostMapped, end_);
    populated_ = from_;
    if (to_ > size_) {
        // Never makes the file shorter, whatever other ranks do meanwhile.
        works_ = fallocate(descriptor_, 0, size_, to_ - size_) == 0;
        size_ = to_;
    }
    memory_ = works_ ? window_.memory(descriptor_, from_, to_) : nullptr;
    works_ = memory_ != nullptr;
    if (!works_)
        to_ = populated_ = 0;
    return works_;
}

bool MappedWrite::populate(std::int64_t place) noexcept
{
    const std::int64_t begin = place - place % kPage;
    const std::int64_t next = std::min(begin + kStep, to_);
    int answer = 0;
    do {
        answer = madvise(memory_ + (begin - from_), static_cast<std::size_t>(next - begin), kPopulateWrite);
    } while (answer != 0 && errno == EINTR);
    works_ = answer == 0;
    populated_ = works_ ? next : 0;
    if (!works_)
        to_ = 0;
    return works_;
}

}  // namespace tutti::detail
