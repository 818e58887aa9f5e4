// Makes a communicator's board: which communicators have one, and how their ranks agree on it.
#include <cstdint>
#include <memory>
#include <span>

#include "collectives/framework/functions.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/communicators/run_collective.hpp"
#include "lib/core/process/process.hpp"

namespace tutti::detail {

namespace {

using collectives::Task;
using transport::shm::BoardContact;
using transport::shm::NodeBoard;

// Sharing memory costs each rank some 100 us, so a communicator gets a board after a few calls.
constexpr int kCallsBefore = 4;

// nullptr if this rank cannot have the memory or has enough boards. Then no rank uses a board.
std::unique_ptr<NodeBoard> or_nothing(auto&& make)
{
    try {
        return std::make_unique<NodeBoard>(make());
    } catch (const Error&) {
        return nullptr;
    }
}

}  // namespace

NodeBoard* CommunicatorState::settle_board(progress::Engine::Lock& lock)
{
    if (!cores_are_agreed_) [[unlikely]]
        agree_on_cores();
    const bool eligible =
        placement_.one_node && size() > 1 && !has_two_groups_ && process_.inbox() != nullptr;
    if (eligible && blocking_calls_ < kCallsBefore && ++blocking_calls_ == kCallsBefore) [[unlikely]]
        make_board(lock);
    return board_.get();
}

void CommunicatorState::make_board(progress::Engine::Lock& lock)
{
    CommunicatorGroup group(*this, next_collective());
    progress::Engine& engine = process_.engine();
    // Reports show each of the two waits as one within this call.
    const auto wait_for = [&](Task& task) {
        group.announce({.kind = collectives::CallKind::share_memory});
        drive(engine, lock, group, task);
    };
    std::unique_ptr<NodeBoard> made;
    BoardContact contact{};
    if (rank_ == 0) {
        made = or_nothing([&] {
            return NodeBoard::create(static_cast<std::uint32_t>(size()), process_.inbox()->owner,
                                     process_.exchange());
        });
        if (made)
            contact = made->contact();
    }
    const std::span<std::byte> bytes = std::as_writable_bytes(std::span(&contact, 1));
    Task informed = collectives::broadcast_flat(group, bytes, 0);
    wait_for(informed);
    if (rank_ != 0 && BoardContact::parse(bytes))
        made = or_nothing([&] { return NodeBoard::open(contact, process_.exchange()); });
    if (made)
        made->join(static_cast<std::uint32_t>(rank_), *process_.inbox());

    auto all_have_it = static_cast<std::uint8_t>(made != nullptr);
    const collectives::Buffer vote{reinterpret_cast<std::byte*>(&all_have_it), 1, 1};
    Task voted =
        collectives::allreduce_flat(group, vote.data, vote, {reduction::Op::min, reduction::DataType::uint8});
    wait_for(voted);
    if (made)
        made->close_descriptor();
    if (all_have_it != 0)
        board_ = std::move(made);
    board_is_settled_ = true;
}

}  // namespace tutti::detail
