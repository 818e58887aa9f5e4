// ReduceOp: an operator, already resolved for one element type, as collectives need it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "lib/foundation/reduction/kernels.hpp"
#include "lib/foundation/reduction/shared.hpp"

namespace tutti::reduction {

/// A small value, copied freely. Collectives know an element's size, a kernel that combines arrays, and
/// whether the order of operands matters. So a user's operator on a user's type is a kernel like the built-in
/// ones. Every operator must be associative.
class ReduceOp {
public:
    /// Like Kernel, for a function object: `context` points to it, is not null, and must outlive the
    /// operation.
    using ContextKernel = decltype(detail::UserKernel::with_context);

    /// A built-in operator; all of them commute. Throws what kernel() throws.
    ReduceOp(Op op, DataType type)
        : kernel_(kernel(op, type)),
          commutative_(true),
          element_bytes_(element_bytes_of(type)),
          identity_(identity_of(op, type))
    {
    }
    /// Any kernel. If `commutative` is false, operands of lower ranks stay on the left.
    ReduceOp(Kernel kernel, bool commutative) noexcept : kernel_(kernel), commutative_(commutative) {}
    ReduceOp(ContextKernel kernel, const void* context, bool commutative) noexcept
        : context_kernel_(kernel), context_(context), commutative_(commutative)
    {
    }
    /// The operator of a call of the public interface. Throws what kernel() throws.
    explicit ReduceOp(const detail::Operator& op)
        : context_(op.user.context), commutative_(op.user.commutative)
    {
        if (context_ != nullptr) {
            context_kernel_ = op.user.with_context;
        } else if (op.user.plain != nullptr) {
            kernel_ = op.user.plain;
        } else {
            kernel_ = kernel(op.op, op.type);
            element_bytes_ = element_bytes_of(op.type);
            identity_ = identity_of(op.op, op.type);
        }
    }

    bool commutative() const noexcept { return commutative_; }
    /// A number for the operator and its type, equal on all ranks; users' operators differ only in whether
    /// they commute. Never 0.
    std::uint16_t identity() const noexcept
    {
        return identity_ != 0 ? identity_ : commutative_ ? kUserCommutative : kUserOrdered;
    }
    /// The operator in words, for messages: "sum of float32". Accepts any number.
    static std::string describe(std::uint16_t identity)
    {
        if (identity == kUserCommutative || identity == kUserOrdered)
            return identity == kUserOrdered ? "an operator of the program's that does not commute"
                                            : "an operator of the program's";
        return std::string(to_string(static_cast<Op>((identity >> 8) - 1))) + " of " +
               to_string(static_cast<DataType>(identity & 0xff));
    }

    /// dst = a op b for `count` elements; dst may be a or b.
    void operator()(void* dst, const void* a, const void* b, std::size_t count) const
    {
        if (context_ != nullptr) [[unlikely]]
            context_kernel_(context_, dst, a, b, count);
        else if (count * element_bytes_ < kSharedBytes) [[likely]]
            kernel_(dst, a, b, count);
        else
            reduce_shared(kernel_, dst, a, b, count, element_bytes_);
    }

private:
    static constexpr std::uint16_t kUserCommutative = 0xff00;
    static constexpr std::uint16_t kUserOrdered = 0xff01;
    static constexpr std::uint16_t identity_of(Op op, DataType type) noexcept
    {
        return static_cast<std::uint16_t>((static_cast<unsigned>(op) + 1) << 8 | static_cast<unsigned>(type));
    }

    static constexpr auto kElementBytes = [] {
        std::array<std::uint8_t, 256> all{};
        for (std::size_t type = 0; type < all.size(); ++type)
            all[type] = static_cast<std::uint8_t>(size_bytes(static_cast<DataType>(type)));
        return all;
    }();
    static std::uint8_t element_bytes_of(DataType type) noexcept
    {
        return kElementBytes[static_cast<std::uint8_t>(type)];
    }

    union {
        Kernel kernel_;
        ContextKernel context_kernel_;  // set if there is a context
    };
    const void* context_ = nullptr;
    bool commutative_;
    std::uint8_t element_bytes_ = 0;  // of a built-in operator: only these may run on several threads
    std::uint16_t identity_ = 0;      // of a built-in operator
};

}  // namespace tutti::reduction
