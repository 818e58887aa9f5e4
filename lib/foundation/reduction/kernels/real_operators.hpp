// What the operators do to two floating-point numbers, or to two vectors of them. Without branches, so that
// they become vector instructions. See loop.hpp for why all has internal linkage.
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

// For a NaN in b the comparison fails and b is taken, which is what the CPU's own min and max do; `a != a` is
// true for a NaN only. Of long doubles, which the CPU has no such instruction for, one selection is quicker
// than two.
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
