// The loop that all kernels are.
//
// The sources in this folder are compiled once per instruction set, each time with TUTTI_INSTRUCTION_SET
// naming the namespace. Only they may be compiled with wider instructions, and they must not instantiate or
// call inline functions of any header: the linker keeps one copy of those, and could keep one that only a
// newer CPU can run. So all that is here has internal linkage. Type traits are free of code, and functions
// that are always inlined leave no copy: both may be used.
#pragma once

#include <cstddef>

namespace tutti::reduction {
namespace {

// An element as it lies in a frame or a user's buffer: at any address, of whatever type the user declared.
template <class T>
struct [[gnu::packed, gnu::may_alias]] Element
{
    T value;
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
    for (std::size_t i = 0; i < count; ++i)
        out[i].value = Operator::apply(left[i].value, right[i].value);
}

}  // namespace
}  // namespace tutti::reduction
