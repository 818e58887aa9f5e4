#include "lib/mpi/collective/wide_numbers.hpp"

#include <algorithm>
#include <cfloat>
#include <cstddef>
#include <cstring>

#include "tutti/half.hpp"

namespace tutti::mpi {

namespace {

__extension__ using Integer16 = __int128;
#if LDBL_MANT_DIG == 113
using Real16 = long double;
#else
__extension__ using Real16 = __float128;
#endif

template <class Part, class Computed>
struct WideComplex {
    Part real;
    Part imaginary;

    friend WideComplex operator+(const WideComplex& a, const WideComplex& b)
    {
        return made(Computed(a.real) + Computed(b.real), Computed(a.imaginary) + Computed(b.imaginary));
    }
    friend WideComplex operator*(const WideComplex& a, const WideComplex& b)
    {
        const Computed a_real(a.real);
        const Computed a_imaginary(a.imaginary);
        const Computed b_real(b.real);
        const Computed b_imaginary(b.imaginary);
        return made(a_real * b_real - a_imaginary * b_imaginary, a_real * b_imaginary + a_imaginary * b_real);
    }
    static WideComplex made(Computed real, Computed imaginary)
    {
        return {static_cast<Part>(real), static_cast<Part>(imaginary)};
    }
};
using Complex4 = WideComplex<float16, float>;
using Complex32 = WideComplex<Real16, Real16>;

/// dst[i] = combine(a[i], b[i]). Pointers need no alignment, and dst may be a or b.
template <class T, auto kCombine>
void loop(void* dst, const void* a, const void* b, std::size_t count)
{
    for (std::size_t offset = 0; offset != count * sizeof(T); offset += sizeof(T)) {
        T left;
        T right;
        std::memcpy(&left, static_cast<const std::byte*>(a) + offset, sizeof(T));
        std::memcpy(&right, static_cast<const std::byte*>(b) + offset, sizeof(T));
        const T result = kCombine(left, right);
        std::memcpy(static_cast<std::byte*>(dst) + offset, &result, sizeof(T));
    }
}

template <class T>
WideKernel sum_or_product(Op op) noexcept
{
    return op == Op::sum    ? &loop<T, [](const T& a, const T& b) { return a + b; }>
           : op == Op::prod ? &loop<T, [](const T& a, const T& b) { return a * b; }>
                            : nullptr;
}

template <class T>
WideKernel ordered(Op op) noexcept
{
    return op == Op::max   ? &loop<T, [](const T& a, const T& b) { return std::max(a, b); }>
           : op == Op::min ? &loop<T, [](const T& a, const T& b) { return std::min(a, b); }>
                           : sum_or_product<T>(op);
}

WideKernel of_integers(Op op) noexcept
{
    using T = Integer16;
    switch (op) {
        case Op::land:
            return &loop<T, [](const T& a, const T& b) { return T{a != 0 && b != 0}; }>;
        case Op::lor:
            return &loop<T, [](const T& a, const T& b) { return T{a != 0 || b != 0}; }>;
        case Op::lxor:
            return &loop<T, [](const T& a, const T& b) { return T{(a != 0) != (b != 0)}; }>;
        case Op::band:
            return &loop<T, [](const T& a, const T& b) { return a & b; }>;
        case Op::bor:
            return &loop<T, [](const T& a, const T& b) { return a | b; }>;
        case Op::bxor:
            return &loop<T, [](const T& a, const T& b) { return a ^ b; }>;
        default:
            return ordered<T>(op);
    }
}

}  // namespace

WideKernel wide_kernel(Op op, MPI_Datatype datatype) noexcept
{
    if (datatype == MPI_INTEGER16 || datatype == MPI_LOGICAL16)
        return of_integers(op);
    if (datatype == MPI_REAL16)
        return ordered<Real16>(op);
    if (datatype == MPI_COMPLEX32)
        return sum_or_product<Complex32>(op);
    if (datatype == MPI_COMPLEX4)
        return sum_or_product<Complex4>(op);
    return nullptr;
}

}  // namespace tutti::mpi
