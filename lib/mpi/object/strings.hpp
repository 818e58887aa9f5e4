// Strings that a program's buffer takes.
#pragma once

#include <string_view>

namespace tutti::mpi {

/// Copies `from` with a zero to `to`, which holds `capacity` characters: as much of it as fits. Throws
/// Failure for a null pointer.
void copy_out(std::string_view from, char* to, int* length, std::size_t capacity);

}  // namespace tutti::mpi
