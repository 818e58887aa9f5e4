// Communicator's sends, receives and probes: checks arguments, then hands over to the protocol.
#include <fmt/format.h>

#include <array>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/job/process.hpp"
#include "lib/core/messages/receive_description.hpp"
#include "lib/core/requests/completion.hpp"
#include "lib/core/requests/pooled.hpp"
#include "lib/core/requests/request_access.hpp"
#include "lib/foundation/datatype/transfer.hpp"
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

// Messages of a layout up to this are packed before they are sent and go without a request, if they can;
// others are packed piece by piece as they go.
constexpr std::size_t kPackedWholeBytes = 1u << 10;

bool is_packed_whole(const detail::ConstView& view, Communicator::SendMode mode) noexcept
{
    return view.layout != nullptr && view.size_bytes <= kPackedWholeBytes &&
           mode != Communicator::SendMode::synchronous;
}

// Of a buffer of so many bytes, which are not none.
std::size_t elements_of(const datatype::Typemap& layout, std::size_t size_bytes) noexcept
{
    return size_bytes / layout.size_bytes();
}

// Whether the message has gone.
[[gnu::noinline]] bool inject_packed(Process& process, const matching::MatchKey& envelope, int peer_rank,
                                     const detail::ConstView& view)
{
    std::array<std::byte, kPackedWholeBytes> memory;
    const std::span<std::byte> packed = std::span(memory).first(view.size_bytes);
    datatype::pack(*view.layout, elements_of(*view.layout, view.size_bytes), view.data, 0, packed);
    auto lock = process.engine().lock();
    if (!process.protocol().inject(envelope, peer_rank, packed))
        return false;
    process.engine().started();
    return true;
}

void collect_leaving(const SendRequest& request, std::size_t offset, std::span<std::byte> out)
{
    const auto& layout = *static_cast<const datatype::Typemap*>(request.context);
    datatype::pack(layout, elements_of(layout, request.data.size()), request.data.data(), offset, out);
}

void collect_by(SendRequest& request, const datatype::Typemap* layout) noexcept
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
    const auto& layout = *static_cast<const datatype::Typemap*>(request.context);
    datatype::unpack(layout, elements_of(layout, request.capacity), request.buffer, offset, bytes);
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

void describe(protocol::ReceiveRequest& request, const CommunicatorState& state, const View& view, int source,
              int tag)
{
    if (view.data == nullptr && view.size_bytes != 0) [[unlikely]]
        no_memory("recv", view.size_bytes);
    request.key = {state.context(), source, tag};
    request.peer_rank = source == any_source ? -1 : state.world_rank(source);
    request.buffer = view.data;
    request.capacity = view.size_bytes;
    if (view.layout != nullptr) {
        request.deliver = unpack_arriving;
        request.context = view.layout;
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
    Process& process = state.process();
    const std::span<const std::byte> data(view.data, view.size_bytes);
    const matching::MatchKey envelope(state.context(), state.rank(), tag);
    const int peer_rank = state.world_rank(destination);
    if (is_packed_whole(view, mode) && inject_packed(process, envelope, peer_rank, view)) [[unlikely]]
        return;
    auto lock = process.engine().lock();
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
    Process& process = state.process();
    const std::span<const std::byte> data(view.data, view.size_bytes);
    const matching::MatchKey envelope(state.context(), state.rank(), tag);
    const int peer_rank = state.world_rank(destination);
    if (is_packed_whole(view, mode) && inject_packed(process, envelope, peer_rank, view)) [[unlikely]]
        return {};
    auto lock = process.engine().lock();
    if (mode != SendMode::synchronous && view.layout == nullptr &&
        process.protocol().inject(envelope, peer_rank, data)) [[likely]] {
        process.engine().started();
        return {};
    }
    detail::Pooled request(process.sends);
    request->owner = &process;
    describe(*request, envelope, peer_rank, data, mode);
    // The caller's layout may be a short-lived object.
    request->layout = datatype::TypemapRef(view.layout);
    collect_by(*request, view.layout);
    process.protocol().send(*request);
    process.engine().started();
    if (request->done && request->status.code == ErrorCode::success)
        return {};
    return RequestAccess::active(request.release());
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
    detail::describe(request, state, view, source, tag);
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
    Process& process = state.process();
    auto lock = process.engine().lock();
    detail::Pooled request(process.receives);
    request->owner = &process;
    request->layout = datatype::TypemapRef(view.layout);
    detail::describe(*request, state, view, source, tag);
    process.protocol().receive(*request);
    process.engine().started();
    return RequestAccess::active(request.release());
}

}  // namespace tutti
