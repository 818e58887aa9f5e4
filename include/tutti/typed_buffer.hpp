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

/// `count` elements of `type` at `data`, which any call of Tutti takes as a buffer. Made by typed().
template <class Pointer>
struct TypedBuffer {
    Pointer data;  // void*, or const void* for what is only read
    std::size_t count;
    DataType type;
};

// Const results: then the calls that want a buffer with a name, since they use it after they return, take it
// as well. This one is never in use itself.

/// A buffer for libraries that know types as values. Calls in all forms only borrow the memory: it must live
/// until a request is complete, the TypedBuffer need not. Throws ErrorCode::invalid_argument for a type
/// outside the enumeration. Built-in operators go with it, most often an Op chosen at run time; what an
/// operator is not defined on, and two buffers of different types, throw likewise, before anything is sent.
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

/// Throws ErrorCode::invalid_argument unless both have one type, where that is known only now.
template <class In, class Out>
void check_same_type(const In& in, const Out& out)
{
    if constexpr (Typed<In> && Typed<Out>)
        if (in.type != out.type) [[unlikely]]
            refuse_types(in.type, out.type);
}

}  // namespace detail
}  // namespace tutti
