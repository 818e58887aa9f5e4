// Kernels of bool and the integers. Signed and unsigned types share the unsigned kernel if the results are
// equal. Bool, whose bytes are 0 and 1, uses the bitwise kernels of bytes.
#include <cstdint>
#include <type_traits>

#include "lib/foundation/reduction/kernel_table.hpp"
#include "lib/foundation/reduction/kernels/loop.hpp"

namespace tutti::reduction::TUTTI_INSTRUCTION_SET {

namespace {

// Overflow wraps, as T is unsigned. The computation is at least as wide as unsigned, so nothing is promoted
// to a signed type (uint16 * uint16 would overflow int).
template <class T>
using Wide = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, T>;

struct Sum {
    template <class T>
    static T apply(T a, T b) noexcept
    {
        return static_cast<T>(Wide<T>{a} + Wide<T>{b});
    }
};

struct Prod {
    template <class T>
    static T apply(T a, T b) noexcept
    {
        return static_cast<T>(Wide<T>{a} * Wide<T>{b});
    }
};

struct Min {
    template <class T>
    static T apply(T a, T b) noexcept
    {
        return a < b ? a : b;
    }
};

struct Max {
    template <class T>
    static T apply(T a, T b) noexcept
    {
        return a > b ? a : b;
    }
};

struct Land {
    template <class T>
    static T apply(T a, T b) noexcept
    {
        return static_cast<T>((a != 0) & (b != 0));
    }
};

struct Lor {
    template <class T>
    static T apply(T a, T b) noexcept
    {
        return static_cast<T>((a | b) != 0);
    }
};

struct Lxor {
    template <class T>
    static T apply(T a, T b) noexcept
    {
        return static_cast<T>((a != 0) ^ (b != 0));
    }
};

struct Band {
    template <class T>
    static T apply(T a, T b) noexcept
    {
        return static_cast<T>(a & b);
    }
};

struct Bor {
    template <class T>
    static T apply(T a, T b) noexcept
    {
        return static_cast<T>(a | b);
    }
};

struct Bxor {
    template <class T>
    static T apply(T a, T b) noexcept
    {
        return static_cast<T>(a ^ b);
    }
};

// Products of two bytes in a word of 16 bits: no vector must be widened and narrowed.
struct ProdOfBytes {
    static std::uint16_t apply(std::uint16_t a, std::uint16_t b) noexcept
    {
        const unsigned low = unsigned{a} * b & 0xffu;
        const unsigned high = unsigned{a} / 256 * (b & 0xff00u) & 0xff00u;
        return static_cast<std::uint16_t>(low | high);
    }
};

template <class T>
void multiply(void* dst, const void* a, const void* b, std::size_t count)
{
    if constexpr (sizeof(T) == 1) {
        combine<std::uint16_t, ProdOfBytes>(dst, a, b, count / 2);
        const std::size_t done = count / 2 * 2;
        combine<T, Prod>(static_cast<std::byte*>(dst) + done, static_cast<const std::byte*>(a) + done,
                         static_cast<const std::byte*>(b) + done, count % 2);
    } else {
        combine<T, Prod>(dst, a, b, count);
    }
}

template <class T>
Kernel integer(Op op) noexcept
{
    using Unsigned = std::make_unsigned_t<T>;
    switch (op) {
        case Op::sum:
            return combine<Unsigned, Sum>;
        case Op::prod:
            return multiply<Unsigned>;
        case Op::min:
            return combine<T, Min>;
        case Op::max:
            return combine<T, Max>;
        case Op::land:
            return combine<Unsigned, Land>;
        case Op::lor:
            return combine<Unsigned, Lor>;
        case Op::lxor:
            return combine<Unsigned, Lxor>;
        case Op::band:
            return combine<Unsigned, Band>;
        case Op::bor:
            return combine<Unsigned, Bor>;
        case Op::bxor:
            return combine<Unsigned, Bxor>;
        case Op::minloc:
        case Op::maxloc:
            break;
    }
    return nullptr;
}

Kernel boolean(Op op) noexcept
{
    switch (op) {
        case Op::prod:
        case Op::min:
        case Op::land:
        case Op::band:
            return combine<std::uint8_t, Band>;
        case Op::sum:
        case Op::max:
        case Op::lor:
        case Op::bor:
            return combine<std::uint8_t, Bor>;
        case Op::lxor:
        case Op::bxor:
            return combine<std::uint8_t, Bxor>;
        case Op::minloc:
        case Op::maxloc:
            break;
    }
    return nullptr;
}

}  // namespace

Kernel integer_kernel(Op op, DataType type) noexcept
{
    switch (type) {
        case DataType::boolean:
            return boolean(op);
        case DataType::int8:
            return integer<std::int8_t>(op);
        case DataType::int16:
            return integer<std::int16_t>(op);
        case DataType::int32:
            return integer<std::int32_t>(op);
        case DataType::int64:
            return integer<std::int64_t>(op);
        case DataType::uint8:
            return integer<std::uint8_t>(op);
        case DataType::uint16:
            return integer<std::uint16_t>(op);
        case DataType::uint32:
            return integer<std::uint32_t>(op);
        case DataType::uint64:
            return integer<std::uint64_t>(op);
        default:
            return nullptr;
    }
}

}  // namespace tutti::reduction::TUTTI_INSTRUCTION_SET
