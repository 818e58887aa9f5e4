// BlockCollectives: checks what the caller gave, and runs the algorithms' coroutines on it.
//
// Each collective has one plan, made by the rank before anything is sent: a function object that returns the
// coroutine, and holds what it refers to beside the caller's buffers.
#include "tutti/block_collectives.hpp"

#include <fmt/format.h>

#include <cstring>

#include "collectives/collectives.hpp"
#include "lib/communicator/byte_blocks.hpp"
#include "lib/communicator/run_collective.hpp"

namespace tutti {

namespace {

using collectives::Group;
using detail::ByteBlocks;
using detail::CommunicatorState;
using detail::ConstElements;
using detail::Elements;

/// Starts the plan's coroutine; the request keeps the plan.
template <class Plan>
Request start_plan(const std::shared_ptr<CommunicatorState>& state, Plan plan)
{
    auto kept = std::make_shared<Plan>(std::move(plan));
    Request request = detail::start(
        state, [&](detail::CollectiveRequest& collective) { return (*kept)(collective.group); });
    if (request.active())
        RequestAccess::keep(request, std::move(kept));
    return request;
}

[[noreturn]] void refuse(std::string_view operation, const std::string& detail)
{
    throw Error(ErrorCode::invalid_argument, operation, detail);
}

void check_apart(std::string_view operation, ConstElements in, ConstElements out)
{
    if (in.count != 0 && in.data < out.data + out.size_bytes() && out.data < in.data + in.size_bytes())
        refuse(operation,
               "input and output overlap; pass buffers that are apart, or use the form with one buffer");
}

/// `whole` must be one block a rank, each as long as `block`.
void check_multiple(std::string_view operation, std::string_view block_name, ConstElements block,
                    std::string_view whole_name, ConstElements whole, int ranks)
{
    if (whole.size_bytes() != block.size_bytes() * static_cast<std::size_t>(ranks))
        refuse(operation,
               fmt::format(
                   "the {} has {} elements ({} bytes), the {} {} ({} bytes); over {} ranks the {} must "
                   "have {} bytes",
                   block_name, block.count, block.size_bytes(), whole_name, whole.count, whole.size_bytes(),
                   ranks, whole_name, block.size_bytes() * static_cast<std::size_t>(ranks)));
}

/// One of the equal blocks of `whole`.
template <class Buffer>
Buffer block_of(std::string_view operation, Buffer whole, int ranks, int rank)
{
    const auto parts = static_cast<std::size_t>(ranks);
    if (whole.count % parts != 0)
        refuse(operation, fmt::format("the buffer has {} elements, which {} ranks cannot divide into equal "
                                      "blocks; resize it to a multiple, or use {}v",
                                      whole.count, ranks, operation));
    const std::size_t count = whole.count / parts;
    return {whole.data + static_cast<std::size_t>(rank) * count * whole.element_bytes, count,
            whole.element_bytes};
}

/// The own buffer must be as long as the counts say.
void check_own_count(std::string_view operation, std::string_view name, ConstElements own,
                     std::size_t expected_bytes, int rank)
{
    if (own.size_bytes() != expected_bytes)
        refuse(operation,
               fmt::format("the {} of rank {} has {} elements ({} bytes), but the counts give this "
                           "rank {} bytes; both must be the same",
                           name, rank, own.count, own.size_bytes(), expected_bytes));
}

void copy(std::byte* to, ConstElements from)
{
    if (from.count != 0)
        std::memcpy(to, from.data, from.size_bytes());
}

auto plan_allgather(const CommunicatorState& state, const std::optional<ConstElements>& in, Elements out)
{
    if (in) {
        check_multiple("allgather", "input", *in, "output", out, state.size());
        check_apart("allgather", *in, out);
        copy(out.data + static_cast<std::size_t>(state.rank()) * in->size_bytes(), *in);
    } else {
        block_of("allgather", out, state.size(), state.rank());
    }
    return [out](Group& group) { return collectives::allgather(group, {out.data, out.size_bytes()}); };
}

auto plan_allgatherv(const CommunicatorState& state, const std::optional<ConstElements>& in, Elements out,
                     const BlockCounts& counts)
{
    ByteBlocks blocks("allgatherv", "output", counts, out, state.size(), ByteBlocks::Use::received);
    if (in) {
        const std::span<std::byte> own = blocks.in(out.data)[state.rank()];
        check_own_count("allgatherv", "input", *in, own.size(), state.rank());
        check_apart("allgatherv", *in, out);
        copy(own.data(), *in);
    }
    return [blocks = std::move(blocks), data = out.data](Group& group) {
        return collectives::allgatherv(group, blocks.in(data));
    };
}

}  // namespace

void BlockCollectives::allgather_elements(OptionalInput in, Elements out) const
{
    detail::run_blocking(*state_, plan_allgather(*state_, in, out));
}

Request BlockCollectives::iallgather_elements(OptionalInput in, Elements out) const
{
    return start_plan(state_, plan_allgather(*state_, in, out));
}

void BlockCollectives::allgatherv_elements(OptionalInput in, Elements out, BlockCounts blocks) const
{
    detail::run_blocking(*state_, plan_allgatherv(*state_, in, out, blocks));
}

Request BlockCollectives::iallgatherv_elements(OptionalInput in, Elements out, BlockCounts blocks) const
{
    return start_plan(state_, plan_allgatherv(*state_, in, out, blocks));
}

}  // namespace tutti
