// Kernels of float, double and long double (which has no vector instructions), and of complex numbers.
#include <cstdint>

#include "lib/foundation/reduction/kernel_table.hpp"
#include "lib/foundation/reduction/kernels/extremes.hpp"
#include "lib/foundation/reduction/kernels/loop.hpp"
#include "lib/foundation/reduction/kernels/real_operators.hpp"

namespace tutti::reduction::TUTTI_INSTRUCTION_SET {

namespace {

struct Land {
    template <class T>
    static T apply(T a, T b) noexcept
    {
        return ((a != 0) & (b != 0)) ? T{1} : T{0};
    }
};

struct Lor {
    template <class T>
    static T apply(T a, T b) noexcept
    {
        return ((a != 0) | (b != 0)) ? T{1} : T{0};
    }
};

struct Lxor {
    template <class T>
    static T apply(T a, T b) noexcept
    {
        return ((a != 0) ^ (b != 0)) ? T{1} : T{0};
    }
};

template <class T>
Kernel real(Op op) noexcept
{
    switch (op) {
        case Op::sum:
            return combine<T, Sum>;
        case Op::prod:
            return combine<T, Prod>;
        case Op::min:
            return combine_extremes<T, Min>;
        case Op::max:
            return combine_extremes<T, Max>;
        case Op::land:
            return combine<T, Land>;
        case Op::lor:
            return combine<T, Lor>;
        case Op::lxor:
            return combine<T, Lxor>;
        default:
            return nullptr;
    }
}

// The layout of std::complex.
template <class T>
struct Complex {
    T real;
    T imaginary;
};

float negative(float value) noexcept
{
    return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, value) ^ 0x80000000u);
}
double negative(double value) noexcept
{
    return __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, value) ^ (std::uint64_t{1} << 63));
}
long double negative(long double value) noexcept
{
    return -value;
}

// The textbook's formula. It does not turn NaN into infinity as C's Annex G wants: that would cost a branch
// for each element. The difference is written as a sum, because g++ 12 would fuse it into vfmaddsub with any
// setting, and only some instruction sets have that.
struct ComplexProd {
    template <class T>
    static Complex<T> apply(Complex<T> a, Complex<T> b) noexcept
    {
        return {a.real * b.real + negative(a.imaginary * b.imaginary),
                a.real * b.imaginary + a.imaginary * b.real};
    }
};

// Complex sums are twice as many real sums.
template <class T>
void complex_sum(void* dst, const void* a, const void* b, std::size_t count)
{
    combine<T, Sum>(dst, a, b, 2 * count);
}

template <class T>
Kernel complex(Op op) noexcept
{
    return op == Op::sum ? complex_sum<T> : op == Op::prod ? combine<Complex<T>, ComplexProd> : nullptr;
}

}  // namespace

Kernel floating_kernel(Op op, DataType type) noexcept
{
    switch (type) {
        case DataType::float32:
            return real<float>(op);
        case DataType::float64:
            return real<double>(op);
        case DataType::long_double:
            return real<long double>(op);
        case DataType::complex64:
            return complex<float>(op);
        case DataType::complex128:
            return complex<double>(op);
        case DataType::complex_long_double:
            return complex<long double>(op);
        default:
            return nullptr;
    }
}

}  // namespace tutti::reduction::TUTTI_INSTRUCTION_SET
