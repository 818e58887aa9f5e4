// A reduction of two arrays of this rank, without communication.
#pragma once

#include <cstddef>

#include "tutti/data_type.hpp"
#include "tutti/reduction.hpp"

namespace tutti {

namespace detail {

void reduce_local(const ConstElements& in, const Elements& inout, const Operator& op);

}  // namespace detail

/// inout = in op inout, element by element, on the calling thread, for trivially copyable objects or
/// contiguous ranges, the same or without overlap. Needs no Environment. Throws ErrorCode::invalid_argument
/// for sizes that differ, buffers that overlap, and an Op that is not defined on the elements.
template <class I, class D, ReductionOperator F>
void reduce_local(const I& in, D&& inout, const F& op)
{
    const detail::ReducedBuffers buffers = detail::reduced(in, inout);
    static_assert(!LaidOut<I> && !LaidOut<D>, "tutti: reduce_local takes no layouts");
    detail::reduce_local(buffers.in, buffers.out, detail::operator_of<detail::ReducedElementT<D>>(op));
}

/// reduce_local() of `count` elements whose type is known only at run time.
inline void reduce_local(const void* in, void* inout, std::size_t count, DataType type, Op op)
{
    const std::size_t element_bytes = size_bytes(type);
    detail::reduce_local({static_cast<const std::byte*>(in), count, element_bytes},
                         {static_cast<std::byte*>(inout), count, element_bytes}, {op, type, {}});
}

}  // namespace tutti
