// Which libraries the program itself is linked with, as opposed to those that it loads while it runs.
#pragma once

namespace tutti::heap {

/// True for what lies in the executable, in a library that it names (DT_NEEDED), in one that these name, and
/// so on. False for what was loaded by dlopen() or preloaded only. While a library's constructors run: the
/// list of libraries must not change.
bool is_linked_with_program(const void* address) noexcept;

}  // namespace tutti::heap
