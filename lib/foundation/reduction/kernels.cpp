#include "lib/foundation/reduction/kernels.hpp"

#include <fmt/format.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <array>

#include "lib/foundation/reduction/kernel_table.hpp"
#include "tutti/error.hpp"

namespace tutti::reduction {

namespace {

// The kernels of one instruction set, by kind of element.
struct Table {
    Kernel (*integers)(Op, DataType) noexcept;
    Kernel (*floating)(Op, DataType) noexcept;
    Kernel (*halves)(Op, DataType) noexcept;
    Kernel (*locations)(Op, DataType value, std::size_t index_bytes) noexcept;

    Kernel find(Op op, DataType type) const noexcept
    {
        if (!is_defined(op, type))
            return nullptr;
        if (value_type(type) != type)
            return locations(op, value_type(type), has_own_index(type) ? 0 : index_bytes(type));
        if (type <= DataType::uint64)
            return integers(op, type);
        return type <= DataType::bfloat16 ? halves(op, type) : floating(op, type);
    }
};

constexpr Table kBaseline{baseline::integer_kernel, baseline::floating_kernel, baseline::half_kernel,
                          baseline::location_kernel};
#if defined(__x86_64__)
constexpr Table kAvx2{avx2::integer_kernel, avx2::floating_kernel, avx2::half_kernel, avx2::location_kernel};
constexpr Table kAvx512{avx512::integer_kernel, avx512::floating_kernel, avx512::half_kernel,
                        avx512::location_kernel};
#endif

struct Supported {
    std::array<InstructionSet, 3> sets{InstructionSet::baseline};
    std::array<const Table*, 3> tables{&kBaseline};
    std::size_t count = 1;

    void add(InstructionSet set, const Table& table) noexcept
    {
        sets[count] = set;
        tables[count] = &table;
        ++count;
    }
};

#if defined(__x86_64__)
// Not every compiler's __builtin_cpu_supports knows this name.
bool has_f16c() noexcept
{
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}
#endif

Supported detect() noexcept
{
    Supported found;
#if defined(__x86_64__)
    // These builtins also check whether the operating system saves the wide registers.
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c())
        found.add(InstructionSet::avx2, kAvx2);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        found.add(InstructionSet::avx512, kAvx512);
#endif
    return found;
}

const Supported& supported() noexcept
{
    static const Supported found = detect();
    return found;
}

Kernel find(const Table& table, Op op, DataType type)
{
    const Kernel found = table.find(op, type);
    if (found == nullptr) [[unlikely]]
        throw Error(ErrorCode::invalid_argument, "reduction",
                    fmt::format("{} is not defined on {}; docs/guide/reductions.md lists what is defined; a "
                                "tutti::user_op can do anything",
                                to_string(op), to_string(type)));
    return found;
}

// The kernels for the widest instruction set on types that are no pairs; nullptr where there is none.
using PlainKernels = std::array<std::array<Kernel, kValueTypeCount>, kOpCount>;

const PlainKernels& plain_kernels() noexcept
{
    static const PlainKernels all = [] {
        PlainKernels found{};
        for (std::size_t op = 0; op < kOpCount; ++op)
            for (std::size_t type = 0; type < kValueTypeCount; ++type)
                found[op][type] = supported().tables[supported().count - 1]->find(
                    static_cast<Op>(op), static_cast<DataType>(type));
        return found;
    }();
    return all;
}

}  // namespace

std::string_view to_string(InstructionSet set) noexcept
{
    switch (set) {
        case InstructionSet::baseline:
            return "baseline";
        case InstructionSet::avx2:
            return "avx2";
        case InstructionSet::avx512:
            return "avx512";
    }
    return "unknown instruction set";
}

std::span<const InstructionSet> supported_instruction_sets() noexcept
{
    return {supported().sets.data(), supported().count};
}

Kernel kernel(Op op, DataType type)
{
    const auto row = static_cast<std::size_t>(op);
    const auto column = static_cast<std::size_t>(type);
    if (row < kOpCount && column < kValueTypeCount) [[likely]]
        if (const Kernel found = plain_kernels()[row][column]; found != nullptr) [[likely]]
            return found;
    return find(*supported().tables[supported().count - 1], op, type);
}

Kernel kernel(Op op, DataType type, InstructionSet set)
{
    for (std::size_t i = 0; i < supported().count; ++i)
        if (supported().sets[i] == set)
            return find(*supported().tables[i], op, type);
    throw Error(ErrorCode::not_supported, "reduction",
                fmt::format("this CPU or this build has no {}; ask supported_instruction_sets() first",
                            to_string(set)));
}

}  // namespace tutti::reduction
