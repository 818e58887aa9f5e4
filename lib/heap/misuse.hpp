// What the heap says before it ends a program that has misused its memory.
#pragma once

namespace tutti::heap {

/// `call` ("free") was given `data`, which is no block in use.
[[noreturn, gnu::cold]] void stop_for_pointer(const char* call, const void* data, bool was_freed) noexcept;

/// Something has written before, behind or into the freed block with this `data`.
[[noreturn, gnu::cold]] void stop_for_damage(const void* data) noexcept;

}  // namespace tutti::heap
