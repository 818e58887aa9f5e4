// Reduction operators: the built-in ones, and users' own.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <type_traits>

#include "tutti/buffer.hpp"
#include "tutti/data_type.hpp"
#include "tutti/types_and_operators.hpp"
#include "tutti/user_op.hpp"

namespace tutti {

/// An operator known at compile time, checked against the elements. Converts to Op.
template <Op kOp>
struct BuiltIn {
    /// The operator, for calls that learn it at run time.
    constexpr operator Op() const noexcept { return kOp; }
};

/// The operators, for calls that know theirs at compile time: docs/guide/reductions.md says what each gives.
inline constexpr BuiltIn<Op::sum> sum;
inline constexpr BuiltIn<Op::min> min;
inline constexpr BuiltIn<Op::max> max;
inline constexpr BuiltIn<Op::prod> prod;
inline constexpr BuiltIn<Op::land> land;
inline constexpr BuiltIn<Op::lor> lor;
inline constexpr BuiltIn<Op::lxor> lxor;
inline constexpr BuiltIn<Op::band> band;
inline constexpr BuiltIn<Op::bor> bor;
inline constexpr BuiltIn<Op::bxor> bxor;
inline constexpr BuiltIn<Op::minloc> minloc;
inline constexpr BuiltIn<Op::maxloc> maxloc;

namespace detail {

template <class O>
inline constexpr bool kIsBuiltIn = false;
template <Op kOp>
inline constexpr bool kIsBuiltIn<BuiltIn<kOp>> = true;

// std::plus<>, a lambda, a function: what a reader takes for an operator.
template <class O>
concept PlainFunction = !kIsBuiltIn<O> && !kIsUserOp<O> &&
                        (std::is_function_v<std::remove_pointer_t<O>> ||
                         (std::is_class_v<O> && (std::is_empty_v<O> || requires { &O::operator(); })));

// "sum"
template <class O>
inline constexpr bool kIsLiteral = std::is_convertible_v<const O&, const char*>;

}  // namespace detail

/// The operator argument of a reduction: tutti::sum and the like, an Op chosen at run time, or a user_op.
/// Other functions, and names, fit here as well, and are then refused in words.
template <class O>
concept ReductionOperator = std::same_as<O, Op> || detail::kIsBuiltIn<O> || detail::kIsUserOp<O> ||
    detail::PlainFunction<O> || detail::kIsLiteral<O>;

namespace detail {

/// An operator and its elements, as the templates pass them to the core: a user's kernel, or `op` on `type`.
/// Refers to a user's function object, which must live until the operation ends.
struct Operator {
    Op op = Op::sum;
    DataType type = DataType::boolean;
    UserKernel user;
};

template <Op kOp, class T>
constexpr void check_defined() noexcept
{
    constexpr bool kDefined = is_defined(kOp, data_type_of<T>());
    if constexpr (kOp == Op::band || kOp == Op::bor || kOp == Op::bxor)
        static_assert(kDefined, "tutti: bitwise operators take bool and integers");
    else if constexpr (kOp == Op::land || kOp == Op::lor || kOp == Op::lxor)
        static_assert(kDefined,
                      "tutti: logical operators take bool, integers, float, double and long double");
    else if constexpr (kOp == Op::minloc || kOp == Op::maxloc)
        static_assert(kDefined,
                      "tutti: minloc and maxloc take tutti::ValueIndex of a number that has an "
                      "order; tutti::min and tutti::max take plain numbers");
    else if constexpr (kOp == Op::min || kOp == Op::max)
        static_assert(kDefined,
                      "tutti: min and max take numbers that have an order, not complex numbers; "
                      "tutti::minloc and tutti::maxloc take tutti::ValueIndex");
    else
        static_assert(kDefined,
                      "tutti: sums and products take numbers; tutti::minloc and tutti::maxloc take "
                      "tutti::ValueIndex");
}

/// `op` for elements of type T. Refers to a user's function object and does not copy it.
template <class T, ReductionOperator O>
Operator operator_of(const O& op) noexcept
{
    if constexpr (kIsLiteral<O> && !PlainFunction<O>) {
        static_assert(always_false<O>,
                      "tutti: operators are tutti::sum and the like, or an Op chosen at run time, not names");
        return {};
    } else if constexpr (PlainFunction<O>) {
        static_assert(always_false<O>,
                      "tutti: a function is no operator; use tutti::sum and the like, or make it one: "
                      "tutti::user_op(function)");
        return {};
    } else if constexpr (kIsUserOp<O>) {
        return {.user = user_kernel<T>(op)};
    } else {
        static_assert(Reducible<T>,
                      "tutti: the built-in operators know bool, the integers, float16, bfloat16, float, "
                      "double, long double, std::complex of these three, and tutti::ValueIndex; for other "
                      "elements write an operator: tutti::user_op");
        if constexpr (Reducible<T> && kIsBuiltIn<O>)
            check_defined<static_cast<Op>(O{}), T>();
        if constexpr (Reducible<T>)
            return {.op = op, .type = data_type_of<T>(), .user = {}};
        else
            return {};
    }
}

template <class T>
struct ReducedElement {
    using type = std::remove_cv_t<T>;
};
template <class T>
requires std::ranges::contiguous_range<T>
struct ReducedElement<T> {
    using type = std::ranges::range_value_t<T>;
};
template <class Pointer>
struct ReducedElement<TypedBuffer<Pointer>> {
    using type = TypedElement;
};
template <class T>
struct ReducedElement<LayoutView<T>> {
    using type = std::remove_cv_t<T>;
};
/// The type of the elements of a reduction: the values of a range or layout, else the object itself.
template <class T>
using ReducedElementT = typename ReducedElement<std::remove_cvref_t<T>>::type;

template <class T>
ConstElements const_reduce_view(const T& object)
{
    using Value = ReducedElementT<const T>;
    static_assert(
        std::is_trivially_copyable_v<Value> && !std::is_pointer_v<Value> && !std::ranges::range<Value>,
        "tutti: a reduction takes a trivially copyable object, a contiguous range of them, or a layout");
    if constexpr (Typed<T>) {
        return {static_cast<const std::byte*>(object.data), object.count, size_bytes(object.type)};
    } else if constexpr (LaidOut<T>) {
        const ConstView view = const_view(object);
        return {view.data, view.size_bytes / sizeof(Value), sizeof(Value)};
    } else if constexpr (std::ranges::contiguous_range<const T>)
        return {reinterpret_cast<const std::byte*>(std::ranges::data(object)), std::ranges::size(object),
                sizeof(Value)};
    else
        return {reinterpret_cast<const std::byte*>(std::addressof(object)), 1, sizeof(Value)};
}

template <class T>
Elements reduce_view(T& object)
{
    if constexpr (Typed<T>)
        static_assert(!std::is_const_v<std::remove_pointer_t<decltype(object.data)>>,
                      "tutti: a reduction's result must not be const");
    else if constexpr (LaidOut<T>)
        static_assert(!std::is_const_v<std::remove_pointer_t<decltype(object.base)>>,
                      "tutti: a reduction's result must not be const");
    else if constexpr (std::ranges::range<T>)
        static_assert(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<T>>>,
                      "tutti: a reduction's result must not be const");
    else
        static_assert(!std::is_const_v<T>, "tutti: a reduction's result must not be const");
    const ConstElements view = const_reduce_view(object);
    return {const_cast<std::byte*>(view.data), view.count, view.element_bytes};
}

/// `op` for the elements of `buffer`.
template <class B, ReductionOperator O>
Operator operator_for(const B& buffer, const O& op) noexcept
{
    if constexpr (!Typed<B>) {
        return operator_of<ReducedElementT<B>>(op);
    } else if constexpr (kIsUserOp<O>) {
        static_assert(always_false<O>,
                      "tutti: a user_op needs elements of a C++ type; pass a std::span in place of "
                      "tutti::typed");
    } else {
        return {.op = op, .type = buffer.type, .user = {}};
    }
}

/// Input and output of a reduction; in place, both have the same memory and layout. With a layout, `data` is
/// its base, and the count is that of its elements.
struct ReducedBuffers {
    ConstElements in;
    Elements out;
    const datatype::Typemap* in_layout = nullptr;  // nullptr: contiguous
    const datatype::Typemap* out_layout = nullptr;
};

template <class T>
const datatype::Typemap* layout_of(const T& object) noexcept
{
    if constexpr (LaidOut<T>)
        return const_view(object).layout;
    else
        return nullptr;
}

/// Two buffers of one element type.
template <class In, class Out>
ReducedBuffers reduced(const In& in, Out& out)
{
    using A = ReducedElementT<const In>;
    using B = ReducedElementT<const Out>;
    if constexpr (Reducible<A> && Reducible<B>)
        static_assert(data_type_of<A>() == data_type_of<B>(),
                      "tutti: a reduction's input and output must have elements of the same type");
    else
        static_assert(std::same_as<A, B>,
                      "tutti: a reduction's input and output must have elements of the same type");
    check_same_type(in, out);
    return {const_reduce_view(in), reduce_view(out), layout_of(in), layout_of(out)};
}

/// Two buffers of an operation that outlives the call; `In` is deduced as a forwarding reference.
template <class In, class Out>
ReducedBuffers borrowed_reduced(const std::remove_reference_t<In>& in, Out& out)
{
    check_outlives_call<In>();
    return reduced(in, out);
}

}  // namespace detail
}  // namespace tutti
