#include "lib/core/windows/window_waits.hpp"

#include <fmt/format.h>


#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/process/process.hpp"
#include "lib/foundation/base/error_detail.hpp"

namespace tutti::detail {

namespace {

constexpr int kAnyRank = WindowIdentity::kAnyRank;

}  // namespace

void WindowWaits::await(EngineLock& lock, std::string_view operation, int rank, const WindowAim& aim,
                        const std::function<bool()>& done)
{
    if (done())
        return;
    Process& process = window_.process();
    const RankStatus::InCall in_call(
        process.status(),
        window_call_words(window_.communicator()->context(), operation, aim.target, aim.bytes),
        [&] { return rank < 0 ? -1 : window_.world_rank(rank); });
    const auto waiting = waiting_.insert(waiting_.end(), {operation, rank, aim});
    std::exception_ptr failed =
        caught([&] { process.engine().wait(lock, [&] { return done() || waiting->lost; }); });
    if (!failed && !done())
        failed = waiting->lost;
    waiting_.erase(waiting);
    if (failed)
        std::rethrow_exception(failed);
}

void WindowWaits::await_loss(EngineLock& lock, std::string_view operation, const WindowAim& aim)
{
    await(lock, operation, aim.target, aim, [] { return false; });
    std::terminate();  // the wait ends with an error
}

void WindowWaits::barrier(std::string_view operation)
{
    {
        const EngineLock held = window_.process().engine().lock();
        in_barrier_ = operation;
    }
    try {
        call_barrier(window_.communicator(), Form::blocking, {});
    } catch (const Error& error) {
        throw Error(error.code(), operation,
                    fmt::format("{}: {}{}", window_.name(), base::detail_of(error), window_.in_epoch()),
                    error.peer());
    }
}

void WindowWaits::pass(EngineLock& lock, std::string_view operation, int rank)
{
    window_.process().engine().poll(lock);
    if (rank != kAnyRank)
        check_not_lost(operation, rank, "while this rank accesses its memory");
}

void WindowWaits::check_not_lost(std::string_view operation, int rank, std::string_view doing) const
{
    if (const std::exception_ptr lost = loss(operation, rank, doing))
        std::rethrow_exception(lost);
}

std::exception_ptr WindowWaits::loss(std::string_view operation, int rank, std::string_view doing) const
{
    Process& process = window_.process();
    const int peer = window_.world_rank(rank);
    if (!process.protocol().is_lost(peer))
        return nullptr;
    // A rank that fails does not call the next fence: ranks that wait for it there fail, too.
    process.diagnosis().lost(*window_.communicator(), rank);
    return std::make_exception_ptr(
        Error(ErrorCode::peer_lost, operation,
              fmt::format("{}: rank {} was lost {}{}: {}", window_.name(), rank, doing, window_.in_epoch(),
                          process.protocol().why_lost(peer)),
              rank));
}

std::exception_ptr WindowWaits::loss_in(std::string_view operation, int rank) const
{
    return loss(operation, rank, fmt::format("while this rank was waiting in {}()", operation));
}

// The rank may have been lost before the call began.
void WindowWaits::throw_unsent(std::string_view operation, int rank) const
{
    if (const std::exception_ptr lost = loss_in(operation, rank))
        std::rethrow_exception(lost);
    throw;
}

// A wait for a lock may depend on any rank: which ranks hold a lock shared is not known.
void WindowWaits::add_awaited(std::set<int>& ranks) const
{
    for (const Waiting& waiting : waiting_)
        for (int rank = 0; rank < window_.size(); ++rank)
            if (depends_on(waiting, rank))
                window_.add_to(ranks, rank);
}

void WindowWaits::fail_for_lost()
{
    for (Waiting& waiting : waiting_)
        for (int rank = 0; rank < window_.size() && !waiting.lost; ++rank)
            if (depends_on(waiting, rank))
                waiting.lost = loss_in(waiting.operation, rank);
}

WindowWait WindowWaits::in_words(bool collective) const
{
    // The communicator's other collectives are those that make the window.
    if (collective)
        return {in_barrier_.empty() || in_barrier_ == "window" ? "as it is made"
                                                               : fmt::format("in {}", in_barrier_)};
    if (waiting_.empty())
        return {};
    const Waiting& newest = waiting_.back();
    return in_words(newest.operation, newest.rank, newest.aim);
}

WindowWait WindowWaits::in_words(std::string_view operation, int rank, const WindowAim& aim) const
{
    std::string text;
    if (aim.begin != aim.end)
        text += ", " + window_.range_in_words(aim.begin, aim.end);
    // The status pages of its holders name a lock that a rank of the node waits for.
    if (aim.lock)
        text += *aim.lock == WindowLock::exclusive ? ", exclusive" : ", shared";
    if (!aim.collector.empty())
        text += fmt::format(", in {}()", aim.collector);
    text += operation == "wait" ? ", in the epoch of post()" : window_.in_epoch();
    text.erase(0, std::string_view(", ").size());
    return {text, window_.is_rank(rank) ? window_.world_rank(rank) : -1};
}

}  // namespace tutti::detail
