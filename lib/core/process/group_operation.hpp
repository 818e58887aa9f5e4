// The requests behind a collective's operations: a protocol request together with the state on which a
// coroutine waits.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "collectives/framework/group.hpp"
#include "lib/engine/protocol/requests.hpp"

namespace tutti::detail {

struct GroupRequest : collectives::OperationState {
    enum class Direction : unsigned char { send, receive, board };

    GroupRequest(collectives::Group& group, Direction which) noexcept
        : OperationState(group), direction(which)
    {
    }

    const Direction direction;
};

struct GroupSend final : GroupRequest, protocol::SendRequest {
    explicit GroupSend(collectives::Group& group) noexcept : GroupRequest(group, Direction::send) {}

    collectives::Scratch together;  // of a message in parts, for a transport that does not gather
    std::unique_ptr<std::byte[]> orphaned_data;  // of a send that its collective has abandoned
};

struct GroupReceive final : GroupRequest, protocol::ReceiveRequest {
    explicit GroupReceive(collectives::Group& group) noexcept : GroupRequest(group, Direction::receive) {}

    collectives::View* view = nullptr;
    // For recv_reduce: the arriving data is combined with the operand into the result.
    const std::byte* operand = nullptr;
    collectives::Buffer result;
    std::optional<reduction::ReduceOp> op;
    collectives::Side arriving = collectives::Side::left;
    std::unique_ptr<std::byte[]> cut_element;  // the start of an element that a part cuts
};

}  // namespace tutti::detail
