// Buffers whose element type is known only at run time: a pointer, a count and a DataType.
#pragma once

#include <cstddef>
#include <type_traits>

#include "tutti/data_type.hpp"

namespace tutti {

namespace detail {
[[noreturn]] void refuse_type(DataType type);
[[noreturn]] void refuse_types(DataType in, DataType out);
}  // namespace detail

/// `count` elements of `type` at `data`, a buffer for any call of Tutti. Made by typed().
template <class Pointer>
struct TypedBuffer {
    Pointer data;       // void*, or const void* for input only
    std::size_t count;  // of elements
    DataType type;      // of each
};

// typed() returns const values: calls that borrow a buffer and reject temporaries then accept them. Only the
// memory is in use after the call.

/// A buffer for libraries that know types as values. All calls borrow only the memory, which must live until
/// a request is complete; the TypedBuffer need not. Throws ErrorCode::invalid_argument for a type outside the
/// enumeration. Built-in operators work with it, mostly an Op chosen at run time. An operator that is not
/// defined on the type, and two buffers of different types, throw the same error before anything is sent.
///
///     world.allreduce(tutti::typed(in, count, type), tutti::typed(out, count, type), op);
///     world.allreduce(tutti::typed(data, count, type), op);   // in place
///     tutti::Request sent = world.isend(tutti::typed(data, count, type), 1);
inline const TypedBuffer<void*> typed(void* data, std::size_t count, DataType type)
{
    if (size_bytes(type) == 0) [[unlikely]]
        detail::refuse_type(type);
    return {data, count, type};
}
inline const TypedBuffer<const void*> typed(const void* data, std::size_t count, DataType type)
{
    if (size_bytes(type) == 0) [[unlikely]]
        detail::refuse_type(type);
    return {data, count, type};
}

namespace detail {

template <class>
inline constexpr bool kIsTyped = false;
template <class Pointer>
inline constexpr bool kIsTyped<TypedBuffer<Pointer>> = true;
template <class T>
concept Typed = kIsTyped<std::remove_cvref_t<T>>;

/// Stands for the element type of a TypedBuffer.
struct TypedElement {};

/// Throws ErrorCode::invalid_argument unless both have one type, if it is known only at run time.
template <class In, class Out>
void check_same_type(const In& in, const Out& out)
{
    if constexpr (Typed<In> && Typed<Out>)
        if (in.type != out.type) [[unlikely]]
            refuse_types(in.type, out.type);
}

}  // namespace detail
}  // namespace tutti
