// What libtutti asks the preloaded heap, in C: neither library depends on the other.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/// The heap's memory: the first `bytes` of a memory file that is mapped at `base`. Its first page belongs to
/// the one who opened the heap. `descriptor` is open until the process ends, unless the program closes it.
struct TuttiHeapSegment {
    void* base;
    std::size_t bytes;
    int descriptor;
};

/// Starts the heap at the first call; before, all memory is the C library's. All calls give one answer:
/// nullptr where the heap stays off, as with TUTTI_HEAP=off, and without TUTTI_HEAP=on where the first
/// caller's library is not linked with the program. No such function where the heap is not preloaded. Any
/// thread.
[[gnu::weak]] const TuttiHeapSegment* tutti_heap_open() noexcept;

/// How the heap learns how many bytes of memory are left, before it copies itself for a child. nullptr: no
/// longer.
[[gnu::weak]] void tutti_heap_ask_for_room(std::uint64_t (*room)() noexcept) noexcept;

/// From now on asks `keeps` before any block is given back, the heap's or the C library's: if it answers
/// true, the program has freed the block, and it stays as it is for ever. `keeps` may allocate, and free what
/// it has allocated. At most once.
[[gnu::weak]] void tutti_heap_watch_frees(bool (*keeps)(const void* data,
                                                        std::size_t bytes) noexcept) noexcept;
}
