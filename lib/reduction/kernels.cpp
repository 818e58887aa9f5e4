#include "lib/reduction/kernels.hpp"

#include <fmt/format.h>

#include <array>

#include "lib/reduction/kernel_table.hpp"
#include "tutti/error.hpp"

namespace tutti::reduction {

namespace {

struct Supported {
    std::array<InstructionSet, 3> sets{InstructionSet::baseline};
    std::size_t count = 1;
    Lookup widest = baseline::lookup;
};

Supported detect() noexcept
{
    Supported found;
#if defined(__x86_64__)
    // These builtins also ask whether the operating system saves the wide registers.
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        found.sets[found.count++] = InstructionSet::avx2;
        found.widest = avx2::lookup;
    }
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
        found.sets[found.count++] = InstructionSet::avx512;
        found.widest = avx512::lookup;
    }
#endif
    return found;
}

const Supported& supported() noexcept
{
    static const Supported found = detect();
    return found;
}

Lookup lookup_of(InstructionSet set) noexcept
{
    switch (set) {
        case InstructionSet::baseline:
            return baseline::lookup;
#if defined(__x86_64__)
        case InstructionSet::avx2:
            return avx2::lookup;
        case InstructionSet::avx512:
            return avx512::lookup;
#else
        case InstructionSet::avx2:
        case InstructionSet::avx512:
            break;
#endif
    }
    return nullptr;
}

Kernel checked(Kernel found, Op op, DataType type)
{
    if (found == nullptr) {
        throw Error(ErrorCode::invalid_argument, "reduction",
                    fmt::format("there is no operator number {} on type number {}; use the values of "
                                "reduction::Op and reduction::DataType",
                                static_cast<int>(op), static_cast<int>(type)));
    }
    return found;
}

}  // namespace

std::string_view to_string(DataType type) noexcept
{
    switch (type) {
        case DataType::boolean:
            return "boolean";
        case DataType::int8:
            return "int8";
        case DataType::int16:
            return "int16";
        case DataType::int32:
            return "int32";
        case DataType::int64:
            return "int64";
        case DataType::uint8:
            return "uint8";
        case DataType::uint16:
            return "uint16";
        case DataType::uint32:
            return "uint32";
        case DataType::uint64:
            return "uint64";
        case DataType::float32:
            return "float32";
        case DataType::float64:
            return "float64";
    }
    return "unknown type";
}

std::string_view to_string(Op op) noexcept
{
    switch (op) {
        case Op::sum:
            return "sum";
        case Op::min:
            return "min";
        case Op::max:
            return "max";
        case Op::prod:
            return "prod";
        case Op::lor:
            return "lor";
    }
    return "unknown operator";
}

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
    return checked(supported().widest(op, type), op, type);
}

Kernel kernel(Op op, DataType type, InstructionSet set)
{
    for (const InstructionSet available : supported_instruction_sets()) {
        if (available == set) {
            return checked(lookup_of(set)(op, type), op, type);
        }
    }
    throw Error(ErrorCode::not_supported, "reduction",
                fmt::format("this CPU or this build has no {}; ask supported_instruction_sets() first",
                            to_string(set)));
}

}  // namespace tutti::reduction
