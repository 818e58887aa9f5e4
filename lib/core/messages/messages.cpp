#include "lib/core/messages/messages.hpp"

#include <array>
#include <type_traits>

#include "lib/core/check/checker.hpp"
#include "lib/core/requests/pooled.hpp"
#include "lib/core/requests/request_end.hpp"
#include "lib/foundation/datatype/transfer.hpp"

namespace tutti::detail {

using protocol::ReceiveRequest;
using protocol::SendRequest;

namespace {

// Shorter messages with a layout are packed first and go without a request if possible. Others are packed
// piece by piece.
constexpr std::size_t kPackedBelowBytes = 1u << 10;

// The number of elements in a buffer of `size_bytes`; the layout is not empty.
std::size_t elements_of(const datatype::Typemap& layout, std::size_t size_bytes) noexcept
{
    return size_bytes / layout.size_bytes();
}

void collect_leaving(const SendRequest& request, std::size_t offset, std::span<std::byte> out)
{
    const auto& layout = *static_cast<const datatype::Typemap*>(request.context);
    datatype::pack(layout, elements_of(layout, request.data.size()), request.data.data(), offset, out);
}

void unpack_arriving(ReceiveRequest& request, std::size_t offset, std::span<const std::byte> bytes)
{
    const auto& layout = *static_cast<const datatype::Typemap*>(request.context);
    datatype::unpack(layout, elements_of(layout, request.capacity), request.buffer, offset, bytes);
}

// Whether the message was sent.
[[gnu::noinline]] bool send_packed(const CommunicatorState& state, const ConstView& view, int destination,
                                   int tag, protocol::Departure departure)
{
    std::array<std::byte, kPackedBelowBytes> memory;
    const std::span<std::byte> packed = std::span(memory).first(view.size_bytes);
    datatype::pack(*view.layout, elements_of(*view.layout, view.size_bytes), view.data, 0, packed);
    return send_at_once(state, {packed.data(), packed.size(), nullptr}, destination, tag, SendMode::standard,
                        departure);
}

bool goes_packed(const CommunicatorState& state, const ConstView& view, int destination, int tag,
                 SendMode mode, protocol::Departure departure = protocol::Departure::at_once)
{
    return view.layout != nullptr && view.size_bytes < kPackedBelowBytes && mode != SendMode::synchronous &&
           send_packed(state, view, destination, tag, departure);
}

void describe(SendRequest& request, const CommunicatorState& state, const ConstView& view, int destination,
              int tag, SendMode mode)
{
    request.envelope = {state.context(), state.rank(), tag};
    request.peer_rank = state.peer_rank(destination);
    request.data = {view.data, view.size_bytes};
    request.synchronous = mode == SendMode::synchronous;
    if (view.layout != nullptr) {
        request.collect = collect_leaving;
        request.context = view.layout;
    }
}

// Waits for a request in the caller's stack frame. If the engine fails, the frame goes away, so all
// references to the request are removed.
template <class Request>
void wait_for(Process& process, progress::Engine::Lock& lock, Request& request)
{
    try {
        process.engine().wait(lock, [&] { return request.done; });
    } catch (...) {
        process.protocol().forget(request);
        throw;
    }
}

}  // namespace

void describe(ReceiveRequest& request, const CommunicatorState& state, const View& view, int source, int tag)
{
    request.key = {state.context(), source, tag};
    request.peer_rank = source == any_source ? -1 : state.peer_rank(source);
    request.buffer = view.data;
    request.capacity = view.size_bytes;
    if (view.layout != nullptr) {
        request.deliver = unpack_arriving;
        request.context = view.layout;
    }
}

std::exception_ptr send(progress::Engine::Lock& lock, const CommunicatorState& state, const ConstView& view,
                        int destination, int tag, SendMode mode)
{
    if (goes_packed(state, view, destination, tag, mode))
        return nullptr;
    Process& process = state.process();
    const RankStatus::InCall in_call(
        process.status(),
        RankStatus::words(observe::Operation::send, state.context(), destination, tag, view.size_bytes),
        [&] { return state.peer_rank(destination); });
    SendRequest request;
    describe(request, state, view, destination, tag, mode);
    check::Checker* const checker = process.checker();
    if (checker != nullptr) [[unlikely]] {
        request.RequestState::owner = &process;
        checker->begin(request, destination, view, true);
    }
    process.protocol().send(request);
    if (!request.done)
        wait_for(process, lock, request);
    else
        process.engine().started();
    if (checker != nullptr) [[unlikely]]
        checker->end(request);
    return failure_of(request);
}

RequestState* begin_send(const CommunicatorState& state, const ConstView& view, int destination, int tag,
                         SendMode mode, protocol::Departure departure)
{
    if (goes_packed(state, view, destination, tag, mode, departure))
        return nullptr;
    Process& process = state.process();
    Pooled request(process.sends);
    request->owner = &process;
    describe(*request, state, view, destination, tag, mode);
    request->departure = departure;
    // The caller's layout may be a short-lived object.
    request->layout = datatype::TypemapRef(view.layout);
    const RankStatus::Passing passing(
        process.status(),
        RankStatus::words(observe::Operation::isend, state.context(), destination, tag, view.size_bytes));
    check::Checker* const checker = process.checker();
    if (checker != nullptr) [[unlikely]]
        checker->begin(*request, destination, view, false);
    process.protocol().send(*request);
    process.engine().started();
    if (checker != nullptr) [[unlikely]]
        return &request.release();
    return request->done && request->status.code == ErrorCode::success ? nullptr : &request.release();
}

std::exception_ptr receive(progress::Engine::Lock& lock, const CommunicatorState& state, const View& view,
                           int source, int tag, Status& status)
{
    Process& process = state.process();
    const RankStatus::InCall in_call(
        process.status(),
        RankStatus::words(observe::Operation::recv, state.context(), source, tag, view.size_bytes),
        [&] { return source == any_source ? -1 : state.peer_rank(source); });
    ReceiveRequest request;
    describe(request, state, view, source, tag);
    check::Checker* const checker = process.checker();
    if (checker != nullptr) [[unlikely]]
        checker->begin(request, view, true);
    process.protocol().receive(request);
    if (!request.done) {
        request.owner = &process;
        request.awaited = true;
        wait_for(process, lock, request);
    }
    if (checker != nullptr) [[unlikely]]
        checker->end(request);
    status = request.status;
    if (status.code == ErrorCode::success) [[likely]]
        return nullptr;
    request.owner = &process;  // its error names messages that have come
    return failure_of(request);
}

RequestState& begin_receive(const CommunicatorState& state, const View& view, int source, int tag)
{
    Process& process = state.process();
    Pooled request(process.receives);
    request->owner = &process;
    request->layout = datatype::TypemapRef(view.layout);
    describe(*request, state, view, source, tag);
    const RankStatus::Passing passing(
        process.status(),
        RankStatus::words(observe::Operation::irecv, state.context(), source, tag, view.size_bytes));
    if (process.checker() != nullptr) [[unlikely]]
        process.checker()->begin(*request, view, false);
    process.protocol().receive(*request);
    process.engine().started();
    return request.release();
}

}  // namespace tutti::detail
