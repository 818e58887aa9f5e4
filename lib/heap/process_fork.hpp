// Children of a process with a heap in shared memory: each has a copy, as of its other memory.
//
// The system does not hand shared memory on to children (MADV_DONTFORK). Before a fork, the parent copies
// what the heap holds into ordinary memory; the child puts it at the heap's addresses. So each sees its own
// writes only.
//
// Where there is no memory for a copy, the child is lent the parent's pages: it reads them, and what it
// writes is its own. So that nothing changes below a child that only starts a program, the parent waits until
// it has done so, or has ended, for a second at most. If the child goes on, it may see what its parent
// writes; a sentence on standard error says so.
//
// A child's heap only shrinks: new memory is the C library's, and freed blocks give their pages back.
//
// A child that a program makes by clone() in machine code of its own has no heap: it may not use its memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/heap/heap_blocks.hpp"

namespace tutti::heap {

/// Registers the functions around fork(). As early as can be: those of others for the child may use memory of
/// the heap.
void watch_forks() noexcept;

/// Calls around the making of a child by other means than fork(), in the same thread.
enum class Child {
    copies,  // as fork()'s
    borrows  // it is lent the pages at once, as it will only start a program, and nothing is said
};
void before_child(Child kind) noexcept;
void in_parent() noexcept;
void in_child() noexcept;

/// Notes the file of the segment's descriptor. False when the system does not say.
bool remember_file() noexcept;

/// What free() does in a child.
void release_in_child(Block* block) noexcept;

/// Whether this is a child that was lent its parent's pages.
bool is_lent() noexcept;
/// Makes these pages read as zero in such a child. 0, or -1 and errno.
int clear_lent_pages(void* from, std::size_t bytes) noexcept;

/// How the heap learns how many bytes of memory are left. Without it all children have copies.
void ask_for_room(std::uint64_t (*room)() noexcept) noexcept;

}  // namespace tutti::heap
