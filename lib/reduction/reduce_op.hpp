// ReduceOp: what a collective needs to know of an operator, already resolved for one element type.
#pragma once

#include <cstddef>

#include "lib/reduction/kernels.hpp"

namespace tutti::reduction {

/// A small value, copied freely. Collectives see elements as opaque: size in bytes, a kernel that combines
/// arrays of them, and whether the order of operands matters. So a user's operator on a user's type is a
/// kernel like the built-in ones. Every operator must be associative.
class ReduceOp {
public:
    /// As Kernel, for a function object: `context` points to it, is not null,
    /// and must outlive the operation.
    using ContextKernel = decltype(detail::UserKernel::with_context);

    /// A built-in operator; all of them commute. Throws what kernel() throws.
    ReduceOp(Op op, DataType type) : kernel_(kernel(op, type)), commutative_(true) {}
    /// Any kernel. With `commutative` false, operands of lower ranks stay on the left.
    ReduceOp(Kernel kernel, bool commutative) noexcept : kernel_(kernel), commutative_(commutative) {}
    ReduceOp(ContextKernel kernel, const void* context, bool commutative) noexcept
        : context_kernel_(kernel), context_(context), commutative_(commutative)
    {
    }
    /// What a call of the public interface asks for. Throws what kernel() throws.
    explicit ReduceOp(const detail::Operator& op)
        : context_(op.user.context), commutative_(op.user.commutative)
    {
        if (context_ != nullptr)
            context_kernel_ = op.user.with_context;
        else
            kernel_ = op.user.plain != nullptr ? op.user.plain : kernel(op.op, op.type);
    }

    bool commutative() const noexcept { return commutative_; }

    /// dst = a op b for `count` elements; dst may be a or b.
    void operator()(void* dst, const void* a, const void* b, std::size_t count) const
    {
        if (context_ == nullptr) [[likely]]
            kernel_(dst, a, b, count);
        else
            context_kernel_(context_, dst, a, b, count);
    }

private:
    union {
        Kernel kernel_;
        ContextKernel context_kernel_;  // where there is a context
    };
    const void* context_ = nullptr;
    bool commutative_;
};

}  // namespace tutti::reduction
