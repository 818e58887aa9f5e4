// The kernels of one instruction set, as each compilation of the sources provides them. All functions return
// nullptr for a missing kernel. index_bytes 0: the index has the value's type.
#pragma once

#include "lib/foundation/reduction/kernel.hpp"
#include "tutti/types_and_operators.hpp"

namespace tutti::reduction {

// Only those exist that lib/foundation/reduction/meson.build names for this machine's architecture.
namespace baseline {
Kernel integer_kernel(Op op, DataType type) noexcept;
Kernel floating_kernel(Op op, DataType type) noexcept;
Kernel half_kernel(Op op, DataType type) noexcept;
Kernel location_kernel(Op op, DataType value, std::size_t index_bytes) noexcept;
}  // namespace baseline
namespace avx2 {
Kernel integer_kernel(Op op, DataType type) noexcept;
Kernel floating_kernel(Op op, DataType type) noexcept;
Kernel half_kernel(Op op, DataType type) noexcept;
Kernel location_kernel(Op op, DataType value, std::size_t index_bytes) noexcept;
}  // namespace avx2
namespace avx512 {
Kernel integer_kernel(Op op, DataType type) noexcept;
Kernel floating_kernel(Op op, DataType type) noexcept;
Kernel half_kernel(Op op, DataType type) noexcept;
Kernel location_kernel(Op op, DataType value, std::size_t index_bytes) noexcept;
}  // namespace avx512

}  // namespace tutti::reduction
