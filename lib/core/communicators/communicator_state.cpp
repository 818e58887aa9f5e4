#include "lib/core/communicators/communicator_state.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/core/communicators/communicator_board.hpp"
#include "lib/core/process/process.hpp"

namespace tutti::detail {

CommunicatorState::CommunicatorState(Process& process, std::uint64_t id, Members members, int rank,
                                     Members remote, std::shared_ptr<CommunicatorState> both)
    : process_(process),
      table_(process.parts().communicators),
      id_(id),
      members_(std::move(members)),
      peers_(remote != nullptr ? std::move(remote) : members_),
      both_(std::move(both)),
      status_(process.shared_status()),
      shown_(status_->add(context(), static_cast<int>(members_->size()), rank)),
      peer_ranks_(peers_->data()),
      rank_(rank)
{
    placement_.one_node =
        std::ranges::all_of(*members_, [&](int member) { return process_.is_local(member); });
    if (const std::span<const int> nodes = process_.bootstrap().node_of_rank();
        !nodes.empty() && !placement_.one_node) {
        std::vector<int> node_of_member(members_->size());
        std::ranges::transform(*members_, node_of_member.begin(),
                               [&](int member) { return nodes[static_cast<std::size_t>(member)]; });
        placement_.nodes = &nodes_.emplace(node_of_member);
    }
    placement_.more_ranks_than_cores = process_.shared_cores();
    if (both_ != nullptr)
        both_->has_two_groups_ = true;
    table_->add(collective_context(), *this);
}

CommunicatorState::~CommunicatorState()
{
    table_->remove(collective_context());
    status_->remove(shown_);
}

std::string CommunicatorState::in_words() const
{
    if (this == process_.world().get())
        return "the world";
    if (this == process_.self().get())
        return "self";
    return both_ == nullptr ? fmt::format("a communicator of {} ranks", size())
                            : fmt::format("an intercommunicator of {} and {} ranks", size(), peers_->size());
}

std::vector<int> CommunicatorState::awaited_at_board() const
{
    std::vector<int> awaited;
    if (board_ == nullptr)
        return awaited;
    for (int other = 0; other < size(); ++other)
        if (board_->waits_for(static_cast<std::uint32_t>(other)))
            awaited.push_back(other);
    // All have begun the call, so one of them is on its way from its announcement to its arrival, or to the
    // release: it may have been lost there.
    if (awaited.empty() && board_->waits_for_arrivals())
        for (int other = 0; other < size(); ++other)
            if (other != rank_)
                awaited.push_back(other);
    return awaited;
}

void CommunicatorState::compare_at_board() const
{
    if (board_ != nullptr)
        compare_calls(*board_);
}

void CommunicatorState::raise_lost(int member, const CallSignature* call, ErrorCode code,
                                   std::string_view name) const
{
    const Diagnosis::LostMember loss = process_.diagnosis().lost(*this, member);
    if (loss.has_withdrawn)
        throw WithdrawnError(
            call != nullptr ? name_of(call->kind()) : name,
            fmt::format("rank {} of the communicator takes no part in this call any more: {}", loss.member,
                        loss.why),
            loss.member);
    // The last call of a member that has left was another one, perhaps of the same kind.
    throw Error(code, call != nullptr ? name_of(call->kind()) : name,
                fmt::format("rank {} of the communicator was lost while this rank waits for it in {}: {}{}",
                            loss.member, call != nullptr ? call->describe() : name, loss.why,
                            loss.has_left
                                ? "; it has made all its calls: do all ranks call the same collectives, with "
                                  "the same roots?"
                                : ""),
                loss.member);
}

// Ranks of a node may disagree whether they share cores (TUTTI_SHARED_CORES, a quota of their container), but
// the choice of algorithms and board depends on it: the first rank of the node decides for all.
void CommunicatorState::agree_on_cores()
{
    const auto of_own_node =
        std::ranges::find_if(*members_, [&](int member) { return process_.is_local(member); });
    placement_.more_ranks_than_cores = process_.shared_cores_of(*of_own_node);
    cores_are_agreed_ = true;
}

void CommunicatorState::review_calls()
{
    if (!cores_are_agreed_)
        agree_on_cores();
    if (next_call_ == 0)
        return;
    process_.diagnosis().review_calls();
    compare_at_board();
    if (next_call_ % ((CallMark::kNumberMask + 1) / 2) == 0)
        process_.diagnosis().check_reuse(*this);
}

}  // namespace tutti::detail
