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
    /// A built-in operator; all of them commute. Throws what kernel() throws.
    ReduceOp(Op op, DataType type) : kernel_(kernel(op, type)), commutative_(true) {}
    /// Any kernel. With `commutative` false, operands of lower ranks stay on the left.
    ReduceOp(Kernel kernel, bool commutative) noexcept : kernel_(kernel), commutative_(commutative) {}

    bool commutative() const noexcept { return commutative_; }

    /// dst = a op b for `count` elements; dst may be a or b.
    void operator()(void* dst, const void* a, const void* b, std::size_t count) const
    {
        kernel_(dst, a, b, count);
    }

private:
    Kernel kernel_;
    bool commutative_;
};

}  // namespace tutti::reduction
