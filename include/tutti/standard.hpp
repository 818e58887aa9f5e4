// The language that the headers are written in. Each of them includes this one, by itself or by another,
// before its first declaration.
#pragma once

#if __cplusplus < 202002L
// No file has this name. Where it is missing the compiler ends, with this one error: behind #error it would
// go on, and find a thousand more.
#include "Tutti's headers are C++20. Compile with -std=c++20"
#endif
