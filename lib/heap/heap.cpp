#include "lib/heap/heap.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "lib/heap/process_fork.hpp"
#include "lib/heap/report.hpp"
#include "lib/heap/state.hpp"

namespace tutti::heap {

namespace detail {
constinit Range range;
constinit std::atomic<bool> is_serving{false};
constinit State state;
}  // namespace detail

namespace {

using detail::Guard;
using detail::state;

constexpr std::size_t kLeastSegment = std::size_t{16} << 20;

// Core files get the heap in parts of so many bytes.
constexpr std::size_t kDumpedPart = std::size_t{4} << 20;

// Where the system promises no more memory than it has, pages are paid for at their first use, and a lack of
// them is a signal there instead of a NULL of malloc().
bool system_overcommits() noexcept
{
    char mode = '0';
    const int file = ::open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return true;
    [[maybe_unused]] const ssize_t bytes = read(file, &mode, 1);
    close(file);
    return mode != '2';
}

std::size_t limit_of(__rlimit_resource_t resource) noexcept
{
    rlimit limit{};
    return getrlimit(resource, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

// The peers map the segment, too: where addresses are limited, those of all ranks must have room.
std::size_t segment_bytes() noexcept
{
    const std::size_t bytes =
        std::min({Pages::kMostMemory, limit_of(RLIMIT_AS) / 64, limit_of(RLIMIT_FSIZE)});
    return bytes / kPage * kPage;
}

bool start() noexcept
{
    TuttiHeapSegment& segment = state.segment;
    segment.bytes = segment_bytes();
    if (segment.bytes < kLeastSegment || !system_overcommits() || !ThreadCache::prepare())
        return false;
    segment.descriptor = memfd_create("tutti-malloc", MFD_CLOEXEC);
    if (segment.descriptor < 0)
        return false;
    segment.base = ftruncate(segment.descriptor, static_cast<off_t>(segment.bytes)) == 0
                       ? mmap(nullptr, segment.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                              segment.descriptor, 0)
                       : MAP_FAILED;
    if (segment.base == MAP_FAILED || madvise(segment.base, segment.bytes, MADV_DONTFORK) != 0 ||
        madvise(segment.base, segment.bytes, MADV_DONTDUMP) != 0 || !remember_file()) {
        close(segment.descriptor);
        return false;
    }
    state.blocks.start(static_cast<std::byte*>(segment.base), segment.bytes);
    detail::range.base = reinterpret_cast<std::uintptr_t>(segment.base);
    detail::range.bytes.store(segment.bytes, std::memory_order_release);
    detail::is_serving.store(true, std::memory_order_release);
    return true;
}

// Under the lock.
void give_back_pages() noexcept
{
    if (state.advice == 0)
        return;
    Blocks& blocks = state.blocks;
    const int error = errno;
    if (state.retention.ends_turn(blocks.kept_bytes(), blocks.used_bytes()))
        blocks.give_back_old_pages(state.advice);
    const std::size_t stay = state.retention.may_stay(blocks.kept_bytes(), blocks.used_bytes());
    if (stay < blocks.kept_bytes()) {
        blocks.give_back_pages(stay, state.advice);
        state.retention.note_left(blocks.kept_bytes() > stay ? blocks.kept_bytes() : 0);
    }
    errno = error;
}

// Under the lock. Pages behind what was ever in use stay out of core files: to write one the system would
// allocate them.
void have_in_core_files() noexcept
{
    auto* const base = static_cast<std::byte*>(state.segment.base);
    const auto top = static_cast<std::size_t>(state.blocks.top() - base);
    if (top <= state.dumped_bytes) [[likely]]
        return;
    const std::size_t end = std::min(round_up(top, kDumpedPart), state.segment.bytes);
    const int error = errno;
    madvise(base + state.dumped_bytes, end - state.dumped_bytes, MADV_DODUMP);
    state.dumped_bytes = end;
    errno = error;
}

// `bytes` is a served_size().
Blocks::Taken take_from_all(std::size_t bytes, std::size_t alignment) noexcept
{
    const Guard guard(state.mutex);
    const Blocks::Taken taken = state.blocks.take(bytes + kLine, alignment);
    have_in_core_files();
    return taken;
}

void give(Block* block) noexcept
{
    if (!is_serving()) [[unlikely]]
        return release_in_child(block);  // threads' caches keep nothing there
    const Guard guard(state.mutex);
    state.retention.note_freed(block->size());
    state.blocks.give(block);
    give_back_pages();
}

// The block that was freed last, of those that threads do not keep: mostly the next one that is wanted.
// Acquire and release on both sides: what the old owner wrote before free() comes before the writes of the
// next one.
constinit std::atomic<Block*> last_freed{nullptr};

// A block that was in use for the same size, or nullptr: then the block that was freed last is given back, so
// that others may lie in its place.
Block* take_kept(std::size_t bytes) noexcept
{
    if (bytes <= kMostCachedBytes)
        if (Block* const block = ThreadCache::mine().take(bytes))
            return block;
    if (last_freed.load(std::memory_order_relaxed) == nullptr)
        return nullptr;
    Block* const block = last_freed.exchange(nullptr, std::memory_order_acq_rel);
    if (block == nullptr)
        return nullptr;
    if (block->size() == bytes + kLine) {
        block->become(Block::in_use);
        return block;
    }
    give(block);
    return nullptr;
}

void clear(std::byte* from, std::byte* to) noexcept
{
    std::memset(from, 0, static_cast<std::size_t>(to - from));
}

// A lent block cannot be judged: the parent may have freed it.
[[gnu::cold, gnu::noinline]] void judge(const Block& block, const void* data, const char* call) noexcept
{
    if (!state.is_lent)
        stop_for_pointer(call, data, block.was_freed());
}

// The block in use with this data.
[[gnu::always_inline]] inline Block* block_of(void* data, const char* call) noexcept
{
    Block* const block = Block::of(data);
    if (reinterpret_cast<std::uintptr_t>(data) % kLine != 0 || !block->is(Block::in_use)) [[unlikely]]
        judge(*block, data, call);
    return block;
}

std::byte* round_up_to_page(std::byte* address) noexcept
{
    return address + (-reinterpret_cast<std::uintptr_t>(address) & (kPage - 1));
}

}  // namespace

const TuttiHeapSegment* open() noexcept
{
    const Guard guard(state.mutex);
    if (!state.was_opened) {
        state.was_opened = true;
        const int error = errno;
        static_cast<void>(start());
        errno = error;
    }
    return is_serving() ? &state.segment : nullptr;
}

void* allocate(std::size_t bytes) noexcept
{
    bytes = served_size(bytes);
    Block* block = take_kept(bytes);
    if (block == nullptr)
        block = take_from_all(bytes, kLine).block;
    return block != nullptr ? block->data() : nullptr;
}

void* allocate_aligned(std::size_t bytes, std::size_t alignment) noexcept
{
    if (alignment <= kLine)
        return allocate(bytes);
    Block* const block = take_from_all(served_size(bytes), alignment).block;
    return block != nullptr ? block->data() : nullptr;
}

void* allocate_zeroed(std::size_t bytes) noexcept
{
    bytes = served_size(bytes);
    Block* const kept = take_kept(bytes);
    const auto [block, zeroed] = kept != nullptr ? Blocks::Taken{kept, false} : take_from_all(bytes, kLine);
    if (block == nullptr)
        return nullptr;
    std::byte* const data = block->data();
    std::byte* const end = data + bytes;
    if (!zeroed) {
        clear(data, end);
        return data;
    }
    // Pages at the ends are shared with neighbours, and a free block begins with the links of its list.
    std::byte* const first_page = std::min(round_up_to_page(data + sizeof(Block)), end);
    clear(data, first_page);
    clear(std::max(round_up_to_page(end - kPage + 1), first_page), end);
    return data;
}

void release(void* data) noexcept
{
    Block* block = block_of(data, "free");
    ThreadCache& cache = ThreadCache::mine();
    if (!ThreadCache::is_for(*block)) {
        if (!is_serving()) [[unlikely]]
            return release_in_child(block);
        block->become(Block::kept);
        block = last_freed.exchange(block, std::memory_order_acq_rel);
    } else if (cache.keep(block)) {
        return;
    } else {
        give_back_all(cache);
        if (cache.keep(block))
            return;
    }
    if (block != nullptr)
        give(block);
}

void give_back_all(ThreadCache& cache) noexcept
{
    if (!is_serving()) [[unlikely]]
        return;
    const Guard guard(state.mutex);
    cache.flush([](Block* block) {
        state.retention.note_freed(block->size());
        state.blocks.give(block);
    });
    cache.fit_to(state.blocks.used_bytes());
    give_back_pages();
}

std::size_t usable_bytes(void* data) noexcept
{
    const Block* const block = block_of(data, "malloc_usable_size");
    if (!block->is(Block::in_use)) [[unlikely]]  // lent: up to the heap's end
        return detail::range.bytes - (reinterpret_cast<std::uintptr_t>(data) - detail::range.base);
    return block->usable_bytes();
}

bool resize(void* data, std::size_t bytes) noexcept
{
    Block* const block = block_of(data, "realloc");
    const std::size_t usable = block->usable_bytes();
    if (bytes <= usable && bytes >= usable / 2)
        return true;
    if (!serves(bytes))
        return false;  // and in a child
    const Guard guard(state.mutex);
    const bool is_resized = state.blocks.resize(block, served_size(bytes) + kLine);
    have_in_core_files();
    return is_resized;
}

}  // namespace tutti::heap
