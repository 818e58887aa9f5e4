// fork() with a heap in shared memory: the child gets a copy, as of its other memory.
//
// The system does not hand shared memory on to the child (MADV_DONTFORK). Before the fork, the parent copies
// what the heap holds into ordinary memory; the child puts it at the heap's addresses. So each sees its own
// writes only. A child that calls the system's clone() past the C library has no heap: it may only call exec.
#pragma once

namespace tutti::heap {

/// Registers what surrounds a fork. As early as can be: others' functions for the child may use memory of the
/// heap.
void watch_forks() noexcept;

/// Notes which file the segment's descriptor is. False when the system does not say.
bool remember_file() noexcept;

}  // namespace tutti::heap
