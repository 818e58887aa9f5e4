// Names of functions in a program's own table of symbols, which dladdr() does not read.
#pragma once

#include <cstdint>
#include <string_view>

namespace tutti::profile {

/// The mangled name of the function at this address of the file; "" where it is not known. Reads the file at
/// its first question. Under the engine's lock. Valid while the process lives.
std::string_view name_at(const char* file, std::uintptr_t address) noexcept;

}  // namespace tutti::profile
