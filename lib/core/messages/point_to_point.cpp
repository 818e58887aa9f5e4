// Communicator's sends, receives and probes: checks arguments, then hands over to the protocol.
#include <fmt/format.h>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/job/process.hpp"
#include "lib/core/messages/receive_description.hpp"
#include "lib/core/requests/completion.hpp"
#include "lib/core/requests/pooled.hpp"
#include "lib/core/requests/request_access.hpp"
#include "tutti/communicator.hpp"

namespace tutti {

namespace {

using detail::CommunicatorState;
using detail::Process;
using protocol::ReceiveRequest;
using protocol::SendRequest;

[[noreturn]] void bad_peer(std::string_view operation, int peer, int size)
{
    throw Error(
        ErrorCode::invalid_rank, operation,
        fmt::format("there is no rank {} in this communicator; its ranks are 0 to {}", peer, size - 1), peer);
}

[[noreturn]] void bad_tag(std::string_view operation, int tag)
{
    throw Error(ErrorCode::invalid_tag, operation,
                fmt::format("tag {} is negative; tags are 0 to 2147483647", tag));
}

[[noreturn]] void no_memory(std::string_view operation, std::size_t size_bytes)
{
    throw Error(
        ErrorCode::invalid_argument, operation,
        fmt::format("the buffer is a null pointer to {} bytes; pass memory that holds them", size_bytes));
}

void check_send(const CommunicatorState& state, const detail::ConstView& view, int destination, int tag)
{
    if (view.data == nullptr && view.size_bytes != 0) [[unlikely]]
        no_memory("send", view.size_bytes);
    if (static_cast<unsigned>(destination) >= static_cast<unsigned>(state.size())) [[unlikely]]
        bad_peer("send", destination, state.size());
    if (tag < 0) [[unlikely]]
        bad_tag("send", tag);
}

void describe(SendRequest& request, const matching::MatchKey& envelope, int peer_rank,
              std::span<const std::byte> data, Communicator::SendMode mode)
{
    request.envelope = envelope;
    request.peer_rank = peer_rank;
    request.data = data;
    request.synchronous = mode == Communicator::SendMode::synchronous;
}

// Messages of a layout up to this are packed before they are sent, longer ones piece by piece as they go.
constexpr std::size_t kPackedWholeBytes = 8u << 10;

using Packed = std::vector<std::byte>;

Packed pack(const detail::ConstView& view)
{
    Packed packed(view.size_bytes);
    view.layout->pack(view.data, 0, packed);
    return packed;
}

void collect_leaving(const SendRequest& request, std::size_t offset, std::span<std::byte> out)
{
    static_cast<const Layout*>(request.context)->pack(request.data.data(), offset, out);
}

void collect_by(SendRequest& request, const Layout* layout) noexcept
{
    if (layout != nullptr) {
        request.collect = collect_leaving;
        request.context = layout;
    }
}

// Waits for a request in the caller's frame. When the engine fails instead, the frame goes away and nothing
// may refer to the request any more.
template <class Request>
void wait_for(Process& process, progress::Engine::Lock& lock, Request& request)
{
    if constexpr (std::is_same_v<Request, ReceiveRequest>) {
        request.owner = &process;
        request.awaited = true;
    }
    try {
        process.engine().wait(lock, [&] { return request.done; });
    } catch (...) {
        process.protocol().forget(request);
        throw;
    }
}

void unpack_arriving(ReceiveRequest& request, std::size_t offset, std::span<const std::byte> bytes)
{
    static_cast<const Layout*>(request.context)->unpack(request.buffer, offset, bytes);
}

}  // namespace

namespace detail {

void check_receive(const CommunicatorState& state, std::string_view operation, int source, int tag)
{
    if (source != any_source && static_cast<unsigned>(source) >= static_cast<unsigned>(state.size()))
        [[unlikely]]
        bad_peer(operation, source, state.size());
    if (tag < 0 && tag != any_tag) [[unlikely]]
        bad_tag(operation, tag);
}

bool is_lost(const CommunicatorState& state, int source) noexcept
{
    return source != any_source && state.process().protocol().is_lost(state.world_rank(source));
}

void raise_lost(const CommunicatorState& state, std::string_view operation, int source)
{
    throw Error(ErrorCode::peer_lost, operation,
                fmt::format("nothing more comes from rank {}: {}", source,
                            state.process().protocol().why_lost(state.world_rank(source))),
                source);
}

void describe(protocol::ReceiveRequest& request, const CommunicatorState& state, const View& view,
              const Layout* layout, int source, int tag)
{
    if (view.data == nullptr && view.size_bytes != 0) [[unlikely]]
        no_memory("recv", view.size_bytes);
    request.key = {state.context(), source, tag};
    request.peer_rank = source == any_source ? -1 : state.world_rank(source);
    request.buffer = view.data;
    request.capacity = view.size_bytes;
    if (layout != nullptr) {
        request.deliver = unpack_arriving;
        request.context = layout;
    }
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
    if (view.layout != nullptr && view.size_bytes <= kPackedWholeBytes) [[unlikely]] {
        const Packed packed = pack(view);
        return send_view({packed.data(), packed.size(), nullptr}, destination, tag, mode);
    }
    Process& process = state.process();
    auto lock = process.engine().lock();
    const std::span<const std::byte> data(view.data, view.size_bytes);
    const matching::MatchKey envelope(state.context(), state.rank(), tag);
    const int peer_rank = state.world_rank(destination);
    if (mode != SendMode::synchronous && view.layout == nullptr &&
        process.protocol().inject(envelope, peer_rank, data)) [[likely]]
        return process.engine().started();
    SendRequest request;
    describe(request, envelope, peer_rank, data, mode);
    collect_by(request, view.layout);
    process.protocol().send(request);
    if (!request.done)
        wait_for(process, lock, request);
    else
        process.engine().started();
    if (request.status.code != ErrorCode::success) [[unlikely]]
        std::rethrow_exception(detail::failure_of(request));
}

Request Communicator::isend_view(const detail::ConstView& view, int destination, int tag, SendMode mode) const
{
    if (destination == null_rank)
        return {};
    const CommunicatorState& state = *state_;
    check_send(state, view, destination, tag);
    std::span<const std::byte> data(view.data, view.size_bytes);
    std::shared_ptr<void> kept;
    const Layout* layout = nullptr;
    if (view.layout != nullptr) [[unlikely]] {
        if (view.size_bytes <= kPackedWholeBytes) {
            const auto packed = std::make_shared<Packed>(pack(view));
            data = *packed;
            kept = packed;
        } else {
            // The caller's layout may be a short-lived object.
            const auto copy = std::make_shared<Layout>(*view.layout);
            layout = copy.get();
            kept = copy;
        }
    }
    Process& process = state.process();
    auto lock = process.engine().lock();
    const matching::MatchKey envelope(state.context(), state.rank(), tag);
    const int peer_rank = state.world_rank(destination);
    if (mode != SendMode::synchronous && layout == nullptr &&
        process.protocol().inject(envelope, peer_rank, data)) [[likely]] {
        process.engine().started();
        return {};
    }
    detail::Pooled request(process.sends);
    request->owner = &process;
    describe(*request, envelope, peer_rank, data, mode);
    collect_by(*request, layout);
    process.protocol().send(*request);
    process.engine().started();
    if (request->done && request->status.code == ErrorCode::success)
        return {};
    return RequestAccess::active(request.release(), std::move(kept));
}

Status Communicator::recv_view(const detail::View& view, int source, int tag) const
{
    if (source == null_rank)
        return {};
    const CommunicatorState& state = *state_;
    detail::check_receive(state, "recv", source, tag);
    Process& process = state.process();
    auto lock = process.engine().lock();
    ReceiveRequest request;
    detail::describe(request, state, view, view.layout, source, tag);
    process.protocol().receive(request);
    if (!request.done)
        wait_for(process, lock, request);
    if (request.status.code != ErrorCode::success) [[unlikely]]
        std::rethrow_exception(detail::failure_of(request));
    return request.status;
}

Request Communicator::irecv_view(const detail::View& view, int source, int tag) const
{
    if (source == null_rank)
        return {};
    const CommunicatorState& state = *state_;
    detail::check_receive(state, "irecv", source, tag);
    // The caller's layout may be a short-lived object.
    const auto layout = view.layout == nullptr ? nullptr : std::make_shared<Layout>(*view.layout);
    Process& process = state.process();
    auto lock = process.engine().lock();
    detail::Pooled request(process.receives);
    request->owner = &process;
    detail::describe(*request, state, view, layout.get(), source, tag);
    process.protocol().receive(*request);
    process.engine().started();
    return RequestAccess::active(request.release(), layout);
}

}  // namespace tutti
