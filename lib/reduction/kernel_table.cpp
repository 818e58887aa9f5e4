// Compiled once per instruction set, each time with TUTTI_INSTRUCTION_SET naming the namespace.
//
// Only this file may be compiled with wider instructions, and it must not instantiate or call inline
// functions of any header: the linker keeps one copy of those, and could keep one that only a newer CPU can
// run. For the same reason everything here has internal linkage but lookup(). Type traits are free of code
// and may be used.
#include "lib/reduction/kernel_table.hpp"

#include <cstdint>
#include <type_traits>

namespace tutti::reduction::TUTTI_INSTRUCTION_SET {

namespace {

// An element as it lies in a frame or a user's buffer: at any address, of whatever type the user declared.
template <class T>
struct [[gnu::packed, gnu::may_alias]] Element
{
    T value;
};

// Where integers are computed: unsigned, so that overflow wraps, and no narrower than unsigned int, so that
// nothing is promoted to a signed type on the way (uint16 * uint16 would overflow int).
template <class T>
struct Arithmetic {
    using type =
        std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, typename std::make_unsigned<T>::type>;
};
template <>
struct Arithmetic<float> {
    using type = float;
};
template <>
struct Arithmetic<double> {
    using type = double;
};

struct Sum {
    template <class T>
    static T apply(T a, T b) noexcept
    {
        using Wide = typename Arithmetic<T>::type;
        return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b));
    }
    static bool apply(bool a, bool b) noexcept { return a | b; }
};

struct Prod {
    template <class T>
    static T apply(T a, T b) noexcept
    {
        using Wide = typename Arithmetic<T>::type;
        return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
    }
    static bool apply(bool a, bool b) noexcept { return a & b; }
};

// `a != a` is true for a NaN only, and for a NaN in b the comparison fails and b is taken.
struct Min {
    template <class T>
    static T apply(T a, T b) noexcept
    {
        return (a < b || a != a) ? a : b;
    }
    static bool apply(bool a, bool b) noexcept { return a & b; }
};

struct Max {
    template <class T>
    static T apply(T a, T b) noexcept
    {
        return (a > b || a != a) ? a : b;
    }
    static bool apply(bool a, bool b) noexcept { return a | b; }
};

struct Lor {
    template <class T>
    static T apply(T a, T b) noexcept
    {
        return static_cast<T>((a != T{0}) | (b != T{0}));
    }
    static bool apply(bool a, bool b) noexcept { return a | b; }
};

// dst may be a or b itself: every iteration reads and writes its own index only, which is all that simd
// needs.
template <class T, class Operator>
void combine(void* dst, const void* a, const void* b, std::size_t count)
{
    Element<T>* const out = static_cast<Element<T>*>(dst);
    const Element<T>* const left = static_cast<const Element<T>*>(a);
    const Element<T>* const right = static_cast<const Element<T>*>(b);
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) {
        out[i].value = Operator::apply(left[i].value, right[i].value);
    }
}

template <class T>
Kernel lookup_op(Op op) noexcept
{
    switch (op) {
        case Op::sum:
            return combine<T, Sum>;
        case Op::min:
            return combine<T, Min>;
        case Op::max:
            return combine<T, Max>;
        case Op::prod:
            return combine<T, Prod>;
        case Op::lor:
            return combine<T, Lor>;
    }
    return nullptr;
}

}  // namespace

Kernel lookup(Op op, DataType type) noexcept
{
    switch (type) {
        case DataType::boolean:
            return lookup_op<bool>(op);
        case DataType::int8:
            return lookup_op<std::int8_t>(op);
        case DataType::int16:
            return lookup_op<std::int16_t>(op);
        case DataType::int32:
            return lookup_op<std::int32_t>(op);
        case DataType::int64:
            return lookup_op<std::int64_t>(op);
        case DataType::uint8:
            return lookup_op<std::uint8_t>(op);
        case DataType::uint16:
            return lookup_op<std::uint16_t>(op);
        case DataType::uint32:
            return lookup_op<std::uint32_t>(op);
        case DataType::uint64:
            return lookup_op<std::uint64_t>(op);
        case DataType::float32:
            return lookup_op<float>(op);
        case DataType::float64:
            return lookup_op<double>(op);
    }
    return nullptr;
}

}  // namespace tutti::reduction::TUTTI_INSTRUCTION_SET
