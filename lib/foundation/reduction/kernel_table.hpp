// What each compilation of the kernels' sources provides: the kernels of one instruction set. All functions
// return nullptr where there is none.
#pragma once

#include "lib/foundation/reduction/kernels.hpp"

namespace tutti::reduction {

// Only those named in lib/foundation/reduction/meson.build for this machine's architecture exist.
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
