// Communicator's sends and receives: they check arguments and throw failures as exceptions.
#include <fmt/format.h>

#include "lib/core/communicators/buffer_checks.hpp"
#include "lib/core/messages/messages.hpp"
#include "lib/core/messages/receive_checks.hpp"
#include "lib/core/requests/near_fit_text.hpp"
#include "lib/core/requests/request_access.hpp"
#include "tutti/communicator.hpp"

namespace tutti {

namespace {

using detail::CommunicatorState;

void check_peer(std::string_view operation, const CommunicatorState& state, int rank)
{
    detail::check_rank(operation, rank, "this communicator", static_cast<int>(state.peers().size()));
}

[[noreturn]] void refuse_tag(std::string_view operation, int tag)
{
    throw Error(ErrorCode::invalid_tag, operation,
                fmt::format("tag {} is negative; tags are 0 to 2147483647", tag));
}

void check_send(const CommunicatorState& state, const detail::ConstView& view, int destination, int tag)
{
    if (view.data == nullptr && view.size_bytes != 0) [[unlikely]]
        detail::refuse_null("send", "buffer", view.size_bytes, "bytes");
    check_peer("send", state, destination);
    if (tag < 0) [[unlikely]]
        refuse_tag("send", tag);
}

}  // namespace

namespace detail {

void check_receive(const CommunicatorState& state, std::string_view operation, const View& view, int source,
                   int tag)
{
    if (view.data == nullptr && view.size_bytes != 0) [[unlikely]]
        refuse_null("recv", "buffer", view.size_bytes, "bytes");
    check_source(state, operation, source, tag);
}

void check_source(const CommunicatorState& state, std::string_view operation, int source, int tag)
{
    if (source != any_source)
        check_peer(operation, state, source);
    if (tag < 0 && tag != any_tag) [[unlikely]]
        refuse_tag(operation, tag);
}

bool is_lost(const CommunicatorState& state, int source) noexcept
{
    return source != any_source && state.process().protocol().is_lost(state.peer_rank(source));
}

void raise_lost(const CommunicatorState& state, std::string_view operation, int source, int tag)
{
    throw Error(ErrorCode::peer_lost, operation,
                fmt::format("nothing more comes from rank {}: {}{}", source,
                            state.process().why_lost(state.peer_rank(source)),
                            near_fit(state.process(), {state.context(), source, tag})),
                source);
}

}  // namespace detail

void Communicator::keep(Request& request, std::shared_ptr<void> what) noexcept
{
    if (request.active())
        RequestAccess::keep(*RequestAccess::state(request), std::move(what));
}

void Communicator::send_view(const detail::ConstView& view, int destination, int tag, SendMode mode) const
{
    if (destination == null_rank)
        return;
    const CommunicatorState& state = *state_;
    check_send(state, view, destination, tag);
    auto lock = state.process().engine().lock();
    if (detail::send_at_once(state, view, destination, tag, mode)) [[likely]]
        return;
    if (const auto failure = detail::send(lock, state, view, destination, tag, mode)) [[unlikely]]
        std::rethrow_exception(failure);
}

Request Communicator::isend_view(const detail::ConstView& view, int destination, int tag, SendMode mode) const
{
    if (destination == null_rank)
        return {};
    const CommunicatorState& state = *state_;
    check_send(state, view, destination, tag);
    auto lock = state.process().engine().lock();
    constexpr auto kDeparture = protocol::Departure::soon;
    if (detail::send_at_once(state, view, destination, tag, mode, kDeparture)) [[likely]]
        return {};
    detail::RequestState* const begun =
        detail::begin_send(state, view, destination, tag, mode, kDeparture);
    return begun != nullptr ? RequestAccess::active(*begun) : Request();
}

Status Communicator::recv_view(const detail::View& view, int source, int tag) const
{
    Status status;
    if (source == null_rank)
        return status;
    const CommunicatorState& state = *state_;
    detail::check_receive(state, "recv", view, source, tag);
    auto lock = state.process().engine().lock();
    if (const auto failure = detail::receive(lock, state, view, source, tag, status)) [[unlikely]]
        std::rethrow_exception(failure);
    return status;
}

Request Communicator::irecv_view(const detail::View& view, int source, int tag) const
{
    if (source == null_rank)
        return {};
    const CommunicatorState& state = *state_;
    detail::check_receive(state, "irecv", view, source, tag);
    const auto lock = state.process().engine().lock();
    return RequestAccess::active(detail::begin_receive(state, view, source, tag));
}

}  // namespace tutti
