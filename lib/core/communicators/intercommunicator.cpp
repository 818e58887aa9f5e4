// Makes intercommunicators, and merges their groups.
//
// create_intercommunicator: the leaders exchange their groups and ids, and each broadcasts within its own
// group what it has received. The leader with the lower rank in the job assigns the ids, and its group comes
// first. Cost: two messages between the leaders and two broadcasts. merge: an allreduce, which checks that
// the ranks agree and tells the id that the first rank assigns.
#include "lib/core/communicators/intercommunicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "collectives/framework/functions.hpp"
#include "lib/core/communicators/buffer_checks.hpp"
#include "lib/core/communicators/creation.hpp"
#include "lib/core/communicators/run_collective.hpp"

namespace tutti::detail {

namespace {

using collectives::CallKind;
using collectives::Group;
using collectives::Operation;
using collectives::Task;

constexpr std::string_view kCreate = "create_intercommunicator";

// What the leaders tell each other, before the ranks of their groups.
struct Greeting {
    std::uint64_t size;
    std::uint64_t id;
    std::int64_t leader;  // rank in the job
};

struct Leaders {
    Greeting own{};
    Greeting other{};
    std::vector<int> remote{};
};

std::span<std::byte> greeting_bytes(Greeting& greeting)
{
    return std::as_writable_bytes(std::span(&greeting, 1));
}

// `peers` is nullptr at other ranks than the leader.
Task exchange_leaders(Group& group, int leader, Group* peers, int remote_leader,
                      const std::vector<int>& members, Leaders& leaders)
{
    if (peers != nullptr) {
        auto greeted = peers->exchange(remote_leader, greeting_bytes(leaders.own), remote_leader,
                                       greeting_bytes(leaders.other));
        co_await greeted;
        leaders.remote.resize(leaders.other.size);
        auto exchanged = peers->exchange(remote_leader, std::as_bytes(std::span(members)), remote_leader,
                                         std::as_writable_bytes(std::span(leaders.remote)));
        co_await exchanged;
    }
    std::array<Greeting, 2> both{leaders.own, leaders.other};
    Task greetings = collectives::broadcast_binomial(group, std::as_writable_bytes(std::span(both)), leader);
    co_await greetings;
    leaders.own = both[0];
    leaders.other = both[1];
    leaders.remote.resize(leaders.other.size);
    Task ranks =
        collectives::broadcast_binomial(group, std::as_writable_bytes(std::span(leaders.remote)), leader);
    co_await ranks;
}

void check_leader(const CommunicatorState& local, const StatePointer& peer, int remote_leader, int tag)
{
    if (peer == nullptr || peer->both() != nullptr)
        refuse(kCreate,
               "the leader gives no communicator of the leaders; it must be an ordinary communicator "
               "in which both are ranks");
    check_rank(kCreate, remote_leader, "the communicator of the leaders", peer->size());
    if (peer->world_rank(remote_leader) == local.world_rank(local.rank()))
        refuse(kCreate, "the leader gives itself as the other group's leader; the groups share no rank");
    check_create_tag(kCreate, tag);
}

void check_disjoint(const std::vector<int>& local, const std::vector<int>& remote)
{
    std::vector<int> sorted = local;
    std::ranges::sort(sorted);
    const auto common =
        std::ranges::find_if(remote, [&](int rank) { return std::ranges::binary_search(sorted, rank); });
    if (common != remote.end())
        refuse(kCreate,
               fmt::format("rank {} of the job is in both groups; give groups that share no rank", *common));
}

// The flags of merge(): what the ranks of each group give.
constexpr std::uint64_t high_flag(bool first, bool high) noexcept
{
    return std::uint64_t{1} << (2 * int{first} + int{high});
}
constexpr bool differs(std::uint64_t flags, bool first) noexcept
{
    return (flags & high_flag(first, false)) != 0 && (flags & high_flag(first, true)) != 0;
}

struct Merging {
    std::uint64_t flags;
    std::uint64_t id;  // of rank 0; 0 of others
};

Task merge_task(Group& group, Merging& merging)
{
    std::uint64_t* const words = &merging.flags;
    const collectives::Buffer data{reinterpret_cast<std::byte*>(words), 2, sizeof(std::uint64_t)};
    static_assert(sizeof(Merging) == 2 * sizeof(std::uint64_t));
    return collectives::allreduce_binomial(group, data.data, data,
                                           {reduction::Op::bor, reduction::DataType::uint64});
}

}  // namespace

StatePointer make_intercommunicator(Process& process, std::uint64_t id, const Members& local, int rank,
                                    const Members& remote, bool local_first)
{
    const Members& first = local_first ? local : remote;
    const Members& second = local_first ? remote : local;
    std::vector<int> all(*first);
    all.insert(all.end(), second->begin(), second->end());
    const int before = local_first ? 0 : static_cast<int>(remote->size());
    auto both = std::make_shared<CommunicatorState>(
        process, id + 1, std::make_shared<const std::vector<int>>(std::move(all)), before + rank);
    return std::make_shared<CommunicatorState>(process, id, local, rank, remote, std::move(both));
}

StatePointer create_intercommunicator(const StatePointer& local, int leader, const StatePointer& peer,
                                      int remote_leader, int tag)
{
    check_root(*local, kCreate, leader);
    const bool is_leader = local->rank() == leader;
    if (is_leader)
        check_leader(*local, peer, remote_leader, tag);
    Process& process = local->process();
    auto lock = process.engine().lock();
    CommunicatorGroup group(*local, local->next_collective());
    group.announce({.kind = CallKind::create_intercommunicator, .root = leader});
    std::optional<CommunicatorGroup> peers;
    Leaders leaders;
    if (is_leader) {
        peers.emplace(*peer, CreateTag{CommunicatorState::kCreateTags + tag});
        leaders.own = {static_cast<std::uint64_t>(local->size()), process.new_context(), process.rank()};
        process.new_context();  // for both groups
    }
    Task task = exchange_leaders(group, leader, is_leader ? &*peers : nullptr, remote_leader,
                                 *local->members(), leaders);
    drive(process.engine(), lock, group, task);
    check_disjoint(*local->members(), leaders.remote);
    const bool local_first = leaders.own.leader < leaders.other.leader;
    return make_intercommunicator(
        process, local_first ? leaders.own.id : leaders.other.id, local->members(), local->rank(),
        std::make_shared<const std::vector<int>>(std::move(leaders.remote)), local_first);
}

StatePointer merge(const StatePointer& state, bool high)
{
    CommunicatorState& both = *state->both();
    const bool first = state->comes_first();
    Process& process = state->process();
    Merging merging{high_flag(first, high), 0};
    run_blocking(both, [&](Group& group) {
        group.announce({.kind = CallKind::merge});
        if (group.rank() == 0)
            merging.id = process.new_context();
        return merge_task(group, merging);
    });
    if (differs(merging.flags, true) || differs(merging.flags, false))
        refuse("merge",
               "ranks of one group give different values for high; all of a group must give the "
               "same");
    // Low ranks first; if no group is lower, as they are in `both`.
    const bool swaps =
        (merging.flags & high_flag(true, true)) != 0 && (merging.flags & high_flag(false, false)) != 0;
    if (!swaps)
        return std::make_shared<CommunicatorState>(process, merging.id, both.members(), both.rank());
    std::vector<int> members(*both.members());
    const int own = state->size();
    const auto other = static_cast<int>(state->peers().size());
    std::rotate(members.begin(), members.begin() + (first ? own : other), members.end());
    return std::make_shared<CommunicatorState>(process, merging.id,
                                               std::make_shared<const std::vector<int>>(std::move(members)),
                                               first ? other + state->rank() : state->rank());
}

}  // namespace tutti::detail
