#include "transports/shm/shared_heap.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <limits>
#include <utility>

#include "lib/foundation/base/cgroup.hpp"
#include "lib/heap/segment.hpp"
#include "tutti/error.hpp"

namespace tutti::transport::shm {

namespace {

constexpr std::size_t kLeastArena = 256u << 20;
constexpr std::size_t kMostBytes = std::size_t{1} << 46;
// Freed blocks of at least this size are kept, and give their pages back later.
constexpr std::size_t kKeepFrom = 64u << 10;
constexpr std::size_t kKeptBytes = 16u << 20;
// The unit of st_blocks.
constexpr std::uint64_t kStatBlock = 512;
// Core files get an arena in parts of so many bytes.
constexpr std::size_t kDumpedPart = 4u << 20;

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

// Without shared memory (no descriptors left, a file size limit) ordinary memory is used.
void* ordinary(std::size_t bytes, std::size_t alignment)
{
    void* memory = std::aligned_alloc(alignment, round_up(bytes, alignment));
    if (memory == nullptr)
        throw Error(ErrorCode::out_of_memory, "allocate",
                    "the system has no more memory; raise the memory limit or use less memory");
    return memory;
}

// If so, pages that are only touched can be refused, which would kill the program.
bool commits_strictly()
{
    static const bool strictly = [] {
        int mode = 0;
        std::ifstream("/proc/sys/vm/overcommit_memory") >> mode;
        return mode == 2;
    }();
    return strictly;
}

void punch_hole(const MemoryFile& file, std::size_t offset, std::size_t bytes) noexcept
{
    const std::size_t start = round_up(offset, kPage);
    const std::size_t end = (offset + bytes) / kPage * kPage;
    if (end > start)
        fallocate(file.descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(start),
                  static_cast<off_t>(end - start));
}

// malloc's blocks come from memory that peers can map as soon as the library is loaded: the program may keep
// those of its first calls.
[[gnu::constructor]] void open_preloaded_heap()
{
    SharedHeap::instance();
}

// Asked before a fork copies malloc's blocks.
std::uint64_t left_bytes() noexcept
{
    try {
        if (const auto room = base::memory_room())
            return room->free_bytes;
    } catch (const std::exception&) {
    }
    return std::numeric_limits<std::uint64_t>::max();
}

[[gnu::destructor]] void leave_preloaded_heap()
{
    if (tutti_heap_ask_for_room != nullptr)
        tutti_heap_ask_for_room(nullptr);
}

}  // namespace

SharedHeap::SharedHeap()
{
    pthread_atfork(nullptr, nullptr, [] { instance().become_child(); });
    const TuttiHeapSegment* const segment = tutti_heap_open != nullptr ? tutti_heap_open() : nullptr;
    if (segment == nullptr)
        return;
    auto& header = *static_cast<ArenaHeader*>(segment->base);
    if (header.magic != ArenaHeader::kMagic)  // else two versions of libtutti are loaded
        header = {ArenaHeader::kMagic, new_nonce()};
    preloaded_ = {static_cast<std::byte*>(segment->base), segment->bytes,
                  arena_key(header.nonce, segment->descriptor)};
    if (tutti_heap_ask_for_room != nullptr)  // else the heap is another version's
        tutti_heap_ask_for_room(left_bytes);
    lend();
}

SharedHeap& SharedHeap::instance()
{
    static SharedHeap& heap = *new SharedHeap;
    return heap;
}

void* SharedHeap::allocate(std::size_t bytes, std::size_t alignment)
{
    if (bytes > kMostBytes || alignment > kMostBytes)
        throw Error(ErrorCode::out_of_memory, "allocate", "more bytes than any machine has");
    bytes = std::max(round_up(bytes, kLine), kLine);
    if (inherited_)
        return ordinary(bytes, alignment);
    const std::lock_guard held(mutex_);
    if (void* const kept = alignment == kLine ? take_kept(bytes) : nullptr)
        return kept;
    judge(bytes);
    void* const taken = take_new(bytes, alignment);
    promises_.publish(used_bytes_ + kept_bytes_);
    return taken != nullptr ? taken : ordinary(bytes, alignment);
}

void* SharedHeap::take_new(std::size_t bytes, std::size_t alignment)
{
    if (void* const found = take_free(bytes, alignment))
        return found;
    drop_kept_beyond(0);
    if (void* const found = take_free(bytes, alignment))
        return found;
    return add_arena(bytes + alignment - kLine) != nullptr ? take_free(bytes, alignment) : nullptr;
}

// Throws where `bytes` more cannot be had.
void SharedHeap::judge(std::size_t bytes)
{
    const auto ask = [&] {
        promises_.judge(used_bytes_ + kept_bytes_, bytes, [&] { return touched_bytes(); });
    };
    try {
        ask();
    } catch (const Error&) {
        if (kept_bytes_ == 0)
            throw;
        drop_kept_beyond(0);
        ask();
    }
}

std::uint64_t SharedHeap::touched_bytes() const noexcept
{
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        struct stat status {};
        if (fstat(arenas_[i]->file.descriptor(), &status) == 0)
            sum += static_cast<std::uint64_t>(status.st_blocks) * kStatBlock;
    }
    return sum;
}

void SharedHeap::find_ledger_by(MemoryPromises::FindLedger find)
{
    const std::lock_guard held(mutex_);
    promises_.find_ledger_by(std::move(find));
}

// The latest block, which is most likely in the caches. It may be a quarter larger than needed.
void* SharedHeap::take_kept(std::size_t bytes)
{
    const auto found = std::find_if(kept_.rbegin(), kept_.rend(), [&](const Kept& block) {
        return block.bytes >= bytes && block.bytes <= bytes + bytes / 4;
    });
    if (found == kept_.rend())
        return nullptr;
    const Kept block = *found;
    block.arena->used.emplace(block.offset, block.bytes);
    kept_.erase(std::next(found).base());
    kept_bytes_ -= block.bytes;
    used_bytes_ += block.bytes;
    return block.arena->file.base() + block.offset;
}

void* SharedHeap::take_free(std::size_t bytes, std::size_t alignment)
{
    for (std::size_t i = 0; i < count_; ++i) {
        const auto base = reinterpret_cast<std::uintptr_t>(arenas_[i]->file.base());
        Ranges& free = arenas_[i]->free;
        for (auto range = free.begin(); range != free.end(); ++range) {
            const auto [offset, size] = *range;
            const std::size_t skipped = round_up(base + offset, alignment) - (base + offset);
            if (skipped <= size && bytes <= size - skipped)
                return take(*arenas_[i], range, offset + skipped, bytes);
        }
    }
    return nullptr;
}

void* SharedHeap::take(Arena& arena, Ranges::iterator from, std::size_t start, std::size_t bytes)
{
    const auto [offset, size] = *from;
    if (commits_strictly())
        arena.file.allocate(start, bytes);  // throws before anything changes
    arena.free.erase(from);
    if (start > offset)
        arena.free.emplace(offset, start - offset);
    if (offset + size > start + bytes)
        arena.free.emplace(start + bytes, offset + size - (start + bytes));
    arena.used.emplace(start, bytes);
    used_bytes_ += bytes;
    have_in_core_files(arena, start + bytes);
    return arena.file.base() + start;
}

// Pages behind what was ever in use stay out: to write a core file the system would allocate them.
void SharedHeap::have_in_core_files(Arena& arena, std::size_t end) noexcept
{
    if (end <= arena.dumped)
        return;
    end = std::min(round_up(end, kDumpedPart), arena.size_bytes);
    madvise(arena.file.base() + arena.dumped, end - arena.dumped, MADV_DODUMP);
    arena.dumped = end;
}

void SharedHeap::leave_untouched_out_of_core_files() const noexcept
{
    const std::size_t count = count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i) {
        const Arena& arena = *arenas_[i];
        const int file = arena.file.descriptor();
        const auto end = static_cast<off_t>(arena.dumped);
        for (off_t hole = lseek(file, 0, SEEK_HOLE); hole >= 0 && hole < end;) {
            const off_t data = lseek(file, hole, SEEK_DATA);
            const off_t until = data < 0 ? end : std::min(data, end);
            madvise(arena.file.base() + hole, static_cast<std::size_t>(until - hole), MADV_DONTDUMP);
            hole = data < 0 ? end : lseek(file, data, SEEK_HOLE);
        }
    }
}

SharedHeap::Arena* SharedHeap::add_arena(std::size_t least_bytes)
{
    if (count_ == kMostArenas)
        return nullptr;
    try {
        const std::size_t size_bytes = std::max(kLeastArena, round_up(least_bytes, kPage) + kPage);
        MemoryFile file = MemoryFile::create("tutti-heap", size_bytes);
        file.map(size_bytes);
        madvise(file.base(), size_bytes, MADV_DONTFORK);
        file.allocate(0, kPage);
        auto& header = *reinterpret_cast<ArenaHeader*>(file.base());
        header.magic = ArenaHeader::kMagic;
        header.nonce = new_nonce();
        const std::uint64_t key = arena_key(header.nonce, file.descriptor());
        arenas_[count_].reset(new Arena{std::move(file), size_bytes, key, {{kPage, size_bytes - kPage}}, {}});
        count_.fetch_add(1, std::memory_order_release);
        return arenas_[count_ - 1].get();
    } catch (const Error&) {
        return nullptr;
    }
}

void SharedHeap::deallocate(void* memory) noexcept
{
    if (memory == nullptr)
        return;
    const auto* data = static_cast<const std::byte*>(memory);
    Arena* const arena = arena_of(data);
    if (arena == nullptr) {
        std::free(memory);
        return;
    }
    if (inherited_)
        return;  // it is a copy of the parent's
    const std::lock_guard held(mutex_);
    const auto used = arena->used.find(static_cast<std::size_t>(data - arena->file.base()));
    if (used == arena->used.end())
        return;  // not the start of an allocation: an error of the caller
    const auto [offset, size] = *used;
    arena->used.erase(used);
    used_bytes_ -= size;
    const std::size_t most = kKeptBytes + used_bytes_ / 4;
    if (size < kKeepFrom || size > most) {
        give_back(*arena, offset, size);
    } else {
        drop_kept_beyond(most - size);
        kept_.push_back({arena, offset, size});
        kept_bytes_ += size;
    }
    promises_.publish(used_bytes_ + kept_bytes_);
}

void SharedHeap::drop_kept_beyond(std::size_t bytes)
{
    while (kept_bytes_ > bytes) {
        const Kept oldest = kept_.front();
        kept_.pop_front();
        kept_bytes_ -= oldest.bytes;
        give_back(*oldest.arena, oldest.offset, oldest.bytes);
    }
}

void SharedHeap::give_back(Arena& arena, std::size_t offset, std::size_t bytes)
{
    if (bytes >= kKeepFrom)
        punch_hole(arena.file, offset, bytes);
    // The free neighbours are merged.
    auto freed = arena.free.emplace(offset, bytes).first;
    if (const auto next = std::next(freed); next != arena.free.end() && offset + bytes == next->first) {
        freed->second += next->second;
        arena.free.erase(next);
    }
    if (freed != arena.free.begin()) {
        const auto previous = std::prev(freed);
        if (previous->first + previous->second == offset) {
            previous->second += freed->second;
            arena.free.erase(freed);
        }
    }
}

// Makes system calls only: a thread of the parent may have held any lock. A child's child has copies.
void SharedHeap::become_child() noexcept
{
    const std::size_t count = count_.load(std::memory_order_acquire);
    if (count == 0 || std::exchange(inherited_, true))
        return;
    for (std::size_t i = 0; i < count; ++i)
        mmap(arenas_[i]->file.base(), arenas_[i]->size_bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, arenas_[i]->file.descriptor(), 0);
}

SharedHeap::Arena* SharedHeap::arena_of(const std::byte* data) const noexcept
{
    const std::size_t count = count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i) {
        const std::byte* const base = arenas_[i]->file.base();
        if (data >= base && data < base + arenas_[i]->size_bytes)
            return arenas_[i].get();
    }
    return nullptr;
}

std::optional<RemoteRegion> SharedHeap::find(const std::byte* data, std::size_t bytes) const noexcept
{
    const auto in_malloc = static_cast<std::size_t>(data - preloaded_.base);
    if (in_malloc < preloaded_.bytes && bytes <= preloaded_.bytes - in_malloc)
        return RemoteRegion{in_malloc, preloaded_.key};
    const Arena* const arena = arena_of(data);
    if (arena == nullptr || data + bytes > arena->file.base() + arena->size_bytes)
        return std::nullopt;
    return RemoteRegion{static_cast<std::uint64_t>(data - arena->file.base()), arena->key};
}

std::span<const std::byte> SharedHeap::at(const RemoteRegion& region, std::size_t bytes) const noexcept
{
    if (region.key == preloaded_.key && region.address <= preloaded_.bytes &&
        bytes <= preloaded_.bytes - region.address)
        return {preloaded_.base + region.address, bytes};
    const std::size_t count = count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i) {
        const Arena& arena = *arenas_[i];
        if (arena.key == region.key && region.address <= arena.size_bytes &&
            bytes <= arena.size_bytes - region.address)
            return {arena.file.base() + region.address, bytes};
    }
    return {};
}

}  // namespace tutti::transport::shm
