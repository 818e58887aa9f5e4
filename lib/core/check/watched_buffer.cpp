#include "lib/core/check/watched_buffer.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "lib/heap/segment.hpp"

namespace tutti::check {

namespace {

struct Watched {
    std::mutex mutex;
    std::multimap<const std::byte*, WatchedBuffer*> by_address;
    // By which most calls of free() know that they need not look. Relaxed: a program that frees what another
    // thread has given to an operation just then has made them meet.
    std::atomic<std::size_t> number{0};
};

// Never destroyed: memory is freed after main.
Watched& watched()
{
    static Watched& all = *new Watched;
    return all;
}

const std::byte* lowest_byte(const std::byte* data, std::size_t size_bytes, const datatype::Typemap* layout)
{
    if (layout == nullptr)
        return data;
    const auto steps = static_cast<std::ptrdiff_t>(size_bytes / layout->size_bytes()) - 1;
    return data + layout->true_lower_bound() + std::min<std::ptrdiff_t>(steps * layout->extent_bytes(), 0);
}

// Of a child, whose memory is a copy.
std::atomic<bool> is_child{false};

}  // namespace

void WatchedBuffer::watch_frees()
{
    static std::once_flag once;
    std::call_once(once, [] {
        pthread_atfork(nullptr, nullptr, [] { is_child.store(true, std::memory_order_relaxed); });
        if (tutti_heap_watch_frees != nullptr)
            tutti_heap_watch_frees(&WatchedBuffer::keeps);
    });
}

WatchedBuffer::WatchedBuffer(const void* data, std::size_t size_bytes, const datatype::Typemap* layout,
                             Freed freed)
    : first_(lowest_byte(static_cast<const std::byte*>(data), size_bytes, layout)), freed_(freed)
{
    watch_frees();
    const std::lock_guard lock(watched().mutex);
    watched().by_address.emplace(first_, this);
    watched().number.fetch_add(1, std::memory_order_relaxed);
}

// The entry's memory is freed without the lock, which keeps() takes.
WatchedBuffer::~WatchedBuffer()
{
    decltype(Watched::by_address)::node_type entry;
    const std::lock_guard lock(watched().mutex);
    auto found = watched().by_address.lower_bound(first_);
    while (found->second != this)
        ++found;
    entry = watched().by_address.extract(found);
    watched().number.fetch_sub(1, std::memory_order_relaxed);
}

std::optional<std::string> WatchedBuffer::mistake(std::string_view before) const
{
    std::optional<Site> freed_at;
    {
        const std::lock_guard lock(watched().mutex);
        freed_at = freed_at_;
    }
    if (!freed_at)
        return std::nullopt;
    const std::string& place = describe(*freed_at);
    return fmt::format(
        "its buffer was freed before {}{}{}; {}", before, place.empty() ? "" : ", by ", place,
        is_of_fortran(place)
            ? "a section of an array that is not contiguous is passed as a copy, which the compiler "
              "frees at once: pass a contiguous array or a datatype, or call the procedure of the "
              "module mpi_f08"
            : "free it after the wait or test that completes the request");
}

bool WatchedBuffer::keeps(const void* block, std::size_t bytes) noexcept
{
    Watched& all = watched();
    if (all.number.load(std::memory_order_relaxed) == 0 || is_child.load(std::memory_order_relaxed))
        return false;
    const auto* const begin = static_cast<const std::byte*>(block);
    const auto is_here = [&](auto entry) {
        return entry != all.by_address.end() && entry->first < begin + bytes;
    };
    {
        const std::lock_guard lock(all.mutex);
        if (!is_here(all.by_address.lower_bound(begin)))
            return false;
    }
    const Site site = call_site();  // not under the mutex: it may allocate, and free
    const std::lock_guard lock(all.mutex);
    bool is_kept = false;
    for (auto entry = all.by_address.lower_bound(begin); is_here(entry); ++entry) {
        WatchedBuffer& buffer = *entry->second;
        is_kept |= buffer.freed_ == Freed::kept;
        if (!buffer.freed_at_)
            buffer.freed_at_ = site;
    }
    return is_kept;
}

}  // namespace tutti::check
