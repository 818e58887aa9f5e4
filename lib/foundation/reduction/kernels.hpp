// Kernels: the loops that combine two arrays element by element, one for each operator and type.
//
// They are compiled once per instruction set; the process chooses the best one for its CPU at its start.
#pragma once

#include <span>
#include <string_view>

#include "lib/foundation/reduction/kernel.hpp"
#include "lib/foundation/reduction/types.hpp"

namespace tutti::reduction {

/// The instruction sets of the kernels, from the simplest to the widest.
enum class InstructionSet { baseline, avx2, avx512 };

std::string_view to_string(InstructionSet set) noexcept;

/// The ones that this build has and this CPU can run; baseline is always the first.
std::span<const InstructionSet> supported_instruction_sets() noexcept;

/// The kernel for the widest supported instruction set. Never null; throws tutti::Error (invalid_argument)
/// when the operator is not defined on the type.
Kernel kernel(Op op, DataType type);

/// The kernel for one instruction set, for tests and measurements. Throws tutti::Error (not_supported) when
/// this CPU or build lacks it.
Kernel kernel(Op op, DataType type, InstructionSet set);

}  // namespace tutti::reduction
