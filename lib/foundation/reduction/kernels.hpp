// Kernels: the loops that combine two arrays element by element, one an operator and type.
//
// They are compiled once per instruction set; the best one that this CPU has is chosen when the process
// starts.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "lib/foundation/reduction/types.hpp"

namespace tutti::reduction {

/// dst[i] = a[i] op b[i] for i < count. Pointers need no alignment; `dst` may be the very address of `a` or
/// `b`, or must not overlap them. With count 0 no pointer is read.
using Kernel = void (*)(void* dst, const void* a, const void* b, std::size_t count);

/// Instruction sets that the kernels exist for, from the plainest to the widest.
enum class InstructionSet { baseline, avx2, avx512 };

std::string_view to_string(InstructionSet set) noexcept;

/// Those that this build has and this CPU runs; baseline is always the first.
std::span<const InstructionSet> supported_instruction_sets() noexcept;

/// The kernel for the widest supported instruction set. Never null; throws tutti::Error (invalid_argument)
/// where the operator is not defined on the type.
Kernel kernel(Op op, DataType type);

/// The kernel for one instruction set, for tests and measurements. Throws tutti::Error (not_supported) where
/// this CPU or build lacks it.
Kernel kernel(Op op, DataType type, InstructionSet set);

}  // namespace tutti::reduction
