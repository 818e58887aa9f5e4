#include "collectives/choice.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <string>

#include "collectives/algorithm_name.hpp"
#include "collectives/catalogue.hpp"
#include "tutti/error.hpp"

namespace tutti::collectives {

namespace {

template <class Collective>
Chosen<Collective> forced(const char* (*environment)(const char*))
{
    const char* const value = environment(Collective::kVariable);
    if (value == nullptr || *value == '\0')
        return {};
    const auto [index, segment_bytes] =
        parse_algorithm(catalogue()[index_of<Collective>], value, Collective::kVariable,
                        fmt::format("unset {} to let Tutti choose", Collective::kVariable));
    return chosen_at<Collective>(index, segment_bytes);
}

/// What looks like a collective's variable and is none is not left unheard.
void refuse_others(const char* (*environment)(const char*))
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
        if (const char* const value = environment(variable); value != nullptr && *value != '\0')
            throw Error(ErrorCode::invalid_argument, variable, fmt::format("\"{}\": {}", value, remedy));
}

/// As std::tuple<Chosen<Collectives>...>, in the order of the list.
template <class... Collectives>
std::tuple<Chosen<Collectives>...> all_forced(const char* (*environment)(const char*),
                                              std::tuple<Collectives...>)
{
    return {forced<Collectives>(environment)...};
}

/// Of whatever is added, one after the other: FNV-1a over words.
class Fingerprint {
public:
    void add(std::uint64_t word) noexcept { value_ = (value_ ^ word) * 0x100000001b3u; }
    void add(const ResolvedRule& rule) noexcept
    {
        for (const std::size_t word : {std::size_t{rule.crowded_only}, std::size_t{rule.mixed_only},
                                       rule.min_bytes, rule.max_bytes, rule.segment_bytes, rule.algorithm})
            add(word);
        for (const int word : {rule.min_nodes, rule.max_nodes, rule.min_ranks, rule.max_ranks})
            add(static_cast<std::uint64_t>(word));
    }
    std::uint32_t value() const noexcept { return static_cast<std::uint32_t>(value_ ^ value_ >> 32); }

private:
    std::uint64_t value_ = 0xcbf29ce484222325u;
};

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
    refuse_others(environment);
    Fingerprint fingerprint;
    std::apply(
        [&](const auto&... one) {
            (fingerprint.add(one.number()), ...);
            (fingerprint.add(one.segment_bytes), ...);
        },
        forced_);
    for (const std::vector<ResolvedRule>& list : from_file_.of) {
        fingerprint.add(list.size());
        for (const ResolvedRule& rule : list)
            fingerprint.add(rule);
    }
    fingerprint_ = fingerprint.value();
}

void Choice::check_asked(unsigned collective, const Situation& situation)
{
    const CollectiveEntry& entry = catalogue()[collective];
    const AlgorithmEntry& algorithm = entry.algorithms.at(situation.asked.number - 1u);
    if (!has_what_it_needs(algorithm.operands, algorithm.through, situation)) {
        throw Error(
            ErrorCode::invalid_argument, entry.name,
            fmt::format("the algorithm {} cannot do this call: {}; name another, or none to let Tutti "
                        "choose",
                        algorithm.name, missing(algorithm.operands, algorithm.through, situation)));
    }
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

std::string Choice::describe() const
{
    std::string text;
    const auto add = [&](std::string_view variable, std::string_view value) {
        if (!value.empty())
            text += fmt::format("{}{}={}", text.empty() ? "" : ", ", variable, value);
    };
    std::apply(
        [&]<class... Collectives>(const Chosen<Collectives>&... one) {
            (add(Collectives::kVariable, one.algorithm != nullptr ? one.algorithm->name : ""), ...);
        },
        forced_);
    add("TUTTI_RULES", from_file_.file);
    return text.empty() ? "no TUTTI_ variable" : text;
}

const Choice& choice()
{
    static const Choice made(
        [](const char* variable) { return static_cast<const char*>(std::getenv(variable)); });
    return made;
}

}  // namespace tutti::collectives
