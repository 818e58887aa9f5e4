// Probes: messages that have come are looked at, or taken out of the queue.
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/job/process.hpp"
#include "lib/core/messages/receive_description.hpp"
#include "lib/core/requests/pooled.hpp"
#include "lib/core/requests/request_access.hpp"
#include "tutti/communicator.hpp"

namespace tutti {

// The opaque MatchedMessage of the public header is the protocol's unexpected message, out of the matcher.
namespace {

protocol::UnexpectedRequest* unexpected(detail::MatchedMessage* matched)
{
    return reinterpret_cast<protocol::UnexpectedRequest*>(matched);
}

detail::MatchedMessage* opaque(protocol::UnexpectedRequest* message)
{
    return reinterpret_cast<detail::MatchedMessage*>(message);
}

using detail::CommunicatorState;
using progress::Engine;

// The message that a recv with these arguments would get, in its place. Under the lock.
protocol::UnexpectedRequest& wait_for_message(const CommunicatorState& state, Engine::Lock& lock,
                                              std::string_view operation, int source, int tag)
{
    detail::Process& process = state.process();
    protocol::UnexpectedRequest* found = nullptr;
    const detail::Attendance::Probe waiting(state, source);
    process.engine().wait(lock, [&] {
        found = process.protocol().probe({state.context(), source, tag});
        return found != nullptr || detail::is_lost(state, source) || waiting.hopeless();
    });
    if (found != nullptr)
        return *found;
    if (waiting.hopeless())
        throw Error(ErrorCode::peer_lost, operation, detail::nobody_left(state, tag));
    detail::raise_lost(state, operation, source);
}

// The same if it has come, after one pass of progress at most; or nullptr. A loop of it is a wait: who is
// asked for by name is looked after. Any source may also be this rank itself, which may send later.
protocol::UnexpectedRequest* look_for_message(progress::Engine::Lock& lock, const CommunicatorState& state,
                                              std::string_view operation, int source, int tag)
{
    detail::Process& process = state.process();
    const matching::MatchKey pattern{state.context(), source, tag};
    auto* found = process.protocol().probe(pattern);
    if (found != nullptr)
        return found;
    if (source == any_source) {
        process.engine().poll(lock);
    } else {
        const detail::Attendance::Probe waiting(state, source);
        process.engine().poll(lock);
    }
    found = process.protocol().probe(pattern);
    if (found == nullptr && detail::is_lost(state, source)) [[unlikely]]
        detail::raise_lost(state, operation, source);
    return found;
}

}  // namespace

Message::Message(std::shared_ptr<detail::CommunicatorState> state, detail::MatchedMessage* matched,
                 Status status) noexcept
    : state_(std::move(state)), matched_(matched), status_(status)
{
}

Message::Message(Message&& other) noexcept
    : state_(std::move(other.state_)),
      matched_(std::exchange(other.matched_, nullptr)),
      status_(other.status_)
{
}

Message& Message::operator=(Message&& other) noexcept
{
    std::swap(state_, other.state_);
    std::swap(matched_, other.matched_);
    std::swap(status_, other.status_);
    return *this;
}

Message::~Message()
{
    if (matched_ == nullptr)
        return;
    detail::Process& process = state_->process();
    if (process.engine().is_forked_copy())
        return;
    auto lock = process.engine().lock();
    process.protocol().drop(*unexpected(matched_));
}

Request Message::irecv_view(detail::View view)
{
    if (status_.source == null_rank)
        return RequestAccess::complete(status_);
    if (matched_ == nullptr)
        throw Error(ErrorCode::invalid_argument, "Message::recv", "the message has been received before");
    detail::Process& process = state_->process();
    auto lock = process.engine().lock();
    detail::Pooled request(process.receives);
    request->owner = &process;
    request->layout = datatype::TypemapRef(view.layout);
    detail::describe(*request, *state_, view, status_.source, status_.tag);
    process.protocol().receive_matched(*request, *unexpected(std::exchange(matched_, nullptr)));
    process.engine().started();
    return RequestAccess::active(request.release());
}

Status Communicator::probe(int source, int tag) const
{
    if (source == null_rank)
        return {};
    detail::check_receive(*state_, "probe", source, tag);
    auto lock = state_->process().engine().lock();
    return wait_for_message(*state_, lock, "probe", source, tag).status();
}

std::optional<Status> Communicator::iprobe(int source, int tag) const
{
    if (source == null_rank)
        return Status{};
    detail::check_receive(*state_, "iprobe", source, tag);
    auto lock = state_->process().engine().lock();
    const auto* found = look_for_message(lock, *state_, "iprobe", source, tag);
    return found == nullptr ? std::nullopt : std::optional(found->status());
}

Message Communicator::mprobe(int source, int tag) const
{
    if (source == null_rank)
        return Message(state_, nullptr, {});
    detail::check_receive(*state_, "mprobe", source, tag);
    auto lock = state_->process().engine().lock();
    auto& found = wait_for_message(*state_, lock, "mprobe", source, tag);
    state_->process().protocol().extract(found);
    return Message(state_, opaque(&found), found.status());
}

std::optional<Message> Communicator::improbe(int source, int tag) const
{
    if (source == null_rank)
        return Message(state_, nullptr, {});
    detail::check_receive(*state_, "improbe", source, tag);
    auto lock = state_->process().engine().lock();
    auto* found = look_for_message(lock, *state_, "improbe", source, tag);
    if (found == nullptr)
        return std::nullopt;
    state_->process().protocol().extract(*found);
    return Message(state_, opaque(found), found->status());
}

}  // namespace tutti
