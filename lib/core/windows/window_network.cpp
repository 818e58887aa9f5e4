#include "lib/core/windows/window_network.hpp"

#include <fmt/format.h>

#include <utility>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/job/process.hpp"

namespace tutti::detail {

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

bool WindowNetwork::move(EngineLock& lock, const TargetBytes& place, std::span<std::byte> here, bool puts,
                         bool waits, WindowFailure& failed)
{
    Path& path = path_to(place.aim.target);
    if (path.network == nullptr)
        return false;
    const transport::RemoteRegion& granted = targets_.place(place.aim.target).granted;
    const transport::RemoteRegion there{granted.address + static_cast<std::uint64_t>(place.offset),
                                        granted.key};
    // Data of a short put are copied, and those of a get are here with the next completion.
    const bool goes_on = puts ? here.size() <= path.network->most_copied_bytes() : !waits;
    try {
        return goes_on && (puts ? path.puts : path.gets) ? start_copy(lock, place, there, here, puts, failed)
                                                         : await_copy(lock, place, there, here, puts, failed);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::peer_lost)
            return false;  // this rank's memory cannot be registered
        failed = waits_.await_loss(lock, puts ? "put" : "get", place.aim);
        return true;
    }
}

bool WindowNetwork::start_copy(EngineLock& lock, const TargetBytes& place,
                               const transport::RemoteRegion& there, std::span<std::byte> here, bool puts,
                               WindowFailure& failed)
{
    using Kind = WindowCopies::Kind;
    const int rank = place.aim.target;
    const int peer = window_.world_rank(rank);
    transport::RemoteMemory& network = *path_to(rank).network;
    failed = waits_.await(lock, puts ? "put" : "get", rank, place.aim,
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
    window_.process().engine().started();
    return result != SendResult::again;
}

// The provider may lack what it claims: after a failure other than a loss, all goes by frames.
bool WindowNetwork::await_copy(EngineLock& lock, const TargetBytes& place,
                               const transport::RemoteRegion& there, std::span<std::byte> here, bool puts,
                               WindowFailure& failed)
{
    const int rank = place.aim.target;
    const int peer = window_.world_rank(rank);
    Path& path = path_to(rank);
    AwaitedCopy copy(*path.network);
    const SendResult result =
        puts ? path.network->put(peer, there, here, copy) : path.network->get(peer, there, here, copy);
    if (result == SendResult::again)
        return false;
    copy.under_way = result == SendResult::pending;
    failed = waits_.await(lock, puts ? "put" : "get", rank, place.aim, [&] {
        return !copy.under_way &&
               copy.result != ErrorCode::peer_lost;  // a loss ends the wait, with its cause
    });
    if (failed || copy.result == ErrorCode::success) {
        (puts ? path.puts : path.gets) |= !failed;
        return true;
    }
    path.network = nullptr;
    return false;
}

WindowFailure WindowNetwork::complete(EngineLock& lock, std::string_view operation, int rank, bool only_gets)
{
    WindowFailure first;
    for (int each = 0; each < window_.size() && !copies_.all_complete(); ++each) {
        if (rank != WindowIdentity::kAnyRank && rank != each)
            continue;
        WindowFailure failed = complete_at(lock, operation, each, only_gets);
        if (failed && !first)
            first = std::move(failed);
    }
    return first;
}

WindowFailure WindowNetwork::complete_at(EngineLock& lock, std::string_view operation, int rank,
                                         bool only_gets)
{
    WindowFailure failed = waits_.await(lock, operation, rank, {.target = rank}, [&] {
        return (only_gets ? copies_.gets_under_way(rank) : copies_.under_way(rank)) == 0;
    });
    const ErrorCode ended = copies_.take_failure(rank);
    return failed || ended == ErrorCode::success ? failed : failed_at(lock, operation, rank, ended);
}

// A copy has ended with an error. A network may notice first that a rank has died; one that answers a
// question has not.
WindowFailure WindowNetwork::failed_at(EngineLock& lock, std::string_view operation, int rank, ErrorCode code)
{
    const WindowAim aim{.target = rank};
    if (code == ErrorCode::peer_lost)
        return waits_.await_loss(lock, operation, aim);
    const WindowTransfer nothing{{}, 0, 0, 0};
    if (WindowFailure failed = questions_.ask(lock, operation, aim, WindowHeader::What::get, 0,
                                              std::as_bytes(std::span(&nothing, 1)), {}))
        return failed;
    return std::make_exception_ptr(
        Error(code, operation,
              fmt::format("{}, rank {}: the network has not brought a put to its memory, or a get from it{}; "
                          "to do without its reads and writes, set TUTTI_FABRIC_RMA=off for all ranks",
                          window_.name(), rank, window_.in_epoch()),
              rank));
}

}  // namespace tutti::detail
