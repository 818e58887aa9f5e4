#include "collectives/choice/rules_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/choice/catalogue.hpp"
#include "collectives/choice/json_file.hpp"

namespace tutti::collectives {

namespace {

using nlohmann::json;

constexpr std::string_view kKeys[] = {"where",     "min_ranks", "max_ranks", "min_bytes",     "max_bytes",
                                      "min_nodes", "max_nodes", "algorithm", "segment_bytes", "comment"};

constexpr std::string_view kPlaces[] = {"anywhere", "crowded", "many_nodes", "mixed_nodes", "read_in_place"};

/// One rule of a file, at `place` in it.
struct RuleText {
    const JsonFile& file;
    const json& rule;
    std::string place;

    std::string at(std::string_view key) const { return fmt::format("{}.{}", place, key); }
    /// nullptr if the rule does not have the key.
    const json* find(std::string_view key) const
    {
        const auto found = rule.find(key);
        return found != rule.end() ? &*found : nullptr;
    }

    template <class Number>
    void read_range(std::string_view of_what, Number& least, Number& most, std::uint64_t smallest) const
    {
        constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
        for (auto [end, into] : {std::pair("min", &least), std::pair("max", &most)}) {
            const std::string key = fmt::format("{}_{}", end, of_what);
            if (const json* const value = find(key))
                *into = static_cast<Number>(file.whole_number(*value, at(key), smallest, kLargest));
        }
        if (least > most)
            throw file.wrong(place, fmt::format("min_{0} {1} is above max_{0} {2}: no call would fit",
                                                of_what, least, most));
    }

    void read_algorithm(const CollectiveEntry& collective, Rule& into) const
    {
        const json* const named = find("algorithm");
        if (named == nullptr)
            throw file.wrong(place, "names no algorithm; add for example \"algorithm\": \"flat\"");
        const std::string& name = file.text(*named, at("algorithm"));
        const auto known = std::ranges::find(collective.algorithms, name, &AlgorithmTraits::name);
        if (known == collective.algorithms.end())
            throw file.unknown(at("algorithm"), name, names_of_algorithms(collective));
        into.use(*known, static_cast<std::size_t>(known - collective.algorithms.begin()) + 1);
        into.segment_bytes = known->has_segments ? kDefaultSegmentBytes : 0;
        if (const json* const bytes = find("segment_bytes")) {
            if (!known->has_segments)
                throw file.wrong(at("segment_bytes"), fmt::format("{} has no segments; remove it", name));
            into.segment_bytes = file.whole_number(*bytes, at("segment_bytes"), 1, kAnyBytes);
        }
    }
};

Rule rule_in(const RuleText& text, const CollectiveEntry& collective)
{
    const JsonFile& file = text.file;
    file.require_object(text.rule, text.place);
    for (const auto& [key, value] : text.rule.items())
        if (std::ranges::find(kKeys, key) == std::end(kKeys))
            throw file.unknown(text.place, key, kKeys);
    Rule rule{.source = Rule::Source::file};
    text.read_algorithm(collective, rule);
    if (const json* const where = text.find("where")) {
        const auto known = std::ranges::find(kPlaces, file.text(*where, text.at("where")));
        if (known == std::end(kPlaces))
            throw file.unknown(text.at("where"), where->get_ref<const std::string&>(), kPlaces);
        rule.hold(static_cast<Where>(known - std::begin(kPlaces)));
    }
    text.read_range("ranks", rule.min_ranks, rule.max_ranks, 1);
    text.read_range("nodes", rule.min_nodes, rule.max_nodes, 1);
    if (rule.where == Where::many_nodes && rule.min_nodes < 2)
        throw file.wrong(text.at("min_nodes"), "1 contradicts \"many_nodes\"; remove one of them");
    text.read_range("bytes", rule.min_bytes, rule.max_bytes, 0);
    if (const json* const comment = text.find("comment"))
        static_cast<void>(file.text(*comment, text.at("comment")));
    return rule;
}

RulesFile rules_in(const JsonFile& file, std::string_view name)
{
    RulesFile rules;
    rules.file = name;
    file.require_object(file.root(), "the file");
    for (const auto& [key, list] : file.root().items()) {
        if (key == "comment") {
            static_cast<void>(file.text(list, key));
            continue;
        }
        const auto collective = std::ranges::find(catalogue(), key, &CollectiveEntry::name);
        if (collective == catalogue().end())
            throw file.unknown("", key, names_of_collectives());
        if (!list.is_array())
            throw file.wrong(key, "is no list of rules in square brackets");
        const auto place = static_cast<std::size_t>(collective - catalogue().begin());
        for (std::size_t index = 0; index < list.size(); ++index)
            rules.of[place].push_back(
                rule_in({file, list[index], fmt::format("{}[{}]", key, index)}, *collective));
    }
    return rules;
}

}  // namespace

RulesFile parse_rules(std::string_view text, std::string_view file)
{
    return rules_in(JsonFile(text, file), file);
}

RulesFile read_rules(const std::string& file)
{
    return rules_in(JsonFile::read(file), file);
}

}  // namespace tutti::collectives
