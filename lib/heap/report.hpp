// What the heap says: before it ends a program that has misused its memory, and where memory is short.
#pragma once

#include <cstdint>

namespace tutti::heap {

/// `call` ("free") was given `data`, which is no block in use.
[[noreturn, gnu::cold]] void stop_for_pointer(const char* call, const void* data, bool was_freed) noexcept;

/// Something has written before, behind or into the freed block with this `data`.
[[noreturn, gnu::cold]] void stop_for_damage(const void* data) noexcept;

/// For a process whose child goes on: there was no memory for its copy of `wanted` bytes, `left` are left.
[[gnu::cold]] void say_lent(std::uint64_t wanted, std::uint64_t left) noexcept;

}  // namespace tutti::heap
