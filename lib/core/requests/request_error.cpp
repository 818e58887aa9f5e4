#include "lib/core/requests/request_error.hpp"

#include <fmt/format.h>

#include "lib/core/calls/collective_request.hpp"
#include "lib/core/job/process.hpp"
#include "lib/engine/protocol/peer.hpp"
#include "lib/engine/protocol/requests.hpp"

namespace tutti::detail {

std::exception_ptr error_of(RequestState& state)
{
    switch (state.kind) {
        case RequestState::Kind::send: {
            const auto& send = static_cast<const protocol::SendRequest&>(state);
            return std::make_exception_ptr(Error(
                state.status.code, "send",
                fmt::format("{} bytes with tag {} to rank {} of the job did not arrive: {}", send.data.size(),
                            send.envelope.tag(), send.peer_rank, protocol::why_lost(send.peer)),
                send.peer_rank));
        }
        case RequestState::Kind::receive: {
            const auto& receive = static_cast<const protocol::ReceiveRequest&>(state);
            if (state.status.code == ErrorCode::truncated)
                return std::make_exception_ptr(Error(
                    ErrorCode::truncated, "recv",
                    fmt::format(
                        "the message from rank {} with tag {} has {} bytes, the buffer {}; probe for the "
                        "size first or pass a larger buffer",
                        state.status.source, state.status.tag, state.status.size_bytes, receive.capacity),
                    state.status.source));
            if (receive.sender < 0 && receive.peer_rank < 0)
                return std::make_exception_ptr(
                    Error(state.status.code, "recv",
                          static_cast<Process*>(state.owner)
                              ->attendance()
                              .nobody_left(receive.key.context, receive.key.tag())));
            return std::make_exception_ptr(
                Error(state.status.code, "recv",
                      fmt::format("nothing more comes from rank {} of the job: {}",
                                  receive.sender >= 0 ? receive.sender : receive.peer_rank,
                                  protocol::why_lost(receive.lost)),
                      receive.sender >= 0 ? receive.sender : receive.peer_rank));
        }
        case RequestState::Kind::collective: {
            try {
                const auto& request = static_cast<CollectiveRequest&>(state);
                request.group.rethrow(request.task);
            } catch (...) {
                return std::current_exception();
            }
        }
    }
    return std::make_exception_ptr(
        Error(ErrorCode::internal, "wait", "an operation failed without a reason"));
}

}  // namespace tutti::detail
