// Making communicators: dup, split, split_by_node, create_from.
//
// dup: rank 0 assigns the new communicator an id and tells all ranks; they share their list with the old one.
// split, flat: rank 0 gathers colours and keys, assigns each new communicator an id, and sends its members
// their ranks. A rank assigns ids from its own counter, so no two communicators of a job share an id, without
// agreement. Cost: two messages per rank, and one of the group's size each.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <tuple>

#include "collectives/task.hpp"
#include "lib/core/calls/run_collective.hpp"
#include "tutti/communicator.hpp"

namespace tutti {

namespace {

using collectives::Group;
using collectives::Operation;
using collectives::OperationList;
using collectives::Task;
using detail::CommunicatorState;

struct Wish {
    std::int64_t wants;  // 0: no new communicator
    std::int64_t colour;
    std::int64_t key;
};

struct Answer {
    std::uint64_t context;
    std::uint64_t members;  // their number
};

template <class T>
std::span<std::byte> bytes_of(T& object)
{
    return std::as_writable_bytes(std::span(&object, 1));
}

// The decision of rank 0: an answer for each rank, and the members of each colour as ranks of the old
// communicator.
struct Decision {
    std::vector<Answer> answers;
    std::vector<const std::vector<int>*> members_of;  // by old rank
    std::map<std::int64_t, std::vector<int>> members;
};

void decide(const std::vector<Wish>& wishes, detail::Process& process, Decision& decision)
{
    for (std::size_t rank = 0; rank < wishes.size(); ++rank)
        if (wishes[rank].wants != 0)
            decision.members[wishes[rank].colour].push_back(static_cast<int>(rank));
    decision.answers.resize(wishes.size());
    decision.members_of.resize(wishes.size());
    for (auto& [colour, ranks] : decision.members) {
        std::ranges::stable_sort(ranks, {},
                                 [&](int rank) { return wishes[static_cast<std::size_t>(rank)].key; });
        const std::uint64_t context = process.new_context();
        for (const int rank : ranks) {
            decision.answers[static_cast<std::size_t>(rank)] = {context, ranks.size()};
            decision.members_of[static_cast<std::size_t>(rank)] = &ranks;
        }
    }
}

Task split_at_root(Group& group, detail::Process& process, Wish mine, Answer& answer,
                   std::vector<int>& members)
{
    std::vector<Wish> wishes(static_cast<std::size_t>(group.size()));
    wishes[0] = mine;
    OperationList received;
    for (int peer = 1; peer < group.size(); ++peer)
        received.add(group.recv(peer, bytes_of(wishes[static_cast<std::size_t>(peer)])));
    auto all_received = when_all(std::move(received));
    co_await all_received;

    Decision decision;
    decide(wishes, process, decision);
    OperationList sent;
    for (int peer = 1; peer < group.size(); ++peer) {
        const auto index = static_cast<std::size_t>(peer);
        sent.add(group.send(peer, bytes_of(decision.answers[index])));
        if (decision.members_of[index] != nullptr)
            sent.add(group.send(peer, std::as_bytes(std::span(*decision.members_of[index]))));
    }
    auto all_sent = when_all(std::move(sent));
    co_await all_sent;
    answer = decision.answers[0];
    if (decision.members_of[0] != nullptr)
        members = *decision.members_of[0];
}

Task split_elsewhere(Group& group, Wish mine, Answer& answer, std::vector<int>& members)
{
    Operation sent = group.send(0, bytes_of(mine));
    Operation answered = group.recv(0, bytes_of(answer));
    co_await sent;
    co_await answered;
    members.resize(answer.members);
    if (answer.members != 0) {
        Operation named = group.recv(0, std::as_writable_bytes(std::span(members)));
        co_await named;
    }
}

Task split_flat(Group& group, detail::Process& process, Wish mine, Answer& answer, std::vector<int>& members)
{
    return group.rank() == 0 ? split_at_root(group, process, mine, answer, members)
                             : split_elsewhere(group, mine, answer, members);
}

// The first rank of the new group assigns the id and tells the others.
Task learn_context(Group& group, detail::Process& process, std::span<const int> ranks, std::uint64_t& context)
{
    if (ranks.front() == group.rank()) {
        context = process.new_context();
        OperationList sent;
        for (const int peer : ranks.subspan(1))
            sent.add(group.send(peer, bytes_of(context)));
        auto all_sent = when_all(std::move(sent));
        co_await all_sent;
    } else {
        Operation received = group.recv(ranks.front(), bytes_of(context));
        co_await received;
    }
}

// A communicator of `ranks` of `old`, in this order.
std::shared_ptr<CommunicatorState> make_state(const CommunicatorState& old, std::uint64_t context,
                                              std::span<const int> ranks)
{
    std::vector<int> members;
    members.reserve(ranks.size());
    for (const int rank : ranks)
        members.push_back(old.world_rank(rank));
    auto shared = std::make_shared<const std::vector<int>>(std::move(members));
    const auto mine = std::ranges::find(ranks, old.rank()) - ranks.begin();
    return std::make_shared<CommunicatorState>(old.process(), context, std::move(shared),
                                               static_cast<int>(mine));
}

void check_members(const CommunicatorState& state, std::span<const int> ranks, int tag)
{
    std::vector<int> sorted(ranks.begin(), ranks.end());
    std::ranges::sort(sorted);
    const bool in_range = !sorted.empty() && sorted.front() >= 0 && sorted.back() < state.size();
    if (!in_range || std::ranges::adjacent_find(sorted) != sorted.end() ||
        !std::ranges::binary_search(sorted, state.rank()))
        throw Error(ErrorCode::invalid_rank, "create_from",
                    fmt::format("the list must hold different ranks of 0 to {}, this one ({}) among them",
                                state.size() - 1, state.rank()));
    if (tag < 0 || tag >= CommunicatorState::kCreateTags)
        throw Error(
            ErrorCode::invalid_tag, "create_from",
            fmt::format("tag {} is out of range; tags are 0 to {}", tag, CommunicatorState::kCreateTags - 1));
}

}  // namespace

std::shared_ptr<CommunicatorState> detail::split(CommunicatorState& old, const collectives::Call& call,
                                                 std::optional<int> colour, std::int64_t key)
{
    Process& process = old.process();
    auto lock = process.engine().lock();
    CommunicatorGroup group(old, old.next_collective());
    group.announce(call);
    const Wish mine{colour.has_value(), colour.value_or(0), key};
    Answer answer{};
    std::vector<int> members;
    Task task = split_flat(group, process, mine, answer, members);
    drive(process.engine(), lock, group, task);
    return colour ? make_state(old, answer.context, members) : nullptr;
}

std::optional<Communicator> Communicator::split(std::optional<int> colour, SplitOptions options) const
{
    auto made = detail::split(*state_, {.kind = collectives::CallKind::split}, colour, options.key);
    return made != nullptr ? std::optional(Communicator(std::move(made))) : std::nullopt;
}

Communicator Communicator::dup() const
{
    detail::Process& process = state_->process();
    auto lock = process.engine().lock();
    detail::CommunicatorGroup group(*state_, state_->next_collective());
    group.announce({.kind = collectives::CallKind::dup});
    std::vector<int> ranks(static_cast<std::size_t>(size()));
    std::iota(ranks.begin(), ranks.end(), 0);
    std::uint64_t context = 0;
    Task task = learn_context(group, process, ranks, context);
    detail::drive(process.engine(), lock, group, task);
    return Communicator(std::make_shared<CommunicatorState>(process, context, state_->members(), rank()));
}

Communicator Communicator::split_by_node() const
{
    // The lowest rank in the job identifies a node.
    return *split(state_->process().bootstrap().local_peers().front());
}

Communicator Communicator::create_from(std::span<const int> ranks, int tag) const
{
    check_members(*state_, ranks, tag);
    detail::Process& process = state_->process();
    auto lock = process.engine().lock();
    detail::CommunicatorGroup group(*state_, detail::CreateTag{CommunicatorState::kCreateTags + tag});
    std::uint64_t context = 0;
    Task task = learn_context(group, process, ranks, context);
    detail::drive(process.engine(), lock, group, task);
    return Communicator(make_state(*state_, context, ranks));
}

int Communicator::world_rank(int rank) const
{
    if (rank < 0 || rank >= size_)
        throw Error(
            ErrorCode::invalid_rank, "world_rank",
            fmt::format("there is no rank {} in this communicator; its ranks are 0 to {}", rank, size_ - 1),
            rank);
    return state_->world_rank(rank);
}

Communicator::Communicator(std::shared_ptr<CommunicatorState> state) noexcept
    : ReduceCollectives(std::move(state)), rank_(state_->rank()), size_(state_->size())
{
}

}  // namespace tutti
