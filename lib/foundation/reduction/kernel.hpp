// Kernel: a loop that combines two arrays. The kernels' sources include this and little else: each is compiled once an
// instruction set.
#pragma once

#include <cstddef>

namespace tutti::reduction {

/// dst[i] = a[i] op b[i] for i < count. Pointers need no alignment. `dst` may equal `a` or `b`, but must not
/// overlap them otherwise. With count 0 no pointer is read.
using Kernel = void (*)(void* dst, const void* a, const void* b, std::size_t count);

}  // namespace tutti::reduction
