#include "lib/core/files/mapped_access.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace tutti::detail {

namespace {

constexpr std::int64_t kPage = 4096;
// Pages that are looked at shortly before they are used are still in the caches.
constexpr std::int64_t kStep = std::int64_t{1} << 20;
constexpr std::size_t kStepPages = kStep / kPage;
constexpr int kPopulateRead = 22;  // MADV_POPULATE_READ of Linux 5.14
constexpr int kPopulateWrite = 23;

}  // namespace

MappedAccess::MappedAccess(const OpenFile& file, bool writes, std::int64_t from, std::int64_t end) noexcept
    : descriptor_(file.descriptor()),
      protection_(file.modes().writes ? PROT_READ | PROT_WRITE : PROT_READ),
      writes_(writes),
      may_ask_(file.modes().writes && (!writes || file.is_in_memory())),
      end_(end),
      works_(!file.find_size(size_)),
      lock_(file.window().mutex, std::try_to_lock),
      window_(lock_ ? file.window() : own_)
{
    map(from);
}

MappedAccess::~MappedAccess()
{
    if (!writes_)
        return;
    const timespec times[] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, {.tv_sec = 0, .tv_nsec = UTIME_NOW}};
    futimens(descriptor_, times);
}

std::size_t MappedAccess::add(std::int64_t place, std::byte* data, std::size_t bytes) noexcept
{
    if (place >= to_ && !map(place))
        return 0;
    if (place >= populated_ && !populate(place))
        return 0;
    const std::size_t part = std::min(bytes, static_cast<std::size_t>(populated_ - place));
    std::byte* const there = memory_ + (place - from_);
    writes_ ? std::memcpy(there, data, part) : std::memcpy(data, there, part);
    return part;
}

bool MappedAccess::make_long_enough() noexcept
{
    if (to_ <= size_)
        return true;
    // Never makes the file shorter, whatever other ranks do meanwhile.
    if (!writes_ || fallocate(descriptor_, 0, size_, to_ - size_) != 0)
        return false;
    size_ = to_;
    return true;
}

bool MappedAccess::map(std::int64_t place) noexcept
{
    if (!works_)
        return false;
    from_ = place - place % kPage;
    to_ = std::min(from_ + kMostMapped, end_);
    populated_ = from_;
    memory_ = make_long_enough() ? window_.memory(descriptor_, protection_, from_, to_) : nullptr;
    works_ = memory_ != nullptr;
    if (!works_)
        to_ = populated_ = 0;
    return works_;
}

// A page that the kernel has can be loaded from, and in a file system in memory stored to. Elsewhere a store
// may need room on the disk. Of files that this process may not write, the kernel does not tell.
bool MappedAccess::is_there(const std::byte* memory, std::size_t bytes) const noexcept
{
    std::array<unsigned char, kStepPages> pages;
    if (!may_ask_ || window_.is_new() || mincore(const_cast<std::byte*>(memory), bytes, pages.data()) != 0)
        return false;
    const std::size_t count = (bytes + kPage - 1) / kPage;
    return std::all_of(pages.begin(), pages.begin() + static_cast<std::ptrdiff_t>(count),
                       [](unsigned char page) { return (page & 1) != 0; });
}

bool MappedAccess::populate(std::int64_t place) noexcept
{
    const std::int64_t begin = place - place % kPage;
    const std::int64_t next = std::min(begin + kStep, to_);
    std::byte* const memory = memory_ + (begin - from_);
    const auto bytes = static_cast<std::size_t>(next - begin);
    int answer = is_there(memory, bytes) ? 0 : -1;
    if (answer != 0)
        do {
            answer = madvise(memory, bytes, writes_ ? kPopulateWrite : kPopulateRead);
        } while (answer != 0 && errno == EINTR);
    works_ = answer == 0;
    populated_ = works_ ? next : 0;
    if (!works_)
        to_ = 0;
    return works_;
}

}  // namespace tutti::detail
