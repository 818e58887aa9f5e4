// What the loss of a rank means for the others of its windows.
#include <fmt/format.h>

#include <algorithm>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/job/diagnosis.hpp"
#include "lib/core/job/process.hpp"
#include "lib/core/windows/element_update.hpp"
#include "lib/core/windows/window.hpp"

namespace tutti::detail {

// For the end of a sentence.
std::string Window::in_epoch() const
{
    return epoch_ == Epoch::none ? "" : fmt::format(", in the epoch {}", epoch_in_words());
}

// Under the lock.
Window::Failure Window::loss(std::string_view operation, int rank, std::string_view doing) const
{
    const int peer = communicator_->world_rank(rank);
    if (!process_.protocol().is_lost(peer))
        return nullptr;
    // A rank that fails comes to no fence any more: those that wait for it there fail, too.
    process_.diagnosis().absent.lost(*communicator_, rank);
    return std::make_exception_ptr(Error(ErrorCode::peer_lost, operation,
                                         fmt::format("{}: rank {} was lost {}{}: {}", name_, rank, doing,
                                                     in_epoch(), process_.protocol().why_lost(peer)),
                                         rank));
}

// Under the lock, in a handler of what telling `rank` has thrown: it may be lost already when a call begins.
Window::Failure Window::not_told(std::string_view operation, int rank) const
{
    Failure lost = loss(operation, rank, fmt::format("while this rank was waiting in {}()", operation));
    return lost ? lost : std::current_exception();
}

// Under the lock. Only the lost rank itself, or the holder of a lock, could end the wait; who holds it shared
// nobody knows, so the loss of any rank ends a wait for a lock. Calls that poll look for losses themselves.
void Window::fail_waits_for_lost()
{
    for (Waiting& waiting : waiting_)
        for (int rank = 0; rank < communicator_->size() && !waiting.failed; ++rank)
            if (waiting.rank == rank || waiting.rank == kAnyRank)
                waiting.failed = loss(waiting.operation, rank,
                                      fmt::format("while this rank was waiting in {}()", waiting.operation));
}

// The ranks of the job that could end waits or epochs of this rank. Under the lock.
std::set<int> Window::awaited() const
{
    std::set<int> ranks(exposed_to_.begin(), exposed_to_.end());
    for (const Waiting& waiting : waiting_)
        for (int rank = 0; rank < communicator_->size(); ++rank)
            if (waiting.rank == rank || waiting.rank == kAnyRank)
                ranks.insert(rank);
    for (int rank = 0; rank < communicator_->size(); ++rank)
        if (const WindowCover cover = targets_[static_cast<std::size_t>(rank)].cover;
            cover > WindowCover::fence && cover != WindowCover::not_locked)
            ranks.insert(rank);
    std::set<int> peers;
    for (const int rank : ranks)
        if (const int peer = communicator_->world_rank(rank); peer != process_.rank())
            peers.insert(peer);
    return peers;
}

Updater Window::updater(WindowTarget& updated) noexcept
{
    return {*updated.control, slot_, look_after_};
}

// Within an update, which waits for that of another rank; also in a pass of progress.
void Window::look_after_updater(std::size_t slot)
{
    const int peer = process_.bootstrap().local_peers()[slot];
    if (process_.diagnosis().failures.look_after(peer) != transport::Presence::gone)
        return;
    const std::vector<int>& members = *communicator_->members();
    const auto rank = static_cast<int>(std::ranges::find(members, peer) - members.begin());
    throw Error(
        ErrorCode::peer_lost, "accumulate",
        fmt::format(
            "{}: rank {} was lost while it was changing elements of it{}; nobody can change them any more",
            name_, rank, in_epoch()),
        rank);
}

}  // namespace tutti::detail
