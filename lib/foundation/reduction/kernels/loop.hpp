// The loop of all kernels.
//
// The sources in this folder are compiled once per instruction set, each time with another namespace in
// TUTTI_INSTRUCTION_SET. Only they may be compiled with wider instructions, and they must not instantiate or
// call inline functions of any header: the linker keeps one copy of those, maybe one that only a newer CPU
// can run. So everything here has internal linkage. Type traits have no code, and always-inlined functions
// leave no copy: both are allowed.
#pragma once

#include <cstddef>

namespace tutti::reduction {
namespace {

// An element in a frame or a user's buffer: at any address, with any declared type.
template <class T>
struct [[gnu::packed, gnu::may_alias]] Element
{
    T value;
};

// dst may equal a or b: every iteration reads and writes only its own index, as simd requires.
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
