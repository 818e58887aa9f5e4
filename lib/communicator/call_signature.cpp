#include "lib/communicator/call_signature.hpp"

#include <fmt/format.h>

#include "collectives/algorithm_name.hpp"
#include "lib/reduction/reduce_op.hpp"

namespace tutti::detail {

using collectives::CallKind;

namespace {

// Of some collectives the ranks' sizes may differ, and a barrier moves nothing.
bool has_size(CallKind kind) noexcept
{
    switch (kind) {
        case CallKind::unnamed:
        case CallKind::barrier:
        case CallKind::gatherv:
        case CallKind::scatterv:
        case CallKind::alltoallv:
        case CallKind::alltoallv_in_place:
        case CallKind::neighbor_allgather:
        case CallKind::neighbor_allgatherv:
        case CallKind::neighbor_alltoall:
        case CallKind::neighbor_alltoallv:
        case CallKind::split:
        case CallKind::share_memory:
            return false;
        default:
            return true;
    }
}

}  // namespace

std::string_view name_of(CallKind kind) noexcept
{
    const auto index = static_cast<std::size_t>(kind);
    return index < collectives::kCallKinds ? collectives::kCallNames[index] : "an unknown collective";
}

std::string CallSignature::describe() const
{
    std::string text(name_of(kind()));
    if (const std::uint64_t root = field(kRootShift, 24); root != 0)
        text += fmt::format(" with root {}", root - 1);
    if (has_size(kind()))
        text += fmt::format(" of {} bytes", words_[0]);
    if (const auto operation = static_cast<std::uint16_t>(field(16, 16)); operation != 0)
        text += ", " + reduction::ReduceOp::describe(operation);
    if (const auto asked = static_cast<std::uint8_t>(field(kAskedShift, 5)); asked != 0) {
        const auto exponent = static_cast<int>(field(kSegmentShift, 6));
        text += ", by " +
                collectives::describe(kind(), {asked, exponent != 0 ? std::size_t{1} << (exponent - 1) : 0});
    }
    return text;
}

Error mismatch(const CallSignature& mine, int other, std::string_view theirs)
{
    const std::string my_call = mine.describe();
    return Error(
        ErrorCode::invalid_argument, "collective",
        fmt::format(
            "this rank calls {}, rank {} of the communicator {}{}: all ranks must call the "
            "same collectives, in the same order, with the same sizes, roots, operators and algorithms",
            my_call, other, theirs, my_call == theirs ? ", but one blocks and the other does not" : ""),
        other);
}

}  // namespace tutti::detail
