// Making communicators of the ranks of another one: dup, split, create, create_from.
//
// A rank assigns ids from its own counter, so no two communicators of a job share an id, without agreement.
// dup: rank 0 assigns the id: a broadcast. split and create: an allgather of all colours and keys; each rank
// then finds the ranks of its own communicator. Every rank adds an id, and that of the first one counts.
// create_from: the first rank of the list assigns the id: a broadcast among the listed ranks. All
// take about log2(size) steps, or meet at the board.
//
// For an intercommunicator the calls run over the ranks of both groups, and the id after the new one's is
// that of both new groups together.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "collectives/collectives.hpp"
#include "collectives/framework/functions.hpp"
#include "collectives/framework/sub_group.hpp"
#include "lib/core/communicators/buffer_checks.hpp"
#include "lib/core/communicators/creation.hpp"
#include "lib/core/communicators/intercommunicator.hpp"
#include "lib/core/communicators/run_collective.hpp"
#include "tutti/communicator.hpp"

namespace tutti::detail {

namespace {

using collectives::Call;
using collectives::CallKind;
using collectives::Group;
using collectives::Task;

// What each rank tells all others.
struct Wish {
    std::int64_t colour;
    std::int64_t key;
    std::uint64_t id;    // for the new communicator if this rank is its first; 0: it wants none
    std::uint64_t list;  // digest of the ranks that it expects there; 0: any
};

template <class T>
std::span<std::byte> object_bytes(T& object)
{
    return std::as_writable_bytes(std::span(&object, 1));
}

std::uint64_t assign_id(CommunicatorState& old)
{
    const std::uint64_t id = old.process().new_context();
    if (old.both() != nullptr)
        old.process().new_context();  // under the same lock, so it is the next one
    return id;
}

Task dup_task(Group& group, CommunicatorState& old, const std::function<void(StatePointer)>& made)
{
    std::uint64_t id = group.rank() == 0 ? assign_id(old) : 0;
    Task sent = collectives::broadcast_as(group, {.kind = CallKind::dup}, object_bytes(id), 0);
    co_await sent;
    made(old.both() != nullptr
             ? make_intercommunicator(old.process(), id, old.members(), old.rank(), old.remote(),
                                      old.comes_first())
             : std::make_shared<CommunicatorState>(old.process(), id, old.members(), old.rank()));
}

struct SplitPlan {
    StatePointer old;
    Call call;
    Wish mine;
    std::span<const int> listed;  // the ranks that create() names; empty: any
    StatePointer& made;

    Task operator()(Group& group) const
    {
        group.announce(call);
        return run(group, *this);
    }

private:
    static Task run(Group& group, const SplitPlan& plan);
    void check_lists(const std::vector<Wish>& wishes, std::span<const int> ranks, int first) const;
};

// The ranks from `first` on with this colour.
std::vector<int> ranks_of(const std::vector<Wish>& wishes, int first, int count, std::int64_t colour)
{
    const auto wish = [&](int rank) -> const Wish& { return wishes[static_cast<std::size_t>(rank)]; };
    std::vector<int> ranks;
    for (int rank = first; rank < first + count; ++rank)
        if (wish(rank).id != 0 && wish(rank).colour == colour)
            ranks.push_back(rank);
    std::ranges::stable_sort(ranks, {}, [&](int rank) { return wish(rank).key; });
    return ranks;
}

// Ranks of `old` as ranks of the job. A list of all ranks in their order is shared.
Members members_of(const CommunicatorState& old, const std::vector<int>& ranks)
{
    const std::vector<int>& all = *old.members();
    std::vector<int> members(ranks.size());
    std::ranges::transform(ranks, members.begin(), [&](int rank) { return old.world_rank(rank); });
    return members == all ? old.members() : std::make_shared<const std::vector<int>>(std::move(members));
}

int place_of(int rank, const std::vector<int>& ranks)
{
    return static_cast<int>(std::ranges::find(ranks, rank) - ranks.begin());
}

// Throws the same error at all ranks of the new communicator.
void SplitPlan::check_lists(const std::vector<Wish>& wishes, std::span<const int> ranks, int first) const
{
    const auto other = std::ranges::find_if(
        ranks, [&](int rank) { return wishes[static_cast<std::size_t>(rank)].list != mine.list; });
    const bool equal = std::ranges::equal(ranks, listed, {}, {}, [&](int rank) { return first + rank; });
    if (other == ranks.end() && (mine.list == 0 || equal))
        return;
    const int peer = other == ranks.end() ? Error::kNoPeer : *other - first;
    throw Error(ErrorCode::invalid_argument, "create",
                other == ranks.end()
                    ? std::string("a rank of the new communicator gives no list that names it, or one that "
                                  "begins otherwise; all ranks of a list must give the same")
                    : fmt::format("rank {} of the communicator gives another list of ranks than this one; "
                                  "all ranks of a list must give the same, in the same order",
                                  peer),
                peer);
}

Task SplitPlan::run(Group& group, const SplitPlan& plan)
{
    CommunicatorState& old = *plan.old;
    const CommunicatorState& all = old.both() != nullptr ? *old.both() : old;
    Wish mine = plan.mine;
    if (mine.id != 0)
        mine.id = assign_id(old);
    std::vector<Wish> wishes(static_cast<std::size_t>(group.size()));
    Task gathered = collectives::allgather_as(group, plan.call, object_bytes(mine).data(),
                                              std::as_writable_bytes(std::span(wishes)));
    co_await gathered;
    if (mine.id == 0)
        co_return;

    const int first = all.rank() - old.rank();  // of the own group
    const std::vector<int> ranks = ranks_of(wishes, first, old.size(), mine.colour);
    plan.check_lists(wishes, ranks, first);
    const int place = place_of(group.rank(), ranks);
    const auto id_of = [&](int rank) { return wishes[static_cast<std::size_t>(rank)].id; };
    if (old.both() == nullptr) {
        plan.made = std::make_shared<CommunicatorState>(old.process(), id_of(ranks.front()),
                                                        members_of(old, ranks), place);
        co_return;
    }
    const auto remote_size = static_cast<int>(old.peers().size());
    const std::vector<int> remote = ranks_of(wishes, first == 0 ? old.size() : 0, remote_size, mine.colour);
    if (!remote.empty())
        plan.made =
            make_intercommunicator(old.process(), id_of(first == 0 ? ranks.front() : remote.front()),
                                   members_of(all, ranks), place, members_of(all, remote), first == 0);
}

void check_members(const CommunicatorState& state, std::string_view operation, std::span<const int> ranks,
                   bool with_this)
{
    std::vector<int> sorted(ranks.begin(), ranks.end());
    std::ranges::sort(sorted);
    const bool in_range = sorted.empty() ? !with_this : sorted.front() >= 0 && sorted.back() < state.size();
    if (!in_range || std::ranges::adjacent_find(sorted) != sorted.end() ||
        (with_this && !std::ranges::binary_search(sorted, state.rank())))
        throw Error(ErrorCode::invalid_rank, operation,
                    fmt::format("the list must hold different ranks of 0 to {}{}", state.size() - 1,
                                with_this ? fmt::format(", this one ({}) among them", state.rank()) : ""));
}

// Never 0. FNV-1a.
std::uint64_t digest_of(std::span<const int> ranks)
{
    std::uint64_t digest = 0xcbf29ce484222325u;
    for (const int rank : ranks)
        digest = (digest ^ static_cast<std::uint64_t>(rank)) * 0x100000001b3u;
    return digest | 1;
}

}  // namespace

void check_create_tag(std::string_view operation, int tag)
{
    if (tag < 0 || tag >= CommunicatorState::kCreateTags)
        throw Error(
            ErrorCode::invalid_tag, operation,
            fmt::format("tag {} is out of range; tags are 0 to {}", tag, CommunicatorState::kCreateTags - 1));
}

CallHandle dup(const StatePointer& old, Form form, std::function<void(StatePointer)> made)
{
    return run(all_ranks(old), form, [old, made = std::move(made)](Group& group) {
        group.announce({.kind = CallKind::dup});
        return dup_task(group, *old, made);
    });
}

StatePointer split(const StatePointer& old, const Call& call, std::optional<int> colour, std::int64_t key)
{
    StatePointer made;
    run_blocking(*all_ranks(old),
                 SplitPlan{old, call, {colour.value_or(0), key, colour.has_value(), 0}, {}, made});
    return made;
}

int node_colour(const CommunicatorState& state)
{
    // The lowest rank in the job identifies a node.
    return state.process().bootstrap().local_peers().front();
}

StatePointer create(const StatePointer& old, std::span<const int> ranks)
{
    check_members(*old, "create", ranks, false);
    const auto mine = std::ranges::find(ranks, old->rank());
    const bool is_in = mine != ranks.end();
    // Disjoint lists begin with different ranks. An intercommunicator has one list for each group.
    const std::int64_t colour = old->both() != nullptr || !is_in ? 0 : ranks.front();
    StatePointer made;
    run_blocking(*all_ranks(old), SplitPlan{old,
                                            {.kind = CallKind::create},
                                            {colour, mine - ranks.begin(), is_in, digest_of(ranks)},
                                            ranks,
                                            made});
    return made;
}

StatePointer create_from(const StatePointer& old, std::span<const int> ranks, int tag)
{
    check_members(*old, "create_from", ranks, true);
    check_create_tag("create_from", tag);
    const std::vector<int> members(ranks.begin(), ranks.end());
    const int place = place_of(old->rank(), members);
    Process& process = old->process();
    auto lock = process.engine().lock();
    CommunicatorGroup group(*old, CreateTag{CommunicatorState::kCreateTags + tag});
    collectives::SubGroup listed(group, members, place, {});
    std::uint64_t id = place == 0 ? process.new_context() : 0;
    Task sent = collectives::broadcast_binomial(listed, object_bytes(id), 0);
    drive(process.engine(), lock, group, sent);
    return std::make_shared<CommunicatorState>(process, id, members_of(*old, members), place);
}

}  // namespace tutti::detail

namespace tutti {

std::optional<Communicator> Communicator::split(std::optional<int> colour, SplitOptions options) const
{
    auto made = detail::split(state_, {.kind = collectives::CallKind::split}, colour, options.key);
    return made != nullptr ? std::optional(Communicator(std::move(made))) : std::nullopt;
}

Communicator Communicator::dup() const
{
    detail::StatePointer made;
    static_cast<void>(detail::dup(state_, detail::Form::blocking, made));
    return Communicator(std::move(made));
}

Communicator Communicator::split_by_node() const
{
    return *split(detail::node_colour(*state_));
}

Communicator Communicator::create_from(std::span<const int> ranks, int tag) const
{
    return Communicator(detail::create_from(state_, ranks, tag));
}

int Communicator::world_rank(int rank) const
{
    detail::check_rank("world_rank", rank, "this communicator", size_);
    return state_->world_rank(rank);
}

Communicator::Communicator(std::shared_ptr<detail::CommunicatorState> state) noexcept
    : ReduceCollectives(std::move(state)), rank_(state_->rank()), size_(state_->size())
{
}

}  // namespace tutti
