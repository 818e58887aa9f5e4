// Large reductions, shared among the threads of the process's team (team.hpp) if it has one.
#pragma once

#include <cstddef>

#include "lib/foundation/reduction/kernels.hpp"

namespace tutti::reduction {

/// Operands of at least this size are reduced by the team.
inline constexpr std::size_t kSharedBytes = 4u << 20;

/// dst = a op b, with the same bits as from one thread. The kernel may run on several threads at once.
void reduce_shared(Kernel kernel, void* dst, const void* a, const void* b, std::size_t count,
                   std::size_t element_bytes);

}  // namespace tutti::reduction
