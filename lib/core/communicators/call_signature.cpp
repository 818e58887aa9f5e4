#include "lib/core/communicators/call_signature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "collectives/choice/algorithm_name.hpp"
#include "collectives/choice/choice.hpp"
#include "lib/foundation/base/quantity.hpp"
#include "lib/foundation/reduction/reduce_op.hpp"

namespace tutti::detail {

using collectives::CallKind;

namespace {

// False where sizes may differ between ranks, and for a barrier, which moves no data.
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
        case CallKind::alltoallw:
        case CallKind::neighbor_alltoallw:
        case CallKind::dup:
        case CallKind::split:
        case CallKind::create:
        case CallKind::create_intercommunicator:
        case CallKind::merge:
        case CallKind::create_cartesian:
        case CallKind::create_graph:
        case CallKind::share_memory:
        case CallKind::read_all:
        case CallKind::write_all:
        case CallKind::read_file:
        case CallKind::write_file:
            return false;
        default:
            return true;
    }
}

// How a call describes a grid. Up to three dimensions take 16 bits each in place of the size; their number,
// the periods and whether ranks are reordered take the place of the operation. A larger grid has a digest of
// all that, and its number of dimensions.
constexpr std::size_t kMostDims = 3;
constexpr int kDimBits = 16;
constexpr int kPeriodsShift = 2;
constexpr int kReorderShift = kPeriodsShift + kMostDims;
constexpr int kDigestShift = kReorderShift + 1;  // the number of dimensions, if the grid is digested

std::string describe_grid(std::uint64_t dims, std::uint64_t operation)
{
    const std::uint64_t count = operation & ((1u << kPeriodsShift) - 1);
    if (count == 0)
        return fmt::format(" in {} dimensions", operation >> kDigestShift);
    std::string text;
    std::string periodic;
    for (std::uint64_t i = 0; i < count; ++i) {
        text += fmt::format("{}{}", i == 0 ? " of " : " x ", dims >> (i * kDimBits) & ((1u << kDimBits) - 1));
        if ((operation >> (kPeriodsShift + i) & 1) != 0)
            periodic += fmt::format("{}{}", periodic.empty() ? ", periodic in dimension " : " and ", i);
    }
    text += " ranks" + periodic;
    return (operation >> kReorderShift & 1) != 0 ? text + ", reordered" : text;
}

}  // namespace

collectives::Call call_of_grid(const std::vector<int>& dims, const std::vector<bool>& periods, bool reorder)
{
    const bool fits =
        dims.size() <= kMostDims && std::ranges::all_of(dims, [](int dim) { return dim < 1 << kDimBits; });
    std::uint64_t packed = 0;
    std::uint64_t operation = fits ? dims.size() : dims.size() << kDigestShift;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const auto dim = static_cast<std::uint64_t>(dims[i]);
        if (fits) {
            packed |= dim << (i * kDimBits);
            operation |= std::uint64_t{periods[i]} << (kPeriodsShift + i);
        } else {
            packed = (packed ^ (dim << 1 | std::uint64_t{periods[i]})) * 0x100000001b3u;
        }
    }
    if (fits)
        operation |= std::uint64_t{reorder} << kReorderShift;
    else
        packed = (packed ^ std::uint64_t{reorder}) * 0x100000001b3u >> kDimBits;
    return {.kind = CallKind::create_cartesian,
            .size_bytes = packed,
            .operation = static_cast<std::uint16_t>(operation)};
}

std::string_view name_of(CallKind kind) noexcept
{
    const auto index = static_cast<std::size_t>(kind);
    return index < collectives::kCallKinds ? collectives::kCallNames[index] : "an unknown collective";
}

CallSignature::Words CallSignature::with_parts(Words words, const collectives::Call& call) noexcept
{
    const std::uint64_t parts = call.algorithm.segment_bytes != 0
                                    ? std::min<std::uint64_t>(call.algorithm.segment_bytes, kMostParts)
                                    : call.steps & kMostParts;
    words[0] |= parts << kSizeBits;
    words[1] |= parts >> kLowPartsBits << kHighPartsShift;
    return words;
}

std::uint8_t CallMark::algorithm_beside(const CallSignature& mine) const noexcept
{
    if (kind() != mine.kind())
        return 0;
    const std::uint32_t theirs = digest() ^ digest(mine) ^ mine.algorithm();
    return theirs <= collectives::count_of_algorithms(kind()) ? static_cast<std::uint8_t>(theirs)
                                                              : std::uint8_t{0};
}

std::string CallSignature::describe() const
{
    std::string text(name_of(kind()));
    if (kind() == CallKind::create_cartesian)
        return text + describe_grid(words_[0] & kSizeMask, field(kOperationShift, 16));
    if (const std::uint64_t root = field(kRootShift, kRootBits); root != 0)
        text += fmt::format(" with root {}", root - 1);
    if (has_size(kind()))
        text += fmt::format(" of {} bytes", words_[0] & kSizeMask);
    if (const auto operation = static_cast<std::uint16_t>(field(kOperationShift, 16)); operation != 0)
        text += ", " + reduction::ReduceOp::describe(operation);
    return text;
}

std::string CallSignature::describe_with_algorithm() const
{
    if (algorithm() == 0)
        return describe();
    return fmt::format("{}, by {}", describe(), collectives::describe(kind(), {algorithm(), parts()}));
}

std::string CallSignature::describe_rest() const
{
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (kind() == CallKind::create_cartesian)
        return text;
    if (has_size(kind()))
        add(base::bytes_in_words(words_[0] & kSizeMask));
    if (const auto operation = static_cast<std::uint16_t>(field(kOperationShift, 16)); operation != 0)
        add(reduction::ReduceOp::describe(operation));
    if (const std::uint64_t root = field(kRootShift, kRootBits); root != 0)
        add(fmt::format("root {}", root - 1));
    if (algorithm() != 0)
        add("by " + collectives::describe(kind(), {algorithm(), parts()}));
    return text;
}

namespace {

constexpr std::string_view kSameCalls =
    "all ranks must call the same collectives, in the same order, with the same sizes, roots, operators and "
    "dimensions";
constexpr std::string_view kSameAlgorithms =
    "all ranks must use the same algorithm; set the same TUTTI_ variables at all ranks (tuttirun -x), and "
    "the "
    "same rules in the file that TUTTI_RULES names, and let calls name the same algorithm";

Error error_of(int other, std::string mine, std::string_view theirs, std::string_view but,
               std::string_view rule)
{
    return Error(ErrorCode::invalid_argument, "collective",
                 fmt::format("this rank calls {}, rank {} of the communicator {}{}: {}", mine, other, theirs,
                             but, rule),
                 other);
}

}  // namespace

Error mismatch(const CallSignature& mine, int other, const CallSignature& theirs)
{
    if (mine.by_any() != theirs.by_any())
        return mismatch(mine, other, theirs.describe());
    const std::string my_call = mine.describe_with_algorithm();
    const std::string their_call = theirs.describe_with_algorithm();
    return error_of(other, my_call, their_call,
                    my_call == their_call
                        ? fmt::format(", but chooses the algorithms of its steps otherwise than this rank, "
                                      "which goes by {}",
                                      collectives::choice().describe())
                        : "",
                    kSameAlgorithms);
}

Error mismatch(const CallSignature& mine, int other, std::string_view theirs)
{
    const std::string my_call = mine.describe();
    const std::string_view but = my_call != theirs ? ""
                                 : mine.kind() == CallKind::create_cartesian
                                     ? ", but with other dimensions, periods or options"
                                     : ", but one blocks and the other does not";
    return error_of(other, my_call, theirs, but, kSameCalls);
}

Error algorithm_mismatch(const CallSignature& mine, int other, std::uint8_t theirs, std::string_view why)
{
    return error_of(other, mine.describe_with_algorithm(),
                    fmt::format("{}, by {} {}", name_of(mine.kind()),
                                collectives::describe(mine.kind(), {theirs, 0}), why),
                    "", kSameAlgorithms);
}

}  // namespace tutti::detail
