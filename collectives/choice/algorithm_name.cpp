#include "collectives/choice/algorithm_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "collectives/choice/parse_bytes.hpp"
#include "lib/foundation/base/suggest.hpp"
#include "tutti/error.hpp"

namespace tutti::collectives {

namespace {

/// The collective whose algorithms the call uses.
CallKind kind_of_algorithms(CallKind kind) noexcept
{
    switch (kind) {
        case CallKind::reduce_scatterv:
            return CallKind::reduce_scatter;
        case CallKind::alltoall_in_place:
            return CallKind::alltoall;
        case CallKind::alltoallv_in_place:
            return CallKind::alltoallv;
        case CallKind::dup:
            return CallKind::broadcast;
        case CallKind::split:
        case CallKind::create:
        case CallKind::create_cartesian:
        case CallKind::create_graph:
            return CallKind::allgather;
        default:
            return kind;
    }
}

const CollectiveEntry* entry_of(CallKind kind)
{
    const auto place = static_cast<std::size_t>(kind_of_algorithms(kind));
    if (place >= kCallKinds)
        return nullptr;
    const auto entries = catalogue();
    const auto found = std::ranges::find(entries, kCallNames[place], &CollectiveEntry::name);
    return found != entries.end() ? &*found : nullptr;
}

/// An in-place call exchanges blocks in pairs or uses the board or its streams; other algorithms need two
/// whole buffers.
void check_in_place(CallKind kind, std::string_view name)
{
    const bool equal_blocks = kind == CallKind::alltoall_in_place;
    if ((kind != CallKind::alltoallv_in_place && !equal_blocks) || name == "pairwise" ||
        (equal_blocks && (name == "board" || name == "shared")))
        return;
    throw Error(
        ErrorCode::invalid_argument, std::string(kCallNames[static_cast<std::size_t>(kind)]),
        fmt::format("the algorithm {} cannot do this call: it needs another buffer to receive in; name "
                    "pairwise{}, or none to let Tutti choose",
                    name, equal_blocks ? ", board or shared" : ""));
}

}  // namespace

Selection parse_algorithm(const CollectiveEntry& collective, std::string_view text,
                          std::string_view operation, std::string_view otherwise)
{
    const auto fail = [&](std::string_view problem) {
        return Error(ErrorCode::invalid_argument, std::string(operation),
                     fmt::format("{}, or {}", problem, otherwise));
    };
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const auto known = std::ranges::find(collective.algorithms, name, &AlgorithmTraits::name);
    if (known == collective.algorithms.end()) {
        const auto names = names_of_algorithms(collective);
        const std::string meant = base::did_you_mean(name, names);
        throw fail(fmt::format("there is no algorithm \"{}\"{} {} {}", name, meant.empty() ? ";" : meant,
                               meant.empty() ? "use" : "Use", fmt::join(names, " or ")));
    }
    const auto number = static_cast<std::uint8_t>(known - collective.algorithms.begin() + 1);
    if (colon == std::string_view::npos)
        return {number, known->has_segments ? kDefaultSegmentBytes : 0};
    if (!known->has_segments)
        throw fail(fmt::format("{} has no segments, so \"{}\" means nothing; use {}", name, text, name));
    const std::optional<std::uint64_t> segment_bytes = parse_bytes(text.substr(colon + 1));
    if (!segment_bytes || *segment_bytes == 0)
        throw fail(fmt::format("\"{}\" does not give a segment's size in bytes; use {}:{}", text, name,
                               kDefaultSegmentBytes));
    return {number, *segment_bytes};
}

Selection detail::named(CallKind kind, std::string_view algorithm)
{
    const CollectiveEntry& collective = *entry_of(kind);
    const Selection named = parse_algorithm(collective, algorithm, kCallNames[static_cast<std::size_t>(kind)],
                                            "name none to let Tutti choose");
    check_in_place(kind, collective.algorithms[named.number - 1u].name);
    return named;
}

std::size_t count_of_algorithms(CallKind kind) noexcept
{
    const CollectiveEntry* const collective = entry_of(kind);
    return collective != nullptr ? collective->algorithms.size() : 0;
}

std::string describe(CallKind kind, const Selection& selection)
{
    if (selection.number < 1 || selection.number > count_of_algorithms(kind))
        return fmt::format("algorithm {}", selection.number);
    const AlgorithmTraits& algorithm = entry_of(kind)->algorithms[selection.number - 1u];
    return algorithm.has_segments && selection.segment_bytes != 0
               ? fmt::format("{} in segments of {}", algorithm.name, in_bytes(selection.segment_bytes))
               : std::string(algorithm.name);
}

}  // namespace tutti::collectives
