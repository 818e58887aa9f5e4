// What each compilation of kernel_table.cpp provides: the table of one instruction set.
#pragma once

#include "lib/reduction/kernels.hpp"

namespace tutti::reduction {

/// The kernel, or nullptr for values outside the enumerations.
using Lookup = Kernel (*)(Op op, DataType type) noexcept;

// Only those named in lib/reduction/meson.build for this machine's architecture exist.
namespace baseline {
Kernel lookup(Op op, DataType type) noexcept;
}
namespace avx2 {
Kernel lookup(Op op, DataType type) noexcept;
}
namespace avx512 {
Kernel lookup(Op op, DataType type) noexcept;
}

}  // namespace tutti::reduction
