#include "lib/core/communicators/communicator_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "collectives/framework/block_pool.hpp"
#include "lib/engine/protocol/pieces.hpp"
#include "lib/foundation/base/error_detail.hpp"

namespace tutti::detail {

using collectives::Operation;
using collectives::OperationState;
using collectives::Scratch;
using collectives::Side;

namespace {

void send_finished(RequestState& state) noexcept
{
    auto& send = static_cast<GroupSend&>(static_cast<protocol::SendRequest&>(state));
    send.complete(send.status.code);
}

void receive_finished(RequestState& state) noexcept
{
    auto& receive = static_cast<GroupReceive&>(static_cast<protocol::ReceiveRequest&>(state));
    const bool wrong_size =
        receive.status.code == ErrorCode::success && receive.status.size_bytes != receive.capacity;
    if (receive.view != nullptr && !receive.viewed.empty())
        receive.view->show(receive.OperationState::owner(), receive.viewed, receive.sender,
                           receive.sender_id);
    receive.complete(wrong_size ? ErrorCode::truncated : receive.status.code);
}

// Combines `count` elements that begin `offset` bytes into the message.
void combine(const GroupReceive& receive, std::size_t offset, const std::byte* arrived, std::size_t count)
{
    const reduction::ReduceOp& op = *receive.op;
    std::byte* const result = receive.result.data + offset;
    const std::byte* const operand = receive.operand + offset;
    if (receive.arriving == Side::left)
        op(result, arrived, operand, count);
    else
        op(result, operand, arrived, count);
}

// For a part that starts or ends within an element: keeps the cut element until the next part completes it.
void reduce_cut_part(GroupReceive& receive, std::size_t offset, std::span<const std::byte> bytes)
{
    const std::size_t element_bytes = receive.result.element_bytes;
    if (receive.cut_element == nullptr)
        receive.cut_element = std::make_unique_for_overwrite<std::byte[]>(element_bytes);
    const std::size_t begun = offset % element_bytes;
    offset -= begun;
    if (begun != 0) {
        const std::size_t missing = std::min(element_bytes - begun, bytes.size());
        std::memcpy(receive.cut_element.get() + begun, bytes.data(), missing);
        bytes = bytes.subspan(missing);
        if (begun + missing != element_bytes)
            return;
        combine(receive, offset, receive.cut_element.get(), 1);
        offset += element_bytes;
    }
    const std::size_t whole = bytes.size() / element_bytes;
    combine(receive, offset, bytes.data(), whole);
    const std::span<const std::byte> start = bytes.subspan(whole * element_bytes);
    std::ranges::copy(start, receive.cut_element.get());
}

// Combines a part of the message directly from the transport's memory. Parts arrive in order. Transports cut
// messages at multiples of the largest built-in element, but users' elements may have any size.
void reduce_arriving(protocol::ReceiveRequest& request, std::size_t offset, std::span<const std::byte> bytes)
{
    auto& receive = static_cast<GroupReceive&>(request);
    const std::size_t count = bytes.size() / receive.result.element_bytes;
    const bool whole = count * receive.result.element_bytes == bytes.size();
    if (whole && receive.cut_element == nullptr) [[likely]]
        combine(receive, offset, bytes.data(), count);
    else
        reduce_cut_part(receive, offset, bytes);
}

}  // namespace

observe::CallWords CommunicatorGroup::words_of_call(const CallSignature& signature) const noexcept
{
    if (shown_) [[unlikely]]
        return *shown_;
    const std::uint64_t bytes = own_bytes_ != 0 ? own_bytes_ : signature.words()[0];
    return {state_.collective_context(), number_,
            observe::CallWords::what_of(observe::Operation::collective, bytes), signature.words()[1]};
}

observe::CallWords CommunicatorGroup::words_of_wait() const noexcept
{
    if (shown_) [[unlikely]] {
        // Its bytes have been counted.
        observe::CallWords words = *shown_;
        words.what = observe::CallWords::what_of(words.operation(), 0);
        return words;
    }
    const CallSignature* const signature = state_.calls().find(number_);
    const CallSignature::Words words = signature != nullptr ? signature->words() : CallSignature::Words();
    return {state_.collective_context(), number_,
            observe::CallWords::what_of(observe::Operation::wait_collective, words[0]), words[1]};
}

Operation CommunicatorGroup::start_send(int peer, std::span<const std::byte> data, bool copied)
{
    const int peer_rank = state_.world_rank(peer);
    if (state_.process().protocol().inject(envelope(), peer_rank, data)) [[likely]]
        return {};
    GroupSend& send = state_.process().group_sends.take(*this);
    send.peer_rank = peer_rank;
    send.data = data;
    send.copied = copied;
    return start(send);
}

Operation CommunicatorGroup::send_parts(int peer, collectives::Parts parts)
{
    if (parts.size() == 1)  // any transport sends it without a copy, and the peer may read it there
        return send(peer, parts.front());
    std::size_t size_bytes = 0;
    for (const std::span<const std::byte> part : parts)
        size_bytes += part.size();
    const int peer_rank = state_.world_rank(peer);
    Scratch together;
    if (size_bytes > protocol::kPieceBytes && !state_.process().protocol().gathers(peer_rank, parts.size())) {
        // The peer can read a copy that lies in one place.
        together = Scratch(size_bytes);
        std::byte* to = together.data();
        for (const std::span<const std::byte> part : parts)
            to = std::ranges::copy(part, to).out;
        parts = {};
    }
    GroupSend& send = state_.process().group_sends.take(*this);
    send.peer_rank = peer_rank;
    send.data = {together.data(), size_bytes};
    send.parts = parts;
    send.together = std::move(together);
    return start(send);
}

Operation CommunicatorGroup::start(GroupSend& send)
{
    send.envelope = envelope();
    try {
        state_.process().protocol().send(send);
    } catch (...) {
        state_.process().group_sends.give_back(send);
        throw;
    }
    if (send.RequestState::done && send.status.code == ErrorCode::success) [[likely]] {
        state_.process().group_sends.give_back(send);
        return {};
    }
    if (send.RequestState::done)
        send.complete(send.status.code);
    send.on_finish = send_finished;
    return Operation(send);
}

GroupReceive& CommunicatorGroup::new_receive(int peer, std::span<std::byte> data)
{
    GroupReceive& receive = state_.process().group_receives.take(*this);
    receive.key = {state_.collective_context(), peer | mark().above_rank, mark().tag};
    receive.peer_rank = state_.world_rank(peer);
    receive.buffer = data.data();
    receive.capacity = data.size();
    receive.exact = true;
    return receive;
}

Operation CommunicatorGroup::start(GroupReceive& receive)
{
    receive.on_finish =
        receive_finished;  // no coroutine waits yet: a receive that ends at once marks the state
    state_.process().protocol().receive(receive);
    return Operation(receive);
}

Operation CommunicatorGroup::recv(int peer, std::span<std::byte> data)
{
    return start(new_receive(peer, data));
}

Operation CommunicatorGroup::recv_view(int peer, collectives::View& view)
{
    GroupReceive& receive = new_receive(peer, view.room());
    receive.view = &view;
    receive.in_place = true;
    return start(receive);
}

Operation CommunicatorGroup::copy_with(int peer, std::span<std::byte> dst, std::span<const std::byte> src)
{
    if (dst.size() < protocol::kLongBytes || dst.data() == src.data()) {
        copy(dst, src);
        return {};
    }
    GroupReceive& receive = new_receive(peer, dst);
    receive.on_finish = receive_finished;
    state_.process().protocol().copy_own(receive, src);
    return Operation(receive);
}

Operation CommunicatorGroup::recv_reduce(int peer, const std::byte* operand, collectives::Buffer result,
                                         collectives::ReduceOp op, Side arriving)
{
    GroupReceive& receive = new_receive(peer, result.bytes());
    receive.operand = operand;
    receive.result = result;
    receive.op = op;
    receive.arriving = arriving;
    receive.exact = false;  // no transport writes it to a buffer
    receive.deliver = reduce_arriving;
    return start(receive);
}

void CommunicatorGroup::release(OperationState& state) noexcept
{
    auto& request = static_cast<GroupRequest&>(state);
    if (request.direction == GroupRequest::Direction::board)
        board_->forget();
    else if (request.direction == GroupRequest::Direction::send)
        release_send(static_cast<GroupSend&>(request));
    else
        release_receive(static_cast<GroupReceive&>(request));
}

void CommunicatorGroup::release_send(GroupSend& send) noexcept
{
    Process& process = state_.process();
    if (send.OperationState::done()) [[likely]] {
        process.group_sends.give_back(send);
        return;
    }
    // The peer may still match the message, so it keeps a copy of the data: the caller's data may go away. A
    // peer that reads in place does not ask for the copy.
    send.orphaned_data.reset(new (std::nothrow) std::byte[send.data.size()]);
    const bool in_view = send.protocol == protocol::MessageProtocol::read_in_place;
    if (send.orphaned_data == nullptr || (in_view && !collectives::pool::retire(send.data.data())))
        abort_for_memory(send);
    try {
        process.protocol().let_go(send);
    } catch (const std::bad_alloc&) {
        abort_for_memory(send);
    }
    protocol::copy_out(send, {send.orphaned_data.get(), send.data.size()});
    send.parts = {};
    send.collect = nullptr;
    send.data = {send.orphaned_data.get(), send.data.size()};
    send.RequestState::owner = &process;
    send.on_finish = [](RequestState& ended) noexcept {
        auto& orphan = static_cast<GroupSend&>(static_cast<protocol::SendRequest&>(ended));
        static_cast<Process*>(orphan.RequestState::owner)->group_sends.give_back(orphan);
    };
}

// The call has most likely failed for the same reason.
void CommunicatorGroup::abort_for_memory(const GroupSend& send) const
{
    const std::size_t refused = collectives::take_refused_bytes();
    const std::string reason =
        refused != 0 ? fmt::format(" for want of {} bytes of working memory", refused) : std::string();
    state_.process().abort(
        1, fmt::format("{}: {}: {} has failed{} while a message of {} bytes to rank {} of the job was under "
                       "way, and there is no memory to keep it until it has arrived; call it for a part of "
                       "the data at a time, or name an algorithm that needs none (tutti-info --explain)",
                       my_name(), to_string(ErrorCode::out_of_memory), describe_mine(), reason,
                       send.data.size(), send.peer_rank));
}

void CommunicatorGroup::release_receive(GroupReceive& receive) noexcept
{
    Process& process = state_.process();
    if (!receive.OperationState::done()) [[unlikely]] {
        receive.on_finish = nullptr;
        receive.view = nullptr;
        if (!process.protocol().cancel(receive)) {
            // Matched and still arriving: discard the rest.
            try {
                process.protocol().let_go(receive);
            } catch (const std::exception& error) {
                process.abort(1, fmt::format("{}: {} has failed while a message was arriving in its memory, "
                                             "and the arrival cannot be stopped: {}",
                                             my_name(), describe_mine(), error.what()));
            }
        }
        if (!receive.RequestState::done) {
            receive.RequestState::owner = &process;
            receive.on_finish = [](RequestState& ended) noexcept {
                auto& orphan = static_cast<GroupReceive&>(static_cast<protocol::ReceiveRequest&>(ended));
                static_cast<Process*>(orphan.RequestState::owner)->group_receives.give_back(orphan);
            };
            return;
        }
    }
    process.group_receives.give_back(receive);
}

// nullptr if calls have no common order.
const CallSignature* CommunicatorGroup::my_call() const
{
    return has_order_ ? state_.calls().find(number_) : nullptr;
}

std::string_view CommunicatorGroup::my_name() const
{
    const CallSignature* const mine = my_call();
    return mine != nullptr ? name_of(mine->kind()) : has_order_ ? "collective" : "create_from";
}

std::string CommunicatorGroup::describe_mine() const
{
    const CallSignature* const mine = my_call();
    return mine != nullptr ? mine->describe() : std::string(my_name());
}

void CommunicatorGroup::rethrow_named(const collectives::Task& task) const
{
    try {
        task.rethrow();
    } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory)
            throw;
        static_cast<void>(collectives::take_refused_bytes());
        throw Error(error.code(), my_name(),
                    fmt::format("in {} {}", describe_mine(), base::detail_of(error)));
    }
}

// The peer has ended. If it was in another call, the error tells that.
void CommunicatorGroup::raise_failed(ErrorCode result, int peer) const
{
    const CallSignature* const mine = my_call();
    if (mine != nullptr)
        state_.process().diagnosis().check_other_call(state_, peer, number_);
    state_.raise_lost(peer, mine, result, my_name());
}

void CommunicatorGroup::raise(const OperationState& state) const
{
    const auto& request = static_cast<const GroupRequest&>(state);
    if (request.direction == GroupRequest::Direction::receive) {
        const auto& receive = static_cast<const GroupReceive&>(request);
        const int peer = CallMark::rank_of(receive.key.source());
        if (state.result() == ErrorCode::truncated) {
            throw Error(
                ErrorCode::truncated, my_name(),
                fmt::format("in {} rank {} of the communicator sent {} bytes where this rank expected {}: "
                            "what one rank gives for another must be what that one takes",
                            describe_mine(), peer, receive.status.size_bytes, receive.capacity),
                peer);
        }
        raise_failed(state.result(), peer);
    }
    const std::vector<int>& members = *state_.members();
    const auto receiver = std::ranges::find(members, static_cast<const GroupSend&>(request).peer_rank);
    raise_failed(state.result(), static_cast<int>(receiver - members.begin()));
}

}  // namespace tutti::detail
