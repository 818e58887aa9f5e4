// What the operators do to two floating-point numbers, or to two vectors of them. Without branches, so that
// they become vector instructions. See loop.hpp for why all has internal linkage.
#pragma once

namespace tutti::reduction {
namespace {

struct Sum {
    template <class T>
    static T apply(T a, T b) noexcept
    {
        return a + b;
    }
};

struct Prod {
    template <class T>
    static T apply(T a, T b) noexcept
    {
        return a * b;
    }
};

// `a != a` is true for a NaN only, and for a NaN in b the comparison fails and b is taken.
struct Min {
    template <class T>
    static T apply(T a, T b) noexcept
    {
        return ((a < b) | (a != a)) ? a : b;
    }
};

struct Max {
    template <class T>
    static T apply(T a, T b) noexcept
    {
        return ((a > b) | (a != a)) ? a : b;
    }
};

}  // namespace
}  // namespace tutti::reduction
