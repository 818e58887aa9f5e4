#include "lib/core/windows/window_network.hpp"

#include <fmt/format.h>

#include <utility>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/process/process.hpp"

namespace tutti::detail {

using transport::SendResult;

namespace {

// To one target. Then a put or get waits for an earlier one.
constexpr unsigned kMostCopiesUnderWay = 64;

std::string_view operation_of(bool puts) noexcept
{
    return puts ? "put" : "get";
}

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

void WindowNetwork::grant(std::byte* base, WindowPlace& place)
{
    transport::RemoteMemory* const network = window_.process().network_memory();
    if (network == nullptr || window_.communicator()->placement().one_node || place.size_bytes == 0 ||
        !network->grant({base, place.size_bytes}, place.granted))
        return;
    place.is_granted = 1;
    granted_ = place.granted;
    granted_by_ = network;
}

void WindowNetwork::revoke() noexcept
{
    if (transport::RemoteMemory* const network = std::exchange(granted_by_, nullptr))
        network->revoke(granted_);
}

WindowNetwork::Path& WindowNetwork::path_to(int rank)
{
    Path& path = paths_[static_cast<std::size_t>(rank)];
    if (!std::exchange(path.is_known, true) && targets_.place(rank).is_granted != 0) {
        try {
            path.network = window_.process().protocol().memory_of(window_.world_rank(rank));
        } catch (const Error&) {
            // The operation goes by frames, and reports what is wrong.
        }
        if (path.network != nullptr && !path.network->puts())
            path.network = nullptr;
    }
    return path;
}

bool WindowNetwork::move(EngineLock& lock, Move& move)
{
    const Path& path = path_to(move.place.aim.target);
    if (path.network == nullptr)
        return false;
    // Data of a short put are copied, those of a get are here with the next completion, and a request borrows
    // its buffer.
    const bool is_copied = move.puts && move.here.size() <= path.network->most_copied_bytes();
    const bool goes_on = is_copied || (!move.waits && (move.has_request || !move.puts));
    return goes_on && (move.puts ? path.puts : path.gets) ? start_copy(lock, move, is_copied)
                                                          : await_copy(lock, move);
}

// `again`: the bytes must go by frames; perhaps this rank's memory cannot be registered.
SendResult WindowNetwork::copy(EngineLock& lock, const Move& move, transport::Completion& completion)
{
    const WindowAim& aim = move.place.aim;
    const int peer = window_.world_rank(aim.target);
    const transport::RemoteRegion& granted = targets_.place(aim.target).granted;
    const transport::RemoteRegion there{granted.address + static_cast<std::uint64_t>(move.place.offset),
                                        granted.key};
    transport::RemoteMemory& network = *path_to(aim.target).network;
    try {
        return move.puts ? network.put(peer, there, move.here, completion)
                         : network.get(peer, there, move.here, completion);
    } catch (const Error& error) {
        if (error.code() == ErrorCode::peer_lost)
            waits_.await_loss(lock, operation_of(move.puts), aim);
        return SendResult::again;
    }
}

bool WindowNetwork::start_copy(EngineLock& lock, Move& move, bool is_copied)
{
    using Kind = WindowCopies::Kind;
    const WindowAim& aim = move.place.aim;
    waits_.await(lock, operation_of(move.puts), aim.target, aim,
                 [&] { return copies_.under_way(aim.target) < kMostCopiesUnderWay; });
    transport::Completion& started =
        copies_.begin(move.puts ? Kind::put : Kind::get, aim.target, *path_to(aim.target).network);
    SendResult result = SendResult::again;
    try {
        result = copy(lock, move, started);
    } catch (...) {
        copies_.end(started);
        throw;
    }
    if (result != SendResult::pending)
        copies_.end(started);
    else if (move.has_request && !is_copied)
        move.request =
            &make_request(window_, operation_of(move.puts), aim, WindowCopies::request_of(started));
    window_.process().engine().started();
    return result != SendResult::again;
}

// The provider may lack what it claims: after a failure other than a loss, all goes by frames.
bool WindowNetwork::await_copy(EngineLock& lock, const Move& move)
{
    const WindowAim& aim = move.place.aim;
    Path& path = path_to(aim.target);
    AwaitedCopy awaited(*path.network);
    const SendResult result = copy(lock, move, awaited);
    if (result == SendResult::again)
        return false;
    awaited.under_way = result == SendResult::pending;
    waits_.await(lock, operation_of(move.puts), aim.target, aim, [&] {
        return !awaited.under_way &&
               awaited.result != ErrorCode::peer_lost;  // a loss ends the wait, with its cause
    });
    const bool works = awaited.result == ErrorCode::success;
    if (works)
        (move.puts ? path.puts : path.gets) = true;
    else
        path.network = nullptr;
    return works;
}

void WindowNetwork::add_awaited(std::set<int>& ranks) const
{
    for (int rank = 0; rank < window_.size(); ++rank)
        if (copies_.under_way(rank) != 0)
            window_.add_to(ranks, rank);
}

void WindowNetwork::fail_for_lost()
{
    for (int rank = 0; rank < window_.size() && !all_complete(); ++rank)
        if (window_.process().protocol().is_lost(window_.world_rank(rank)))
            copies_.fail_requests(rank, [&](const WindowRequest& request) {
                return waits_.loss(request.operation, rank,
                                   fmt::format("before it had taken part in this rank's {}() of {} bytes",
                                               request.operation, request.bytes));
            });
}

void WindowNetwork::complete(EngineLock& lock, std::string_view operation, int rank, bool only_gets)
{
    std::exception_ptr first;
    for (int each = 0; each < window_.size() && !copies_.all_complete(); ++each) {
        if (rank != WindowIdentity::kAnyRank && rank != each)
            continue;
        const std::exception_ptr failed = caught([&] { complete_at(lock, operation, each, only_gets); });
        if (failed && !first)
            first = failed;
    }
    if (first)
        std::rethrow_exception(first);
}

void WindowNetwork::complete_at(EngineLock& lock, std::string_view operation, int rank, bool only_gets)
{
    const std::exception_ptr failed = caught([&] {
        waits_.await(lock, operation, rank, {.target = rank}, [&] {
            return (only_gets ? copies_.gets_under_way(rank) : copies_.under_way(rank)) == 0;
        });
    });
    const ErrorCode ended = copies_.take_failure(rank);
    if (failed)
        std::rethrow_exception(failed);
    if (ended != ErrorCode::success)
        fail(lock, operation, rank, ended);
}

// A copy has ended with an error. A network may notice first that a rank has died; one that answers a
// question has not.
void WindowNetwork::fail(EngineLock& lock, std::string_view operation, int rank, ErrorCode code)
{
    const WindowAim aim{.target = rank};
    if (code == ErrorCode::peer_lost)
        waits_.await_loss(lock, operation, aim);
    questions_.ask(lock, operation, aim, WindowHeader::What::presence);
    throw Error(
        code, operation,
        fmt::format("{}, rank {}: the network has not brought a put to its memory, or a get from it{}; "
                    "to do without its reads and writes, set TUTTI_FABRIC_RMA=off for all ranks",
                    window_.name(), rank, window_.in_epoch()),
        rank);
}

}  // namespace tutti::detail
