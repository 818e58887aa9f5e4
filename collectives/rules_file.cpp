#include "collectives/rules_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/catalogue.hpp"
#include "collectives/json_file.hpp"

namespace tutti::collectives {

namespace {

using nlohmann::json;

constexpr std::string_view kKeys[] = {"where",     "min_ranks", "max_ranks", "min_bytes",     "max_bytes",
                                      "min_nodes", "max_nodes", "algorithm", "segment_bytes", "comment"};

/// Reads one rule of one collective.
class RuleReader {
public:
    RuleReader(const JsonFile& file, const CollectiveEntry& collective, const json& rule, std::string place)
        : file_(file), collective_(collective), rule_(rule), place_(std::move(place))
    {
        file_.require_object(rule_, place_);
    }

    Rule read()
    {
        for (const auto& [key, value] : rule_.items())
            if (std::ranges::find(kKeys, key) == std::end(kKeys))
                throw file_.unknown(place_, key, kKeys);
        read_algorithm();
        read_where();
        read_range("ranks", result_.min_ranks, result_.max_ranks, 1);
        read_range("nodes", result_.min_nodes, result_.max_nodes, 1);
        if (result_.where == Where::many_nodes && result_.min_nodes < 2)
            throw file_.wrong(at("min_nodes"), "1 contradicts \"many_nodes\"; remove one of them");
        read_range("bytes", result_.min_bytes, result_.max_bytes, 0);
        if (rule_.contains("comment"))
            static_cast<void>(file_.text(rule_["comment"], at("comment")));
        return result_;
    }

private:
    std::string at(std::string_view key) const { return fmt::format("{}.{}", place_, key); }

    void read_algorithm()
    {
        if (!rule_.contains("algorithm"))
            throw file_.wrong(place_, "names no algorithm; add for example \"algorithm\": \"flat\"");
        const std::string& name = file_.text(rule_["algorithm"], at("algorithm"));
        const auto known = std::ranges::find(collective_.algorithms, name, &AlgorithmTraits::name);
        if (known == collective_.algorithms.end())
            throw file_.unknown(at("algorithm"), name, names_of_algorithms(collective_));
        result_.use(*known, static_cast<std::size_t>(known - collective_.algorithms.begin()) + 1);
        if (rule_.contains("segment_bytes")) {
            if (!known->has_segments)
                throw file_.wrong(at("segment_bytes"), fmt::format("{} has no segments; remove it", name));
            result_.segment_bytes =
                file_.whole_number(rule_["segment_bytes"], at("segment_bytes"), 1, kAnyBytes);
        } else if (known->has_segments) {
            result_.segment_bytes = kDefaultSegmentBytes;
        }
    }

    void read_where()
    {
        static constexpr std::string_view kPlaces[] = {"anywhere", "crowded", "many_nodes", "mixed_nodes"};
        if (!rule_.contains("where"))
            return;
        const std::string& name = file_.text(rule_["where"], at("where"));
        const auto known = std::ranges::find(kPlaces, name);
        if (known == std::end(kPlaces))
            throw file_.unknown(at("where"), name, kPlaces);
        result_.hold(static_cast<Where>(known - std::begin(kPlaces)));
    }

    template <class Number>
    void read_range(const std::string& of_what, Number& least, Number& most, std::uint64_t smallest)
    {
        const auto read = [&](const std::string& key, Number& into) {
            if (rule_.contains(key))
                into = static_cast<Number>(
                    file_.whole_number(rule_[key], at(key), smallest,
                                       static_cast<std::uint64_t>(std::numeric_limits<Number>::max())));
        };
        read("min_" + of_what, least);
        read("max_" + of_what, most);
        if (least > most)
            throw file_.wrong(place_, fmt::format("min_{0} {1} is above max_{0} {2}: no call would fit",
                                                  of_what, least, most));
    }

    const JsonFile& file_;
    const CollectiveEntry& collective_;
    const json& rule_;
    std::string place_;
    Rule result_{.source = Rule::Source::file};
};

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
                RuleReader(file, *collective, list[index], fmt::format("{}[{}]", key, index)).read());
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
