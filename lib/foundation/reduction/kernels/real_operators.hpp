// The operators on two floating-point numbers, or two vectors of them. They have no branches, so that they
// become vector instructions. loop.hpp says why everything has internal linkage.
#pragma once

namespace tutti::reduction {
namespace {

// kPicks: the result is always one of the operands, so nothing is rounded.

struct Sum {
    static constexpr bool kPicks = false;
    template <class T>
    static T apply(T a, T b) noexcept
    {
        return a + b;
    }
};

struct Prod {
    static constexpr bool kPicks = false;
    template <class T>
    static T apply(T a, T b) noexcept
    {
        return a * b;
    }
};

// If b is NaN, the comparison fails and b is taken, as the CPU's own min and max do; `a != a` is true only
// for NaN. For long double, which has no such instruction, one selection is faster than two.
struct Min {
    static constexpr bool kPicks = true;
    template <class T>
    static T apply(T a, T b) noexcept
    {
        const T smaller = a < b ? a : b;
        return a != a ? a : smaller;
    }
    static long double apply(long double a, long double b) noexcept { return ((a < b) | (a != a)) ? a : b; }
};

struct Max {
    static constexpr bool kPicks = true;
    template <class T>
    static T apply(T a, T b) noexcept
    {
        const T larger = a > b ? a : b;
        return a != a ? a : larger;
    }
    static long double apply(long double a, long double b) noexcept { return ((a > b) | (a != a)) ? a : b; }
};

}  // namespace
}  // namespace tutti::reduction
