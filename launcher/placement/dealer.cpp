#include "launcher/placement/dealer.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace tutti::launcher {
namespace {

/// The groups of a deck, being used up from the front of each.
class Dealer {
public:
    explicit Dealer(const Deck& deck) : deck_(deck), used_(deck.groups.size(), 0) {}

    /// The next `width` units of the group whose turn it is, or of the next one with room; empty for none.
    std::vector<int> draw(int width)
    {
        const std::size_t groups = deck_.groups.size();
        for (std::size_t step = 0; step < groups; ++step) {
            const std::size_t group = (turn_ + step) % groups;
            const std::vector<int>& units = deck_.groups[group];
            const std::size_t begin = used_[group];
            const std::size_t end = begin + static_cast<std::size_t>(width);
            if (end <= units.size()) {
                used_[group] = end;
                turn_ = deck_.round_robin ? (group + 1) % groups : 0;
                return {units.begin() + static_cast<std::ptrdiff_t>(begin),
                        units.begin() + static_cast<std::ptrdiff_t>(end)};
            }
        }
        return {};
    }

    void begin_again()
    {
        std::ranges::fill(used_, 0);
        turn_ = 0;
    }

private:
    const Deck& deck_;
    std::vector<std::size_t> used_;
    std::size_t turn_ = 0;
};

/// Units by package or NUMA node; these are numbered from 0 without gaps.
template <typename Key>
std::vector<std::vector<int>> group_by(std::span<const Unit> units, Key key)
{
    std::vector<std::vector<int>> groups;
    for (std::size_t i = 0; i < units.size(); ++i) {
        const auto group = static_cast<std::size_t>(units[i].*key);
        groups.resize(std::max(groups.size(), group + 1));
        groups[group].push_back(static_cast<int>(i));
    }
    return groups;
}

}  // namespace

std::vector<Unit> make_units(const Topology& topology, MapBy map_by)
{
    std::vector<Unit> units;
    for (int index = 0; index < topology.core_count(); ++index) {
        const Core& core = topology.cores()[static_cast<std::size_t>(index)];
        if (map_by != MapBy::hwthread) {
            units.push_back({core.cpus, index, core.package, core.numa});
            continue;
        }
        for (const int cpu : core.cpus)
            units.push_back({{cpu}, index, core.package, core.numa});
    }
    return units;
}

Deck make_deck(std::span<const Unit> units, MapBy map_by)
{
    switch (map_by) {
        case MapBy::socket:
            return {group_by(units, &Unit::package), true};
        case MapBy::numa:
            return {group_by(units, &Unit::numa), true};
        case MapBy::slot:
        case MapBy::node:
        case MapBy::core:
        case MapBy::hwthread:
            break;
    }
    // Filling one NUMA node after the other gives the units in their order, but splits no rank over two
    // nodes.
    return {group_by(units, &Unit::numa), false};
}

std::optional<std::vector<std::vector<int>>> deal_exclusively(const Deck& deck, std::span<const int> widths)
{
    Dealer dealer(deck);
    std::vector<std::vector<int>> hands;
    for (const int width : widths) {
        hands.push_back(dealer.draw(width));
        if (hands.back().empty())
            break;
    }
    if (hands.empty() || !hands.back().empty())
        return hands;
    if (deck.round_robin || deck.groups.size() < 2)
        return std::nullopt;
    // Whole NUMA nodes leave too many remainders: take the units as one row, so that a rank may lie across.
    Deck row{{{}}, false};
    for (const std::vector<int>& group : deck.groups)
        row.groups.front().insert(row.groups.front().end(), group.begin(), group.end());
    return deal_exclusively(row, widths);
}

std::vector<int> deal_in_turns(const Deck& deck, int ranks)
{
    Dealer dealer(deck);
    std::vector<int> dealt;
    for (int rank = 0; rank < ranks; ++rank) {
        std::vector<int> hand = dealer.draw(1);
        if (hand.empty()) {
            dealer.begin_again();
            hand = dealer.draw(1);
        }
        dealt.push_back(hand.front());
    }
    return dealt;
}

}  // namespace tutti::launcher
