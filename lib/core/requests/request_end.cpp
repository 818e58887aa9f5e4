#include "lib/core/requests/request_end.hpp"

#include <fmt/format.h>

#include "lib/core/check/checker.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/requests/collective_request.hpp"
#include "lib/core/requests/near_fit_text.hpp"
#include "lib/engine/protocol/peers.hpp"

namespace tutti::detail {

namespace {

Error failure_of_send(const protocol::SendRequest& send)
{
    // A blocking send has an owner only where it is checked.
    const bool is_checked = send.RequestState::owner != nullptr && process_of(send).checker() != nullptr;
    return {send.status.code, "send",
            fmt::format("{} bytes with tag {} to rank {} of the job did not arrive: {}",
                        send.data.size() - (is_checked ? check::kNoteBytes : 0), send.envelope.tag(),
                        send.peer_rank, protocol::why_lost(send.peer)),
            send.peer_rank};
}

Error failure_of_receive(const protocol::ReceiveRequest& receive)
{
    const Status& status = receive.status;
    if (status.code == ErrorCode::truncated)
        return {ErrorCode::truncated, "recv",
                fmt::format("the message from rank {} with tag {} has {} bytes, the buffer {}; probe for the "
                            "size first or pass a larger buffer",
                            status.source, status.tag, status.size_bytes, receive.capacity),
                status.source};
    if (receive.sender < 0 && receive.peer_rank < 0)
        return {status.code, "recv",
                process_of(receive).diagnosis().nobody_left(receive.key.context, receive.key.tag()) +
                    near_fit(process_of(receive), receive.key)};
    const int from = receive.sender >= 0 ? receive.sender : receive.peer_rank;
    return {status.code, "recv",
            fmt::format("nothing more comes from rank {} of the job: {}{}", from,
                        protocol::why_lost(receive.lost),
                        receive.sender < 0 ? near_fit(process_of(receive), receive.key) : ""),
            from};
}

// An interface may still be given the handle of the state, and look at its owner. Volatile, because the
// compiler sees that the state ends and would leave the store out.
void disown(RequestState& state) noexcept
{
    *const_cast<void* volatile*>(&state.owner) = nullptr;
}

// Not inline, so that recycle() is short for receives.
[[gnu::noinline]] void give_back_send(Process& process, RequestState& state)
{
    process.sends.give_back(static_cast<protocol::SendRequest&>(state));
}

[[gnu::noinline]] void destroy_collective(RequestState& state)
{
    delete static_cast<CollectiveRequest*>(&state);
}

}  // namespace

std::exception_ptr failure_of(RequestState& state)
{
    if (state.status.code == ErrorCode::success)
        return nullptr;
    switch (state.kind) {
        case RequestState::Kind::send:
            return std::make_exception_ptr(failure_of_send(static_cast<protocol::SendRequest&>(state)));
        case RequestState::Kind::receive:
            return std::make_exception_ptr(failure_of_receive(static_cast<protocol::ReceiveRequest&>(state)));
        case RequestState::Kind::window:
            return static_cast<WindowRequest&>(state).failure;
        case RequestState::Kind::own:
            return static_cast<OwnRequest&>(state).failure();
        case RequestState::Kind::collective:
            break;
    }
    return static_cast<CollectiveRequest&>(state).failure();
}

void recycle(RequestState& state)
{
    Process& process = process_of(state);
    if (process.checker() != nullptr) [[unlikely]]
        process.checker()->end(state);
    if (state.kind != RequestState::Kind::own) {
        process.engine().request_ended();
        disown(state);
    }
    switch (state.kind) {
        case RequestState::Kind::send:
            return give_back_send(process, state);
        case RequestState::Kind::receive:
            process.receives.give_back(static_cast<protocol::ReceiveRequest&>(state));
            return;
        case RequestState::Kind::collective:
            return destroy_collective(state);
        case RequestState::Kind::window:
            process.window_requests.give_back(static_cast<WindowRequest&>(state));
            return;
        case RequestState::Kind::own:
            static_cast<OwnRequest&>(state).recycle();
            return;
    }
}

bool give_up(RequestState& state, std::exception_ptr why) noexcept
{
    if (state.kind != RequestState::Kind::collective)
        return false;
    static_cast<CollectiveRequest&>(state).give_up(std::move(why));
    return true;
}

void forget(RequestState& state) noexcept
{
    protocol::Protocol& protocol = process_of(state).protocol();
    if (state.kind == RequestState::Kind::send)
        protocol.forget(static_cast<protocol::SendRequest&>(state));
    else if (state.kind == RequestState::Kind::receive)
        protocol.forget(static_cast<protocol::ReceiveRequest&>(state));
    else if (state.kind == RequestState::Kind::window)
        static_cast<WindowRequest&>(state).forget();
}

}  // namespace tutti::detail
