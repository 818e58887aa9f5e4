#include "benchmarks/compare/judgement.hpp"

namespace tutti::bench {

namespace {

// Limits are measured, too, and have an error of some percent.
constexpr double kDoubtfulShare = 1.1;

}  // namespace

Judgement judge(const CaseResult& result, const RowName& name, const std::vector<record::Limit>& limits,
                std::string_view own_name)
{
    const CaseRow& row = result.rows.at(name);
    const Better better = result.better();
    Judgement judgement{.own = {}, .peer = row.better_peer(better)};
    judgement.bound = bound_of(result.which, name.key, limits);
    const auto own = row.libraries.find(std::string(own_name));
    if (own == row.libraries.end())
        return judgement;
    judgement.own = own->second.median();
    if (judgement.peer != nullptr)
        judgement.ratio = ratio_of(own->second.rounds, row.libraries.at(*judgement.peer).rounds);
    if (judgement.ratio)
        judgement.verdict = verdict_of(*judgement.ratio, better);
    if (judgement.bound && *judgement.own > 0)
        judgement.share = share_of(*judgement.bound, *judgement.own, better);
    const bool allocated = own_name == kAllocated || result.which.memory == "library";
    if (const std::optional<Goal> goal = goal_of(result.which, name.key, allocated)) {
        const std::optional<bool> met =
            meets(*goal, better, *judgement.own,
                  judgement.ratio ? std::optional(judgement.ratio->value) : std::nullopt, judgement.verdict);
        judgement.goal = met ? goal : std::nullopt;
        judgement.met = met.value_or(false);
    }
    return judgement;
}

std::vector<std::string_view> own_columns(const CaseResult& result)
{
    if (result.library_names.contains(std::string(kAllocated)))
        return {"tutti", kAllocated};
    return {"tutti"};
}

void Score::count(const Judgement& judgement)
{
    if (!judgement.verdict)
        ++undecided;
    else if (*judgement.verdict == Verdict::faster)
        ++faster;
    else if (*judgement.verdict == Verdict::slower)
        ++slower;
    else
        ++same;
    beyond_limit += judgement.share && *judgement.share > kDoubtfulShare ? 1 : 0;
    goals += judgement.goal ? 1 : 0;
    met += judgement.met ? 1 : 0;
}

}  // namespace tutti::bench
