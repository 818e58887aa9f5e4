#include "collectives/choice/choice.hpp"

#include <fmt/format.h>

#include "collectives/choice/algorithm_name.hpp"
#include "collectives/choice/catalogue.hpp"
#include "lib/foundation/settings/settings.hpp"
#include "tutti/error.hpp"

namespace tutti::collectives {

namespace {

using Environment = const char* (*)(const char*);

/// Empty if the variable is not set.
std::string_view value_of(Environment environment, const char* variable)
{
    const char* const value = environment(variable);
    return value != nullptr ? value : "";
}

/// Refuses names that look like variables of collectives and are none.
void refuse_others(Environment environment)
{
    struct Other {
        const char* variable;
        std::string_view remedy;
    };
    static constexpr std::string_view kOneWay = "there is one algorithm among neighbours; unset it";
    static constexpr Other kOthers[] = {
        {"TUTTI_REDUCE_SCATTERV", "the algorithms are those of reduce_scatter; set TUTTI_REDUCE_SCATTER"},
        {"TUTTI_NEIGHBOR_ALLGATHER", kOneWay},
        {"TUTTI_NEIGHBOR_ALLGATHERV", kOneWay},
        {"TUTTI_NEIGHBOR_ALLTOALL", kOneWay},
        {"TUTTI_NEIGHBOR_ALLTOALLV", kOneWay},
    };
    for (const auto& [variable, remedy] : kOthers)
        if (const std::string_view value = value_of(environment, variable); !value.empty())
            throw Error(ErrorCode::invalid_argument, variable, fmt::format("\"{}\": {}", value, remedy));
}

/// FNV-1a over the words added to it.
class Fingerprint {
public:
    void add(std::uint64_t word) noexcept { value_ = (value_ ^ word) * 0x100000001b3u; }
    void add(const Rule& rule) noexcept
    {
        for (const std::size_t word :
             {std::size_t{rule.where == Where::crowded}, std::size_t{rule.where == Where::mixed_nodes},
              std::size_t{rule.where == Where::read_in_place},
              std::size_t{rule.source == Rule::Source::environment}, std::size_t{rule.number},
              rule.segment_bytes, rule.min_bytes, rule.max_bytes})
            add(word);
        for (const int word : {rule.min_nodes, rule.max_nodes, rule.min_ranks, rule.max_ranks})
            add(static_cast<std::uint64_t>(word));
    }
    std::uint32_t value() const noexcept { return static_cast<std::uint32_t>(value_ ^ value_ >> 32); }

private:
    std::uint64_t value_ = 0xcbf29ce484222325u;
};

RulesFile rules_named_by(Environment environment)
{
    const std::string_view file = value_of(environment, "TUTTI_RULES");
    return file.empty() ? RulesFile{} : read_rules(std::string(file));
}

}  // namespace

Choice::Choice(Environment environment) : Choice(environment, rules_named_by(environment)) {}

Choice::Choice(Environment environment, RulesFile file) : own_(std::move(file))
{
    Fingerprint fingerprint;
    for (std::size_t collective = 0; collective < kCollectives; ++collective) {
        const CollectiveEntry& entry = catalogue()[collective];
        std::vector<Rule>& rules = own_.of[collective];
        if (const std::string_view value = value_of(environment, entry.variable); !value.empty()) {
            const Selection named =
                parse_algorithm(entry, value, entry.variable + settings::origin_of(entry.variable),
                                fmt::format("unset {} to let Tutti choose", entry.variable));
            Rule rule{.segment_bytes = named.segment_bytes, .source = Rule::Source::environment};
            rule.use(entry.algorithms[named.number - 1u], named.number);
            rules.insert(rules.begin(), rule);
        }
        fingerprint.add(rules.size());
        for (const Rule& rule : rules)
            fingerprint.add(rule);
    }
    refuse_others(environment);
    fingerprint_ = fingerprint.value();
}

Selection Choice::before_table(unsigned collective, const Situation& situation) const
{
    for (const Rule& rule : own_.of[collective]) {
        if (situation.named && rule.source != Rule::Source::environment)
            break;
        if (fits(rule, situation))
            return rule.selection();
    }
    if (situation.named) {
        const CollectiveEntry& entry = catalogue()[collective];
        const AlgorithmTraits& algorithm = entry.algorithms.at(situation.named.number - 1u);
        if (!is_met(algorithm.needs, situation))
            throw Error(ErrorCode::invalid_argument, entry.name,
                        fmt::format("the algorithm {} cannot do this call: {}; name another, or none to let "
                                    "Tutti choose",
                                    algorithm.name, missing(algorithm.needs, situation)));
    }
    return situation.named;
}

std::string Choice::describe() const
{
    std::string text;
    const auto add = [&](std::string_view variable, std::string_view value) {
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", variable, value);
    };
    for (std::size_t collective = 0; collective < kCollectives; ++collective) {
        const std::vector<Rule>& rules = own_.of[collective];
        if (!rules.empty() && rules.front().source == Rule::Source::environment)
            add(catalogue()[collective].variable, rules.front().algorithm);
    }
    if (!own_.file.empty())
        add("TUTTI_RULES", own_.file);
    return text.empty() ? "no TUTTI_ variable" : text;
}

const Choice& choice()
{
    static const Choice made(settings::value_of);
    return made;
}

}  // namespace tutti::collectives
