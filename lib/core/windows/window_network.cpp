// Put and get of memory that this rank does not map, by a network that writes and reads it: without frames,
// and with no more of the target's help than the network's provider needs.
#include <fmt/format.h>

#include <algorithm>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/job/process.hpp"
#include "lib/core/windows/window.hpp"

namespace tutti::detail {

using progress::Engine;
using transport::SendResult;

namespace {

// To one target. Then a put or get waits for an earlier one.
constexpr unsigned kMostCopiesUnderWay = 64;

// A put or get that its call waits for.
class AwaitedCopy : public transport::Completion {
public:
    explicit AwaitedCopy(transport::RemoteMemory& network) : network_(network)
    {
        fire = [](transport::Completion& self, ErrorCode code) {
            auto& copy = static_cast<AwaitedCopy&>(self);
            copy.result = code;
            copy.under_way = false;
        };
    }
    ~AwaitedCopy()
    {
        if (under_way)
            network_.abandon(*this);
    }
    AwaitedCopy(const AwaitedCopy&) = delete;
    AwaitedCopy& operator=(const AwaitedCopy&) = delete;

    bool under_way = false;
    ErrorCode result = ErrorCode::success;

private:
    transport::RemoteMemory& network_;
};

}  // namespace

// For ranks of other nodes.
void Window::grant_memory(WindowPlace& place)
{
    transport::RemoteMemory* const network = process_.network_memory();
    const bool one_node = std::ranges::all_of(*communicator_->members(), [&](int member) {
        return member == process_.rank() || process_.is_local(member);
    });
    if (network == nullptr || one_node || place.size_bytes == 0 ||
        !network->grant({base_, place.size_bytes}, place.granted))
        return;
    place.is_granted = 1;
    granted_ = place.granted;
    granted_by_ = network;
}

void Window::revoke_memory() noexcept
{
    if (transport::RemoteMemory* const network = std::exchange(granted_by_, nullptr))
        network->revoke(granted_);
}

// nullptr: there is none, or the target's provider has not what it claims.
transport::RemoteMemory* Window::network_to(int rank)
{
    WindowTarget& there = target(rank);
    if (!std::exchange(there.asked_for_network, true) &&
        places_[static_cast<std::size_t>(rank)].is_granted != 0) {
        try {
            there.network = process_.protocol().memory_of(communicator_->world_rank(rank));
        } catch (const Error&) {
            // The operation goes by frames, and reports what is wrong.
        }
        if (there.network != nullptr && !there.network->puts())
            there.network = nullptr;
    }
    return there.network;
}

// Until the loss of a rank is known, which a network has noticed first.
Window::Failure Window::await_loss(Engine::Lock& lock, std::string_view operation, const WindowAim& aim)
{
    return await(lock, operation, aim.target, aim, [] { return false; });
}

// Bytes in a row on both sides. `waits`: the memory here is the caller's when this returns. False: they must
// go by frames.
bool Window::move_by_network(Engine::Lock& lock, const Place& place, std::span<std::byte> here, bool puts,
                             bool waits, Failure& failed)
{
    const int rank = place.aim.target;
    transport::RemoteMemory* const network = network_to(rank);
    if (network == nullptr)
        return false;
    const std::string_view operation = puts ? "put" : "get";
    const transport::RemoteRegion& granted = places_[static_cast<std::size_t>(rank)].granted;
    const transport::RemoteRegion there{granted.address + static_cast<std::uint64_t>(place.offset),
                                        granted.key};
    try {
        const bool goes_on = puts ? here.size() <= network->most_copied_bytes() : !waits;
        bool& works = puts ? target(rank).network_puts : target(rank).network_gets;
        if (goes_on && works)
            return start_copy(lock, *network, place, there, here, puts, failed);
        AwaitedCopy copy(*network);
        const int peer = communicator_->world_rank(rank);
        const SendResult result =
            puts ? network->put(peer, there, here, copy) : network->get(peer, there, here, copy);
        if (result == SendResult::again)
            return false;
        copy.under_way = result == SendResult::pending;
        // After a loss its message is awaited.
        failed = await(lock, operation, rank, place.aim,
                       [&] { return !copy.under_way && copy.result != ErrorCode::peer_lost; });
        if (failed || copy.result == ErrorCode::success) {
            works |= !failed;
            return true;
        }
    } catch (const Error& error) {
        if (error.code() == ErrorCode::peer_lost) {
            failed = await_loss(lock, operation, place.aim);
            return true;
        }
        // Own memory cannot be registered: this one goes by frames.
        return false;
    }
    target(rank).network = nullptr;
    return false;
}

// The data of such a put is copied, and that of a get is there with the next completion: this rank goes on.
bool Window::start_copy(Engine::Lock& lock, transport::RemoteMemory& network, const Place& place,
                        const transport::RemoteRegion& there, std::span<std::byte> here, bool puts,
                        Failure& failed)
{
    using Kind = WindowCopies::Kind;
    const int rank = place.aim.target;
    const int peer = communicator_->world_rank(rank);
    failed = await(lock, puts ? "put" : "get", rank, place.aim,
                   [&] { return copies_.under_way(rank) < kMostCopiesUnderWay; });
    if (failed)
        return true;
    transport::Completion& copy = copies_.begin(puts ? Kind::put : Kind::get, rank, network);
    SendResult result = SendResult::again;
    try {
        result = puts ? network.put(peer, there, here, copy) : network.get(peer, there, here, copy);
    } catch (...) {
        copies_.end(copy);
        throw;
    }
    if (result != SendResult::pending)
        copies_.end(copy);
    process_.engine().started();
    return result != SendResult::again;
}

// Under the lock. The puts and gets so far are complete at `rank`, or at all ranks; or the gets.
Window::Failure Window::complete_copies(Engine::Lock& lock, std::string_view operation, int rank,
                                        bool only_gets)
{
    Failure first;
    for (int each = 0; each < communicator_->size() && !copies_.all_complete(); ++each) {
        if (rank != kAnyRank && rank != each)
            continue;
        Failure failed = complete_copies_at(lock, operation, each, only_gets);
        if (failed && !first)
            first = std::move(failed);
    }
    return first;
}

Window::Failure Window::complete_copies_at(Engine::Lock& lock, std::string_view operation, int rank,
                                           bool only_gets)
{
    const WindowAim aim{.target = rank};
    Failure failed = await(lock, operation, rank, aim, [&] {
        return (only_gets ? copies_.gets_under_way(rank) : copies_.under_way(rank)) == 0;
    });
    const ErrorCode ended = copies_.take_failure(rank);
    if (failed || ended == ErrorCode::success)
        return failed;
    if (ended == ErrorCode::peer_lost)
        return await_loss(lock, operation, aim);
    // A network may notice first that a rank has died. Who answers has not.
    const WindowTransfer nothing{{}, 0, 0, 0};
    failed = ask(lock, operation, aim, WindowHeader::What::get, 0, std::as_bytes(std::span(&nothing, 1)), {});
    if (failed)
        return failed;
    return std::make_exception_ptr(
        Error(ended, operation,
              fmt::format("{}, rank {}: the network has not brought a put to its memory, or a get from it{}; "
                          "to do without its reads and writes, set TUTTI_FABRIC_RMA=off for all ranks",
                          name_, rank, in_epoch()),
              rank));
}

}  // namespace tutti::detail
