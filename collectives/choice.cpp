#include "collectives/choice.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>

#include "collectives/parse_bytes.hpp"
#include "tutti/error.hpp"

namespace tutti::collectives {

namespace {

template <class Collective>
std::string names()
{
    std::string text;
    for (const auto& algorithm : Collective::kAlgorithms) {
        text += text.empty() ? "" : " or ";
        text += algorithm.name;
    }
    return text;
}

template <class Collective>
Chosen<Collective> forced(const char* (*environment)(const char*))
{
    const char* const value = environment(Collective::kVariable);
    if (value == nullptr || *value == '\0') {
        return {};
    }
    const auto fail = [&](const std::string& problem) {
        return Error(ErrorCode::invalid_argument, Collective::kVariable,
                     fmt::format("{}, or unset {} to let Tutti choose", problem, Collective::kVariable));
    };
    const std::string_view text = value;
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    for (const auto& algorithm : Collective::kAlgorithms) {
        if (algorithm.name != name) {
            continue;
        }
        const bool segmented = algorithm.segments == Segments::yes;
        if (colon == std::string_view::npos) {
            return {&algorithm, segmented ? kDefaultSegmentBytes : 0};
        }
        if (!segmented) {
            throw fail(fmt::format("{} has no segments, so \"{}\" means nothing; use {}", name, text, name));
        }
        const std::optional<std::uint64_t> segment_bytes = parse_bytes(text.substr(colon + 1));
        if (!segment_bytes || *segment_bytes == 0) {
            throw fail(fmt::format("\"{}\" does not give a segment's size in bytes; use {}:{}", text, name,
                                   kDefaultSegmentBytes));
        }
        return {&algorithm, *segment_bytes};
    }
    throw fail(fmt::format("there is no algorithm \"{}\"; use {}", name, names<Collective>()));
}

/// As std::tuple<Chosen<Collectives>...>, in the order of the list.
template <class... Collectives>
std::tuple<Chosen<Collectives>...> all_forced(const char* (*environment)(const char*),
                                              std::tuple<Collectives...>)
{
    return {forced<Collectives>(environment)...};
}

FileRules rules_named_by(const char* (*environment)(const char*))
{
    const char* const file = environment("TUTTI_RULES");
    return file != nullptr && *file != '\0' ? read_rules(file) : FileRules{};
}

}  // namespace

Choice::Choice(const char* (*environment)(const char*)) : Choice(environment, rules_named_by(environment)) {}

Choice::Choice(const char* (*environment)(const char*), FileRules rules)
    : forced_(all_forced(environment, AllCollectives{})), from_file_(std::move(rules))
{
}

std::string_view Choice::forced(unsigned collective) const noexcept
{
    std::array<std::string_view, std::tuple_size_v<AllCollectives>> names;
    std::apply(
        [&names](const auto&... one) {
            names = {(one.algorithm != nullptr ? one.algorithm->name : std::string_view())...};
        },
        forced_);
    return names[collective];
}

namespace {

Choice& of_this_process()
{
    static Choice made([](const char* variable) { return static_cast<const char*>(std::getenv(variable)); });
    return made;
}

}  // namespace

const Choice& choice()
{
    return of_this_process();
}

void use_rules(FileRules rules)
{
    of_this_process().set_rules(std::move(rules));
}

}  // namespace tutti::collectives
