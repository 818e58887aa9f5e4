#include "lib/network/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::network {

namespace {

// How promising a pair is; the less the better.
enum class Rank { same_subnet, routed, routed_out_of_private, own_address, never };

Rank rank_of(const LocalAddress& from, const HostAddress& to, std::span<const LocalAddress> mine) noexcept
{
    const IpAddress& here = from.address;
    const IpAddress& there = to.address;
    if (here.is_v4() != there.is_v4() || here.is_loopback() != there.is_loopback() ||
        here.is_link_local() != there.is_link_local())
        return Rank::never;
    // Networks that are made alike on every host: more likely this host's than the other's.
    if (std::ranges::any_of(mine, [&](const auto& address) { return address.address == there; }))
        return Rank::own_address;
    if (from.subnet().contains(there) && to.subnet().contains(here))
        return Rank::same_subnet;
    return here.is_private() == there.is_private() ? Rank::routed : Rank::routed_out_of_private;
}

}  // namespace

std::string Candidate::describe() const
{
    return fmt::format("{} ({}) from {} ({})", to.address.to_string(), to.interface, from.address.to_string(),
                       from.interface);
}

std::vector<Candidate> candidates(std::span<const LocalAddress> mine, std::span<const HostAddress> theirs)
{
    std::vector<std::pair<Rank, Candidate>> ranked;
    for (const HostAddress& to : theirs) {
        const auto best = std::ranges::min_element(
            mine, {}, [&](const LocalAddress& from) { return rank_of(from, to, mine); });
        if (best != mine.end() && rank_of(*best, to, mine) != Rank::never)
            ranked.emplace_back(rank_of(*best, to, mine), Candidate{*best, to});
    }
    std::ranges::stable_sort(ranked, {}, [](const auto& pair) { return pair.first; });
    std::vector<Candidate> ordered;
    for (auto& pair : ranked)
        ordered.push_back(std::move(pair.second));
    return ordered;
}

}  // namespace tutti::network
