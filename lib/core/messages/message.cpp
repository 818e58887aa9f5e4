// Communicator's probes, and matched messages that they take out of the queue.
#include "lib/core/messages/probe.hpp"
#include "lib/core/messages/receive_checks.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/requests/request_access.hpp"
#include "tutti/communicator.hpp"

namespace tutti {

// The opaque MatchedMessage of the public header is the protocol's unexpected message after matching.
namespace {

protocol::UnexpectedRequest* unexpected(detail::MatchedMessage* matched)
{
    return reinterpret_cast<protocol::UnexpectedRequest*>(matched);
}

detail::MatchedMessage* opaque(protocol::UnexpectedRequest* message)
{
    return reinterpret_cast<detail::MatchedMessage*>(message);
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
    detail::check_receive(*state_, "recv", view, status_.source, status_.tag);
    const auto lock = state_->process().engine().lock();
    return RequestAccess::active(
        detail::begin_receive_matched(*state_, view, *unexpected(std::exchange(matched_, nullptr))));
}

Status Communicator::probe(int source, int tag) const
{
    if (source == null_rank)
        return {};
    detail::check_source(*state_, "probe", source, tag);
    auto lock = state_->process().engine().lock();
    return detail::status_of(*state_, detail::wait_for_message(lock, *state_, "probe", source, tag));
}

std::optional<Status> Communicator::iprobe(int source, int tag) const
{
    if (source == null_rank)
        return Status{};
    detail::check_source(*state_, "iprobe", source, tag);
    auto lock = state_->process().engine().lock();
    const auto* found = detail::look_for_message(lock, *state_, "iprobe", source, tag);
    return found == nullptr ? std::nullopt : std::optional(detail::status_of(*state_, *found));
}

Message Communicator::mprobe(int source, int tag) const
{
    if (source == null_rank)
        return Message(state_, nullptr, {});
    detail::check_source(*state_, "mprobe", source, tag);
    auto lock = state_->process().engine().lock();
    auto& found = detail::wait_for_message(lock, *state_, "mprobe", source, tag);
    state_->process().protocol().extract(found);
    return Message(state_, opaque(&found), detail::status_of(*state_, found));
}

std::optional<Message> Communicator::improbe(int source, int tag) const
{
    if (source == null_rank)
        return Message(state_, nullptr, {});
    detail::check_source(*state_, "improbe", source, tag);
    auto lock = state_->process().engine().lock();
    auto* found = detail::look_for_message(lock, *state_, "improbe", source, tag);
    if (found == nullptr)
        return std::nullopt;
    state_->process().protocol().extract(*found);
    return Message(state_, opaque(found), detail::status_of(*state_, *found));
}

}  // namespace tutti
