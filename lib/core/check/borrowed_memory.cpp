#include "lib/core/check/borrowed_memory.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>

#include "lib/foundation/datatype/typemap.hpp"
#include "lib/heap/segment.hpp"

namespace tutti::check {

namespace {

struct Borrowed {
    std::mutex mutex;
    std::multimap<const std::byte*, BorrowedMemory*> by_address;
    // By which most calls of free() know that they need not look. Relaxed: a program that frees what another
    // thread has given to an operation just then has made them meet.
    std::atomic<std::size_t> number{0};
};

// Never destroyed: memory is freed after main.
Borrowed& borrowed()
{
    static Borrowed& all = *new Borrowed;
    return all;
}

const std::byte* lowest_byte(const detail::ConstView& buffer)
{
    if (buffer.layout == nullptr)
        return buffer.data;
    const datatype::Typemap& layout = *buffer.layout;
    const auto steps = static_cast<std::ptrdiff_t>(buffer.size_bytes / layout.size_bytes()) - 1;
    return buffer.data + layout.true_lower_bound() +
           std::min<std::ptrdiff_t>(steps * layout.extent_bytes(), 0);
}

// Of a child, whose memory is a copy.
std::atomic<bool> is_child{false};

}  // namespace

std::vector<const std::byte*> lowest_bytes(std::span<const detail::ConstView> buffers)
{
    std::vector<const std::byte*> lowest;
    for (const detail::ConstView& buffer : buffers)
        if (buffer.size_bytes != 0)
            lowest.push_back(lowest_byte(buffer));
    std::sort(lowest.begin(), lowest.end());
    lowest.erase(std::unique(lowest.begin(), lowest.end()), lowest.end());
    return lowest;
}

bool BorrowedMemory::finds_frees()
{
    static const bool answer = [] {
        pthread_atfork(nullptr, nullptr, [] { is_child.store(true, std::memory_order_relaxed); });
        if (tutti_heap_watch_frees == nullptr)
            return false;
        tutti_heap_watch_frees(&BorrowedMemory::keeps);
        // Volatile: the compiler would leave both calls out.
        void* volatile const block = std::malloc(1);
        const std::byte* const byte = static_cast<const std::byte*>(block);
        const BorrowedMemory probe({&byte, 1}, Freed::given_back);
        std::free(block);
        return probe.freed_at_.has_value();
    }();
    return answer;
}

BorrowedMemory::BorrowedMemory(std::span<const std::byte* const> buffers, Freed freed)
    : buffers_(buffers.begin(), buffers.end()), freed_(freed)
{
    const std::lock_guard lock(borrowed().mutex);
    for (const std::byte* const lowest : buffers_)
        borrowed().by_address.emplace(lowest, this);
    borrowed().number.fetch_add(1, std::memory_order_relaxed);
}

// The entries' memory is freed without the lock, which keeps() takes.
BorrowedMemory::~BorrowedMemory()
{
    decltype(Borrowed::by_address) entries;
    const std::lock_guard lock(borrowed().mutex);
    for (const std::byte* const lowest : buffers_) {
        auto found = borrowed().by_address.lower_bound(lowest);
        while (found->second != this)
            ++found;
        entries.insert(borrowed().by_address.extract(found));
    }
    borrowed().number.fetch_sub(1, std::memory_order_relaxed);
}

std::optional<std::string> BorrowedMemory::mistake(std::string_view before, std::string_view remedy) const
{
    std::optional<Site> freed_at;
    {
        const std::lock_guard lock(borrowed().mutex);
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
            : remedy);
}

bool BorrowedMemory::keeps(const void* block, std::size_t bytes) noexcept
{
    Borrowed& all = borrowed();
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
        BorrowedMemory& memory = *entry->second;
        is_kept |= memory.freed_ == Freed::kept;
        if (!memory.freed_at_)
            memory.freed_at_ = site;
    }
    return is_kept;
}

}  // namespace tutti::check
