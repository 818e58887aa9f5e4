// How peers leave or are lost, and how this rank leaves.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <utility>

#include "lib/foundation/base/clock.hpp"
#include "lib/foundation/base/say.hpp"
#include "transports/ofi/ofi_transport.hpp"

namespace tutti::transport::ofi {

namespace {

// How long this host's kernel may still deliver bytes of a dead process.
constexpr std::int64_t kLastBytesNs = 2'000'000'000;

}  // namespace

void OfiTransport::lose(int rank, Loss loss)
{
    Peer& lost = peers_.at(rank);
    if (lost.state >= Peer::State::lost)
        return;
    lost.state = Peer::State::lost;
    lost.ends_ns = base::now_ns();
    lost.loss = std::move(loss);
    losses_.push_back(rank);
    memory_.copies().lose(rank);
}

// The fabric reports an unreachable peer without its name or a cause. The peer's link may already know that
// it has ended or is leaving, so the link's reason comes first.
void OfiTransport::lose_by_fabric(int rank, const std::string& words)
{
    links_.look();
    const Peer& lost = peers_.at(rank);
    const std::string said = fmt::format("libfabric's {} says: {}", contact_.provider, words);
    if (lost.state == Peer::State::living)
        lose(rank, {fmt::format(
                       "{}: data of host {} from {} to {} does not arrive: the process has ended, or the "
                       "network has failed ({}); to use another network, name it in TUTTI_INTERFACE",
                       lost.place(), options_.host, contact_.endpoint_place(), lost.endpoint_place, said)});
    else
        lose(rank, {fmt::format("it has left the job while messages to it were under way ({}; {})",
                                lost.place(), said),
                    true});
}

// Nothing follows on the peer's link.
void OfiTransport::let_go(Peer& with)
{
    if (with.link == nullptr)
        return;
    links_.send(*with.link, {LinkMessage::Kind::left});
    links_.drop(*std::exchange(with.link, nullptr));
}

// Peers whose last frame has arrived depart. The fabric is quiet now.
void OfiTransport::see_off_leavers()
{
    for (const int rank : std::exchange(leavers_, {})) {
        Peer& leaver = peers_.at(rank);
        if (leaver.state != Peer::State::leaving)
            continue;
        const bool complete = leaver.incoming.received() == leaver.leaves_after;
        const bool late = base::now_ns() - leaver.ends_ns >= timeout_ns_;
        if (complete) {
            leaver.state = Peer::State::departed;
            let_go(leaver);
        } else if (leaver.link == nullptr || late) {
            lose(rank, {fmt::format("it has left the job, but {} of its frames have not arrived",
                                    leaver.leaves_after - leaver.incoming.received()),
                        true});
        } else {
            leavers_.push_back(rank);
        }
    }
}

// The fabric is quiet now: no frame of a lost peer is under way.
std::size_t OfiTransport::report_losses(Sink& sink)
{
    std::size_t reported = 0;
    for (const int rank : std::exchange(losses_, {})) {
        Peer& lost = peers_.at(rank);
        if (memory_.copies().any_of(rank) && base::now_ns() - lost.ends_ns < kLastBytesNs) {
            losses_.push_back(rank);
            continue;
        }
        lost.state = Peer::State::reported;
        lost.token = 0;
        let_go(lost);
        memory_.copies().abandon(rank);
        ++reported;
        sink.peer_lost(rank, lost.loss);
    }
    return reported;
}

// The sink of a rank that leaves: it discards what still arrives.
class OfiTransport::Nobody final : public Sink {
public:
    void frame(int, std::span<const std::byte>, std::span<const std::byte>) override {}
    void peer_lost(int, const Loss&) override {}
};

// A closing endpoint may lose frames that it has accepted. So each peer must confirm that it has all of them.
void OfiTransport::linger() noexcept
{
    try {
        for (const int rank : peers_.known()) {
            Peer& to = peers_.at(rank);
            if (to.state == Peer::State::living && to.link != nullptr)
                links_.send(*to.link, {LinkMessage::Kind::leaving, 0, to.sent});
        }
        const auto waits_for = [this](int rank) {
            const Peer& to = peers_.at(rank);
            return to.state == Peer::State::living && to.link != nullptr && !to.took_all &&
                   to.sent != to.acknowledged;
        };
        Nobody nobody;
        const std::int64_t start = base::now_ns();
        const auto in_time = [&] {
            return !options_.linger ||
                   base::now_ns() - start < std::chrono::nanoseconds(*options_.linger).count();
        };
        while (in_time() && std::ranges::any_of(peers_.known(), waits_for)) {
            armed_ = true;
            if (progress(nobody) != 0)
                continue;
            pollfd sleep{.fd = links_.descriptor(), .events = POLLIN, .revents = 0};
            ::poll(&sleep, 1, 100);
        }
    } catch (const std::exception&) {
        // The fabric is broken: there is nothing to wait for.
    }
}

void OfiTransport::close() noexcept
{
    if (closed_)
        return;
    linger();
    closed_ = true;
    if (options_.prints_copies)
        base::say(
            fmt::format("tutti: rank {} (host {}): libfabric has read the memory of ranks of other nodes "
                        "{} times, and written to it {} times\n",
                        options_.rank, options_.host, memory_.copies().reads(), memory_.copies().writes()));
    memory_.close();
    endpoint_.close();
    receive_buffers_.clear();
    send_buffers_.clear();
    links_.close();
    memory_.copies().cancel_all();
}

}  // namespace tutti::transport::ofi
