#include "lib/core/messages/probe.hpp"

#include "lib/core/check/checker.hpp"
#include "lib/core/messages/messages.hpp"
#include "lib/core/messages/receive_checks.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/requests/near_fit_text.hpp"
#include "lib/core/requests/pooled.hpp"

namespace tutti::detail {

using protocol::UnexpectedRequest;

UnexpectedRequest& wait_for_message(progress::Engine::Lock& lock, const CommunicatorState& state,
                                    std::string_view operation, int source, int tag)
{
    Process& process = state.process();
    UnexpectedRequest* found = nullptr;
    const Waits::Probe waiting(process.waits(), state.context(), source,
                               source == any_source ? -1 : state.peer_rank(source));
    const RankStatus::InCall in_call(
        process.status(), RankStatus::words(observe::Operation::probe, state.context(), source, tag, 0),
        [&] { return source == any_source ? -1 : state.peer_rank(source); });
    process.engine().wait(lock, [&] {
        found = process.protocol().probe({state.context(), source, tag});
        return found != nullptr || is_lost(state, source) || waiting.hopeless;
    });
    if (found != nullptr)
        return *found;
    if (waiting.hopeless)
        throw Error(ErrorCode::peer_lost, operation,
                    process.diagnosis().nobody_left(state.context(), tag) +
                        near_fit(process, {state.context(), source, tag}));
    raise_lost(state, operation, source, tag);
}

UnexpectedRequest* look_for_message(progress::Engine::Lock& lock, const CommunicatorState& state,
                                    std::string_view operation, int source, int tag)
{
    Process& process = state.process();
    const matching::MatchKey pattern{state.context(), source, tag};
    UnexpectedRequest* found = process.protocol().probe(pattern);
    if (found != nullptr)
        return found;
    if (source == any_source) {
        // What has ended should be known before what has come at the same time. A program that agrees with
        // others by such a collective that no more messages come (NBX) would take the first of its next
        // exchange for one of those agreed upon. The next look finds the message.
        const std::uint64_t ended = process.collectives_ended;
        process.engine().poll(lock);
        if (process.collectives_ended != ended)
            return nullptr;
    } else {
        const Waits::Probe waiting(process.waits(), state.context(), source,
                                   source == any_source ? -1 : state.peer_rank(source));
        process.engine().poll(lock);
    }
    found = process.protocol().probe(pattern);
    if (found == nullptr && is_lost(state, source)) [[unlikely]]
        raise_lost(state, operation, source, tag);
    return found;
}

Status status_of(const CommunicatorState& state, const UnexpectedRequest& message) noexcept
{
    return state.process().checker() == nullptr ? message.status() : check::Checker::status_of(message);
}

RequestState& begin_receive_matched(const CommunicatorState& state, const View& view,
                                    UnexpectedRequest& message)
{
    Process& process = state.process();
    const Status status = message.status();
    Pooled request(process.receives);
    request->owner = &process;
    request->layout = datatype::TypemapRef(view.layout);
    describe(*request, state, view, status.source, status.tag);
    if (process.checker() != nullptr) [[unlikely]]
        process.checker()->begin(*request, view, false);
    process.protocol().receive_matched(*request, message);
    process.engine().started();
    return request.release();
}

}  // namespace tutti::detail
