// Functions of programs in the old C++ bindings take references to objects in place of handles. The library
// for these bindings has a function that calls them.
#pragma once

namespace tutti::mpi::facade {

/// For the function of an operator or an error handler. Any thread.
void remember_cxx_caller(void (*function)(), void (*caller)());
/// nullptr for functions that are none of C++. Any thread.
auto cxx_caller(void (*function)()) -> void (*)();

}  // namespace tutti::mpi::facade
