#include "lib/foundation/network/candidates.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <optional>

#include "lib/foundation/base/unique_fd.hpp"

namespace tutti::network {

namespace {

// The quality of a pair; less is better.
enum class Rank { same_subnet, routed, routed_out_of_private, own_address, never };

Rank rank_of(const LocalAddress& from, const HostAddress& to, std::span<const LocalAddress> mine) noexcept
{
    const IpAddress& here = from.address;
    const IpAddress& there = to.address;
    if (here.is_v4() != there.is_v4() || here.is_loopback() != there.is_loopback() ||
        here.is_link_local() != there.is_link_local())
        return Rank::never;
    // Networks that exist with the same address on every host: it is probably this host's own address.
    if (std::ranges::any_of(mine, [&](const auto& address) { return address.address == there; }))
        return Rank::own_address;
    if (from.subnet().contains(there) && to.subnet().contains(here))
        return Rank::same_subnet;
    return here.is_private() == there.is_private() ? Rank::routed : Rank::routed_out_of_private;
}

// The source address of this host's route to `there`; nothing if there is none. No packet is sent.
std::optional<IpAddress> source_towards(const IpAddress& there)
{
    const base::UniqueFd socket(::socket(there.is_v4() ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    socklen_t size = 0;
    const sockaddr_storage to = there.to_sockaddr(9, 0, size);
    sockaddr_storage from{};
    socklen_t from_size = sizeof from;
    if (!socket || connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), size) != 0 ||
        getsockname(socket.get(), reinterpret_cast<sockaddr*>(&from), &from_size) != 0)
        return std::nullopt;
    return IpAddress::of(reinterpret_cast<const sockaddr&>(from));
}

// The first one among equals; behind a router, the address of the route: answers to another address may not
// arrive.
const LocalAddress* best_source(const HostAddress& to, std::span<const LocalAddress> mine)
{
    const LocalAddress* best = nullptr;
    for (const LocalAddress& from : mine)
        if (best == nullptr || rank_of(from, to, mine) < rank_of(*best, to, mine))
            best = &from;
    const Rank rank = best != nullptr ? rank_of(*best, to, mine) : Rank::never;
    if (rank == Rank::never)
        return nullptr;
    if (rank == Rank::same_subnet || mine.size() == 1)
        return best;
    const auto source = source_towards(to.address);
    for (const LocalAddress& from : mine)
        if (source == from.address && rank_of(from, to, mine) == rank)
            return &from;
    return best;
}

}  // namespace

std::string Candidate::describe() const
{
    if (from.address.is_any())
        return to.address.to_string();
    return fmt::format("{} ({}) from {} ({})", to.address.to_string(), to.interface, from.address.to_string(),
                       from.interface);
}

std::vector<Candidate> candidates(std::span<const LocalAddress> mine, std::span<const HostAddress> theirs)
{
    std::vector<std::pair<Rank, Candidate>> ranked;
    for (const HostAddress& to : theirs)
        if (const LocalAddress* const best = best_source(to, mine))
            ranked.emplace_back(rank_of(*best, to, mine), Candidate{*best, to});
    std::ranges::stable_sort(ranked, {}, [](const auto& pair) { return pair.first; });
    std::vector<Candidate> ordered;
    for (auto& pair : ranked)
        ordered.push_back(std::move(pair.second));
    return ordered;
}

}  // namespace tutti::network
