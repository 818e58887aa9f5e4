#include "lib/mpi/collective/user_operator.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <new>

#include "lib/foundation/datatype/transfer.hpp"
#include "lib/mpi/object/callbacks.hpp"
#include "lib/mpi/object/runtime.hpp"

namespace tutti::mpi {

namespace {

using datatype::Typemap;

constexpr std::size_t kAlignment = 64;          // enough for any type
constexpr std::size_t kPieceBytes = 64u << 10;  // of elements that are copied at once

/// Memory for elements with their gaps.
class ElementMemory {
public:
    ElementMemory(const Typemap& map, std::size_t count)
    {
        const auto steps = static_cast<std::ptrdiff_t>(count - 1) * map.extent_bytes();
        const std::ptrdiff_t low = map.true_lower_bound() + std::min<std::ptrdiff_t>(steps, 0);
        const std::ptrdiff_t high =
            map.true_lower_bound() + map.true_extent_bytes() + std::max<std::ptrdiff_t>(steps, 0);
        // The first element's origin is aligned.
        constexpr auto kStep = static_cast<std::ptrdiff_t>(kAlignment);
        const std::ptrdiff_t before = (std::max<std::ptrdiff_t>(-low, 0) + kStep - 1) / kStep * kStep;
        const std::ptrdiff_t skipped = low > 0 ? low / kStep * kStep : 0;
        memory_.reset(static_cast<std::byte*>(::operator new (
            static_cast<std::size_t>(before + high - skipped), std::align_val_t{kAlignment})));
        base_ = memory_.get() + before - skipped;
    }
    std::byte* base() const noexcept { return base_; }

private:
    struct Free {
        void operator()(std::byte* memory) const noexcept
        {
            ::operator delete (memory, std::align_val_t{kAlignment});
        }
    };
    std::unique_ptr<std::byte, Free> memory_;
    std::byte* base_;  // of the first element
};

}  // namespace

UserOperator::UserOperator(UserFunction called, const Datatype& of, bool commutes)
    : function(called), type(&of), commutative(commutes)
{
    if (Runtime::is_running() && Runtime::process().thread_level() != ThreadLevel::multiple)
        hold_.emplace(Runtime::process().engine());
}

detail::UserKernel UserOperator::kernel() const noexcept
{
    return {.with_context = &combine, .context = this, .commutative = commutative};
}

void UserOperator::call(const void* in, void* inout, std::size_t count) const
{
    const MPI_Datatype handle = handle_of(*type);
    if (function.large != nullptr)
        return call_operator(function, const_cast<void*>(in), inout, static_cast<MPI_Count>(count), handle);
    const std::ptrdiff_t extent = type->map->extent_bytes();
    for (std::size_t done = 0; done < count;) {
        const auto piece = std::min<std::size_t>(count - done, std::numeric_limits<int>::max());
        const std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(done) * extent;
        call_operator(function, static_cast<std::byte*>(const_cast<void*>(in)) + offset,
                      static_cast<std::byte*>(inout) + offset, static_cast<MPI_Count>(piece), handle);
        done += piece;
    }
}

void UserOperator::combine(const void* self, void* dst, const void* a, const void* b, std::size_t count)
{
    const auto& user = *static_cast<const UserOperator*>(self);
    auto* const to = static_cast<std::byte*>(dst);
    const auto* const left = static_cast<const std::byte*>(a);
    const auto* const right = static_cast<const std::byte*>(b);
    if (count != 0 && !user.combine_in_place(to, left, right, count))
        user.combine_copies(to, left, right, count);
}

/// Calls the function on the operands themselves if it can: its second operand is its result.
bool UserOperator::combine_in_place(std::byte* dst, const std::byte* a, const std::byte* b,
                                    std::size_t count) const
{
    const Typemap& map = *type->map;
    const auto is_aligned = [&](const std::byte* data) {
        return reinterpret_cast<std::uintptr_t>(data) % map.alignment() == 0;
    };
    if (!map.is_contiguous() || !is_aligned(dst) || !is_aligned(a) || !is_aligned(b))
        return false;
    if (dst == a) {
        if (!commutative)
            return false;
        std::swap(a, b);
    }
    if (dst != b)
        std::memcpy(dst, b, count * map.size_bytes());
    call(a - map.true_lower_bound(), dst - map.true_lower_bound(), count);
    return true;
}

void UserOperator::combine_copies(std::byte* dst, const std::byte* a, const std::byte* b,
                                  std::size_t count) const
{
    const Typemap& map = *type->map;
    const std::size_t each =
        std::max<std::size_t>(static_cast<std::size_t>(map.true_extent_bytes()),
                              static_cast<std::size_t>(std::max(map.extent_bytes(), -map.extent_bytes())));
    const std::size_t most = std::min(count, std::max<std::size_t>(kPieceBytes / each, 1));
    const ElementMemory left(map, most);
    const ElementMemory right(map, most);
    for (std::size_t done = 0; done < count; done += most) {
        const std::size_t piece = std::min(count - done, most);
        const std::size_t offset = done * map.size_bytes();
        const std::size_t bytes = piece * map.size_bytes();
        datatype::unpack(map, piece, left.base(), 0, {a + offset, bytes});
        datatype::unpack(map, piece, right.base(), 0, {b + offset, bytes});
        call(left.base(), right.base(), piece);
        datatype::pack(map, piece, right.base(), 0, {dst + offset, bytes});
    }
}

}  // namespace tutti::mpi
