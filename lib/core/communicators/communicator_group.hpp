// Group over the engine: collective algorithms run on it in a real job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collectives/framework/group.hpp"
#include "collectives/framework/rounds.hpp"
#include "collectives/framework/task.hpp"
#include "lib/core/communicators/call_signature.hpp"
#include "lib/core/communicators/communicator_board.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/process/group_operation.hpp"
#include "lib/core/process/process.hpp"

namespace tutti::detail {

/// The messages of one collective call on one communicator, and its use of the board. Under the engine's
/// lock.
class CommunicatorGroup final : public collectives::Group {
public:
    /// Call `number` of the communicator. A blocking call may use the communicator's board, if there is one;
    /// it must call poll_board() while it waits.
    CommunicatorGroup(CommunicatorState& state, std::uint32_t number,
                      transport::shm::NodeBoard* board = nullptr)
        : Group(state.rank(), state.size(), with_board(state.placement(), board)),
          state_(state),
          number_(number),
          memory_(board)
    {
    }
    /// A call without a common order; only its tag identifies it.
    CommunicatorGroup(CommunicatorState& state, CreateTag tag)
        : Group(state.rank(), state.size(), state.placement()), state_(state), has_order_(false)
    {
        mark_.tag = tag.value;
    }

    collectives::Operation send(int peer, std::span<const std::byte> data) override
    {
        return start_send(peer, data, false);
    }
    collectives::Operation send_parts(int peer, collectives::Parts parts) override;
    collectives::Operation recv_view(int peer, collectives::View& view) override;
    collectives::Operation send_ahead(int peer, std::span<const std::byte> data) override
    {
        return start_send(peer, data, placement().more_ranks_than_cores);
    }
    bool reads_in_place(int peer, std::span<const std::byte> data) override
    {
        return state_.process().protocol().reads_in_place(state_.world_rank(peer), data);
    }
    collectives::Operation recv(int peer, std::span<std::byte> data) override;
    collectives::Operation recv_reduce(int peer, const std::byte* operand, collectives::Buffer result,
                                       collectives::ReduceOp op, collectives::Side arriving) override;
    collectives::Operation copy_with(int peer, std::span<std::byte> dst,
                                     std::span<const std::byte> src) override;
    collectives::Board* board() noexcept override
    {
        CommunicatorBoard* const board = shared_memory();
        if (board != nullptr)
            board->begin();
        return board;
    }
    collectives::Streams* streams() noexcept override { return shared_memory(); }
    bool may_read_in_place() const noexcept override
    {
        return memory_ == nullptr || memory_->streams().any_lends();
    }
    bool runs_at_once(collectives::Rounds& rounds) override;

    void announce(const collectives::Call& call) override
    {
        const CallSignature signature(call, memory_ != nullptr);
        signature_ = signature;
        state_.note_call(number_, signature);
        state_.process().status().begins(words_of_call(signature));
        if (memory_ != nullptr)
            memory_->announce(signature.words());
    }

    // Before announce(): what the status page says of the call.

    /// This rank's own bytes, where ranks' parts differ.
    void show_bytes(std::uint64_t bytes) noexcept { own_bytes_ = bytes; }
    /// Other words, of a call that is no collective.
    void show(const observe::CallWords& words) noexcept { shown_ = words; }

    /// Throws the error of the call's task, if any. An out-of-memory error names the call.
    void rethrow(const collectives::Task& task) const
    {
        if (task.failed()) [[unlikely]]
            rethrow_named(task);
    }

    Process& process() const noexcept { return state_.process(); }
    const CommunicatorState& communicator() const noexcept { return state_; }
    /// No call if a tag instead of a number identifies it.
    CallPlace place() const noexcept
    {
        return has_order_ ? CallPlace{state_.collective_context(), number_} : CallPlace{};
    }

    /// A wait for the end of this call, on the status page.
    observe::CallWords words_of_wait() const noexcept;

    /// From now on runs_at_once() may wait, with this lock that is held; nullptr: it may not.
    void let_block(progress::Engine::Lock* lock) noexcept { lock_ = lock; }

    void poll_board()
    {
        if (board_)
            board_->poll();
    }

private:
    static collectives::Placement with_board(collectives::Placement placement,
                                             const transport::shm::NodeBoard* board) noexcept
    {
        if (board != nullptr)
            placement.add_board<transport::shm::NodeBoard>();
        return placement;
    }

    CommunicatorBoard* shared_memory() noexcept
    {
        if (!board_ && memory_ != nullptr)
            board_.emplace(*memory_, *this);
        return board_ ? &*board_ : nullptr;
    }
    observe::CallWords words_of_call(const CallSignature& signature) const noexcept;
    void release(collectives::OperationState& state) noexcept override;
    void end_view(int sender, std::uint64_t id) noexcept override
    {
        state_.process().protocol().end_view(sender, id);
    }
    [[noreturn]] void raise(const collectives::OperationState& state) const override;
    void rethrow_named(const collectives::Task& task) const;
    const CallSignature* my_call() const;
    std::string_view my_name() const;
    std::string describe_mine() const;
    [[noreturn]] void abort_for_memory(const GroupSend& send) const;
    [[noreturn]] void raise_failed(ErrorCode result, int peer) const;
    collectives::Operation start_send(int peer, std::span<const std::byte> data, bool copied);
    void release_send(GroupSend& send) noexcept;
    void release_receive(GroupReceive& receive) noexcept;
    GroupReceive& new_receive(int peer, std::span<std::byte> data);
    matching::MatchKey envelope() noexcept
    {
        return {state_.collective_context(), state_.rank() | mark().above_rank, mark().tag};
    }
    // Calls that exchange no messages need none.
    const CallMark& mark() noexcept
    {
        if (has_order_ && !is_marked_) {
            mark_ = CallMark(number_, signature_);
            is_marked_ = true;
        }
        return mark_;
    }
    void await_at_board(transport::shm::NodeBoard::Event event, int rank);
    collectives::Operation start(GroupSend& send);
    collectives::Operation start(GroupReceive& receive);

    CommunicatorState& state_;
    std::uint32_t number_ = 0;
    const bool has_order_ = true;
    bool is_marked_ = false;
    CallMark mark_;
    CallSignature signature_;
    std::uint64_t own_bytes_ = 0;
    std::optional<observe::CallWords> shown_;
    transport::shm::NodeBoard* memory_ = nullptr;
    std::optional<CommunicatorBoard> board_;  // set once the algorithm has asked for it
    progress::Engine::Lock* lock_ = nullptr;
};

}  // namespace tutti::detail
