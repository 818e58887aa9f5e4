#include "collectives/algorithm_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "collectives/parse_bytes.hpp"
#include "lib/base/suggest.hpp"
#include "tutti/error.hpp"

namespace tutti::collectives {

namespace {

const CollectiveEntry* entry_of(CallKind kind)
{
    const auto place = static_cast<std::size_t>(kind);
    if (place >= kCallKinds)
        return nullptr;
    const auto entries = catalogue();
    const auto found = std::ranges::find(entries, kCallNames[place], &CollectiveEntry::name);
    return found != entries.end() ? &*found : nullptr;
}

}  // namespace

NamedAlgorithm parse_algorithm(const CollectiveEntry& collective, std::string_view text,
                               std::string_view operation, std::string_view otherwise)
{
    const auto fail = [&](std::string_view problem) {
        return Error(ErrorCode::invalid_argument, std::string(operation),
                     fmt::format("{}, or {}", problem, otherwise));
    };
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const auto known = std::ranges::find(collective.algorithms, name, &AlgorithmEntry::name);
    if (known == collective.algorithms.end()) {
        const auto names = names_of_algorithms(collective);
        const std::string meant = base::did_you_mean(name, names);
        throw fail(fmt::format("there is no algorithm \"{}\"{} {} {}", name, meant.empty() ? ";" : meant,
                               meant.empty() ? "use" : "Use", fmt::join(names, " or ")));
    }
    const auto index = static_cast<std::size_t>(known - collective.algorithms.begin());
    const bool segmented = known->segments == Segments::yes;
    if (colon == std::string_view::npos)
        return {index, segmented ? kDefaultSegmentBytes : 0};
    if (!segmented)
        throw fail(fmt::format("{} has no segments, so \"{}\" means nothing; use {}", name, text, name));
    const std::optional<std::uint64_t> segment_bytes = parse_bytes(text.substr(colon + 1));
    if (!segment_bytes || *segment_bytes == 0)
        throw fail(fmt::format("\"{}\" does not give a segment's size in bytes; use {}:{}", text, name,
                               kDefaultSegmentBytes));
    return {index, *segment_bytes};
}

Asked detail::asked(CallKind kind, std::string_view algorithm)
{
    const CollectiveEntry& collective = *entry_of(kind);
    const NamedAlgorithm named =
        parse_algorithm(collective, algorithm, collective.name, "name none to let Tutti choose");
    return {static_cast<std::uint8_t>(named.index + 1), named.segment_bytes};
}

std::string describe(CallKind kind, const Asked& asked)
{
    const CollectiveEntry* const collective = entry_of(kind);
    const bool known =
        collective != nullptr && asked.number >= 1 && asked.number <= collective->algorithms.size();
    std::string text = known ? std::string(collective->algorithms[asked.number - 1u].name)
                             : fmt::format("algorithm {}", asked.number);
    if (asked.segment_bytes != 0)
        text += fmt::format(" in segments of {}", in_bytes(asked.segment_bytes));
    return text;
}

}  // namespace tutti::collectives
