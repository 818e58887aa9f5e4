#include "lib/mpi/collective/reduction_arguments.hpp"

#include <fmt/format.h>

#include <array>

#include "lib/mpi/collective/collective_buffers.hpp"
#include "lib/mpi/collective/user_operator.hpp"
#include "lib/mpi/collective/wide_numbers.hpp"
#include "lib/mpi/object/errors.hpp"
#include "tutti/reduce_local.hpp"

namespace tutti::mpi {

namespace {

[[noreturn]] void refuse_operator(const ReductionOp& op, const Datatype& type)
{
    if (!op.built_in)
        fail(MPI_ERR_OP, "MPI_REPLACE and MPI_NO_OP are for windows only, as in MPI_Accumulate");
    fail(MPI_ERR_OP, fmt::format("the operator is not defined on {}; MPI_Op_create makes one that is",
                                 type.name.empty() ? "this datatype" : type.name));
}

// The answers of is_defined() and size_bytes() for each type, so that calls of a few elements only look them
// up.
struct Known {
    std::uint16_t operators = 0;  // a bit for each
    std::uint8_t element_bytes = 0;
};
constexpr auto kKnown = [] {
    std::array<Known, 256> all{};
    for (unsigned value = 0; value < all.size(); ++value) {
        const auto type = static_cast<DataType>(value);
        all[value].element_bytes = static_cast<std::uint8_t>(size_bytes(type));
        for (unsigned op = 0; op <= static_cast<unsigned>(Op::maxloc); ++op)
            if (is_defined(static_cast<Op>(op), type))
                all[value].operators = static_cast<std::uint16_t>(all[value].operators | 1u << op);
    }
    return all;
}();

bool is_user(const ReductionOp& op) noexcept
{
    return op.function.small != nullptr || op.function.large != nullptr;
}

}  // namespace

ReductionArguments::ReductionArguments(MPI_Op handle, MPI_Datatype datatype) : type_(committed_type(datatype))
{
    const ReductionOp& op = operator_of(handle);
    const datatype::Typemap& map = *type_.map;
    if (op.built_in && type_.number) [[likely]] {
        const Known& known = kKnown[static_cast<std::uint8_t>(*type_.number)];
        if ((known.operators >> static_cast<unsigned>(*op.built_in) & 1) != 0) [[likely]] {
            op_.op = *op.built_in;
            op_.type = *type_.number;
            element_bytes_ = known.element_bytes;
            is_plain_ = true;
            return;
        }
    }
    element_bytes_ = map.size_bytes();
    if (is_user(op)) {
        user_ = std::make_shared<UserOperator>(op.function, type_, op.commutative);
        op_.user = user_->kernel();
        if (!map.is_contiguous())
            layout_ = &map;
        return;
    }
    op_.user.plain = op.built_in ? wide_kernel(*op.built_in, datatype) : nullptr;
    if (op_.user.plain == nullptr)
        refuse_operator(op, type_);
}

detail::Elements ReductionArguments::other_elements(const void* buffer, MPI_Count count) const
{
    check_is_memory(buffer);
    static_cast<void>(checked_bytes(count, element_bytes_));
    if (element_bytes_ == 0)
        return {nullptr, 0, 1};
    const std::ptrdiff_t first = type_.map->true_lower_bound();
    if (buffer == nullptr && count != 0 && first == 0)
        refuse_null_buffer(count, "elements");
    auto* const data = static_cast<std::byte*>(const_cast<void*>(buffer));
    return {layout_ == nullptr ? data + first : data, static_cast<std::size_t>(count), element_bytes_};
}

detail::ReducedBuffers ReductionArguments::buffers(const void* sendbuf, MPI_Count in_count, void* recvbuf,
                                                   MPI_Count out_count) const
{
    if (sendbuf == MPI_IN_PLACE) {
        const detail::Elements both = elements(recvbuf, in_count);
        return {both, both, layout_, layout_};
    }
    return {elements(sendbuf, in_count), elements(recvbuf, out_count), layout_, layout_};
}

detail::ReducedBuffers ReductionArguments::input(const void* sendbuf, MPI_Count count) const
{
    const detail::Elements in = elements(sendbuf, count);
    return {in, {nullptr, 0, in.element_bytes}, layout_, nullptr};
}

detail::ReducedBuffers ReductionArguments::output(void* recvbuf, MPI_Count count) const
{
    const detail::Elements out = elements(recvbuf, count);
    return {{nullptr, 0, out.element_bytes}, out, nullptr, layout_};
}

void ReductionArguments::combine(const void* inbuf, void* inoutbuf, MPI_Count count) const
{
    const detail::Elements in = elements(inbuf, count);
    const detail::Elements inout = elements(inoutbuf, count);
    if (user_ != nullptr)
        user_->call(inbuf, inoutbuf, in.count);
    else
        detail::reduce_local(in, inout, op_);
}

}  // namespace tutti::mpi
