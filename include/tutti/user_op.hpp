// Users' own reduction operators, on elements of any trivially copyable type.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <functional>
#include <type_traits>
#include <utility>

#include "tutti/refused.hpp"

namespace tutti {

/// Whether op(a, b) always equals op(b, a). Every user's operator says so, because many algorithms, and most
/// of the fast ones, exchange operands. With non_commutative, operands of lower ranks stay on the left.
enum class Commutativity : bool { non_commutative, commutative };
inline constexpr Commutativity commutative = Commutativity::commutative;
inline constexpr Commutativity non_commutative = Commutativity::non_commutative;

/// Made by user_op().
template <class F>
struct UserOp {
    F function;                   // of two elements
    Commutativity commutativity;  // as its maker says
};

/// Makes an operator of `function`: a const callable of two elements (`const T&`) that returns the combined
/// T. It must be associative, give the same result at all ranks, and not call Tutti; an exception that leaves
/// it ends the process. Another thread than the one that started the reduction may call it. Function objects
/// with state are kept until the operation ends; objects that they refer to must live as long.
///
///     world.allreduce(boxes, tutti::user_op([](const Box& a, const Box& b) { return hull(a, b); },
///                                           tutti::commutative));
template <class F>
UserOp<std::decay_t<F>> user_op(F&& function, Commutativity commutativity)
{
    return {std::forward<F>(function), commutativity};
}

// Refused in words.
template <class F>
UserOp<std::decay_t<F>> user_op(F&& function)
{
    static_assert(detail::always_false<F>,
                  "tutti: an operator says whether its operands may change places: tutti::user_op(function, "
                  "tutti::commutative), or tutti::non_commutative");
    return {std::forward<F>(function), non_commutative};
}

namespace detail {

template <class O>
inline constexpr bool kIsUserOp = false;
template <class F>
inline constexpr bool kIsUserOp<UserOp<F>> = true;

/// A loop dst[i] = a[i] op b[i]: no alignment; dst may be a or b. One function is set for a user's operator,
/// none otherwise.
struct UserKernel {
    void (*plain)(void* dst, const void* a, const void* b, std::size_t count) = nullptr;
    void (*with_context)(const void* context, void* dst, const void* a, const void* b,
                         std::size_t count) = nullptr;
    const void* context = nullptr;
    bool commutative = true;
};

/// Whether the function object has state, so that it must live as long as the operation.
template <class O>
inline constexpr bool kHasState = false;
template <class F>
inline constexpr bool kHasState<UserOp<F>> = !(std::is_empty_v<F> && std::is_default_constructible_v<F>);

// Uses copies: parts of messages lie at any address, and dst may be an operand.
template <class T, class F>
void combine_each(const F& function, void* dst, const void* a, const void* b, std::size_t count) noexcept
{
    std::byte* out = static_cast<std::byte*>(dst);
    const std::byte* left = static_cast<const std::byte*>(a);
    const std::byte* right = static_cast<const std::byte*>(b);
    for (std::size_t offset = 0; offset != count * sizeof(T); offset += sizeof(T)) {
        std::array<std::byte, sizeof(T)> bytes;
        std::memcpy(bytes.data(), left + offset, sizeof(T));
        const T first = std::bit_cast<T>(bytes);
        std::memcpy(bytes.data(), right + offset, sizeof(T));
        const T second = std::bit_cast<T>(bytes);
        const T result = std::invoke(function, first, second);
        std::memcpy(out + offset, &result, sizeof(T));
    }
}

/// Refers to `op` if it has state.
template <class T, class F>
UserKernel user_kernel(const UserOp<F>& op) noexcept
{
    static_assert(std::is_invocable_r_v<T, const F&, const T&, const T&>,
                  "tutti: a user_op is called with two elements (const T&) and returns one; it must not be "
                  "mutable");
    UserKernel kernel;
    kernel.commutative = op.commutativity == Commutativity::commutative;
    if constexpr (kHasState<UserOp<F>>) {
        kernel.context = &op.function;
        kernel.with_context = [](const void* context, void* dst, const void* a, const void* b,
                                 std::size_t count) {
            combine_each<T>(*static_cast<const F*>(context), dst, a, b, count);
        };
    } else {
        kernel.plain = [](void* dst, const void* a, const void* b, std::size_t count) {
            combine_each<T>(F{}, dst, a, b, count);
        };
    }
    return kernel;
}

}  // namespace detail
}  // namespace tutti
