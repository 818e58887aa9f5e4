// Who is let in, who is still there, and how it ends: the links' side of the transport.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "lib/base/clock.hpp"
#include "transports/ofi/ofi_transport.hpp"

namespace tutti::transport::ofi {

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
// How often patience is looked at, and how many questions a peer is asked within the timeout.
constexpr std::int64_t kPatienceNs = 100 * kMillisecond;
constexpr int kQuestions = 10;
// How long bytes of a process that has died may be on their way through this host's kernel.
constexpr std::int64_t kLastBytesNs = 2000 * kMillisecond;
// Sleeps of a rank whose fabric may need to be asked again, without telling: soon, where it has refused to
// send or cannot be slept on; and where it may have to send something once more.
constexpr std::int64_t kAskSoonNs = kMillisecond;
constexpr std::int64_t kAskAgainNs = 20 * kMillisecond;

std::uint64_t new_token()
{
    std::uint64_t token = 0;
    while (token == 0)
        security::fill_random(std::as_writable_bytes(std::span(&token, 1)));
    return token;
}

}  // namespace

Peer& OfiTransport::make_peer(int rank)
{
    auto& slot = peers_[static_cast<std::size_t>(rank)];
    if (slot == nullptr) {
        slot = std::make_unique<Peer>();
        known_.push_back(rank);
    }
    return *slot;
}

void OfiTransport::proved(Link& link)
{
    const int rank = link.peer();
    if (rank < 0 || rank >= options_.ranks || rank == options_.rank)
        return link.end(fmt::format("{}: there is no rank {}", link.where(), rank));
    Peer& with = make_peer(rank);
    if (with.fate != Peer::Fate::living || (!link.dialed() && with.accepted != nullptr))
        return link.end(fmt::format("{}: rank {} is connected, or lost, already", link.where(), rank));
    if (!link.dialed())
        with.accepted = &link;
    with.where = link.where();
    std::uint64_t& token = with.tokens[link.dialed() ? 0 : 1];
    token = new_token();
    links_.send(link, {LinkMessage::Kind::grant, 0, token});
}

void OfiTransport::heard(Link& link, const LinkMessage& message)
{
    const int rank = link.peer();
    Peer& from = peer(rank);
    const auto value = static_cast<std::uint32_t>(message.value);
    switch (message.kind) {
        case LinkMessage::Kind::grant:
            if (!from.send_token)
                from.send_token = message.value;
            return;
        case LinkMessage::Kind::leaving:
            if (from.fate == Peer::Fate::living) {
                from.fate = Peer::Fate::leaving;
                from.leaves_after = value;
                from.ends_ns = base::now_ns();
                leavers_.push_back(rank);
                reads_.lose(rank);
            }
            return;
        case LinkMessage::Kind::left:
            from.took_all = true;
            return;
        case LinkMessage::Kind::ping:
            return tell_by_link(link, from);
        case LinkMessage::Kind::pong:
            from.asked = false;
            ++from.answers;
            return acknowledge(from, value);
    }
    link.end(
        fmt::format("{}: rank {} sent a message of unknown kind {}; check that all ranks run the same "
                    "version of Tutti",
                    link.where(), rank, static_cast<std::uint32_t>(message.kind)));
}

void OfiTransport::ended(Link& link)
{
    const int rank = link.peer();
    if (rank < 0 || rank >= options_.ranks || peers_[static_cast<std::size_t>(rank)] == nullptr)
        return;
    Peer& with = peer(rank);
    const bool known = &link == with.dialed || &link == with.accepted;
    // One that never came about does not matter where there is another.
    const bool needed = &link == with.link() || with.link() == nullptr;
    if (&link == with.dialed)
        with.dialed = nullptr;
    if (&link == with.accepted)
        with.accepted = nullptr;
    if (!known || !needed || with.fate != Peer::Fate::living)
        return;
    if (std::exchange(with.only_looked, false) && !link.was_refused())
        return;  // there is no way to it; whether it is there is not known
    if (link.was_refused())
        lose(rank, fmt::format("it has left the job, or its process on host {} has ended ({})", with.host,
                               link.reason()));
    else if (link.was_proved())
        lose(rank,
             fmt::format("{}{} (seen from host {})", with.host.empty() ? "" : "host " + with.host + ", ",
                         link.reason(), options_.host));
    else
        lose(rank,
             fmt::format("host {} did not reach host {}: {}; where they should meet on another network, "
                         "name that in TUTTI_INTERFACE",
                         options_.host, with.host, link.reason()));
}

// A link tells by itself of all ends but a proper one, and without one the peer is dialled: where it is no
// more, its host says so. The fabric is not asked for one that may be gone: some providers do not survive it.
Presence OfiTransport::look_after(int rank, std::span<const std::byte> bytes)
{
    Peer& of = make_peer(rank);
    if (of.fate == Peer::Fate::departed)
        lose(rank, "it has left the job");
    if (of.fate >= Peer::Fate::lost)
        return Presence::gone;
    if (of.fate == Peer::Fate::living && of.link() != nullptr)
        return Presence::here;
    const auto card = Card::parse(bytes);
    if (of.fate == Peer::Fate::living && of.dialed == nullptr && card) {
        try {
            of.host = card->host;
            dial(rank, *card);
            of.only_looked = true;
        } catch (const Error&) {
            // There is no way to it; whether it is there is not known.
        }
    }
    return Presence::unknown;
}

void OfiTransport::stranger(const std::string& what)
{
    if (std::exchange(told_of_stranger_, true))
        return;
    const std::string line = fmt::format(
        "tutti: rank {} on {} has dropped, and goes on without it: {}; others "
        "that follow are not told of",
        options_.rank, options_.host, what);
    if (options_.log)
        options_.log(line);
    else
        fmt::print(stderr, "{}\n", line);
}

void OfiTransport::acknowledge(Peer& from, std::uint32_t count)
{
    const std::uint32_t more = count - from.acknowledged;
    if (more == 0 || more > from.sent - from.acknowledged)
        return;  // nothing new; a frame that was overtaken says less than was known
    from.acknowledged = count;
    from.owed_since_ns = 0;
}

void OfiTransport::tell_by_link(Link& link, Peer& to)
{
    to.told = to.incoming.received();
    links_.send(link, {LinkMessage::Kind::pong, 0, to.told});
}

// Those that have sent half a window since they last heard. A link carries it to peers that we never send to.
void OfiTransport::tell_everybody()
{
    const std::vector<int> ranks = std::exchange(to_tell_, {});
    for (const int rank : ranks) {
        Peer& to = peer(rank);
        if (to.fate >= Peer::Fate::departed || to.incoming.received() - to.told < kWindow / 2)
            continue;
        if (!to.may_send()) {
            if (to.link() != nullptr)
                tell_by_link(*to.link(), to);
            continue;
        }
        const FrameHead head{.token = *to.send_token,
                             .source = card_.rank,
                             .number = 0,
                             .acknowledged = to.incoming.received(),
                             .header_bytes = kAcknowledgement,
                             .zero = 0};
        if (!send_frame(to, head, {}, {}, rank))
            to_tell_.push_back(rank);
    }
}

void OfiTransport::lose(int rank, std::string reason)
{
    Peer& lost = peer(rank);
    if (lost.fate >= Peer::Fate::lost)
        return;
    lost.fate = Peer::Fate::lost;
    lost.ends_ns = base::now_ns();
    lost.reason = std::move(reason);
    losses_.push_back(rank);
    reads_.lose(rank);
}

// What the fabric says of a peer that it no longer reaches names neither the peer nor why. Its links may know
// by now that it has ended or is leaving, and their words come first.
void OfiTransport::lose_by_fabric(int rank, const std::string& words)
{
    links_.look();
    const Peer& lost = peer(rank);
    const std::string said = fmt::format("libfabric's {} says: {}", card_.provider, words);
    if (lost.fate == Peer::Fate::living)
        lose(rank,
             fmt::format("{}: what host {} sends from {} to {} does not arrive: its process has ended, or "
                         "the network has failed ({}); where they should meet on another network, name that "
                         "in TUTTI_INTERFACE",
                         lost.place(), options_.host, card_.endpoint_place(), lost.endpoint_place, said));
    else
        lose(rank, fmt::format("it has left the job while messages to it were under way ({}; {})",
                               lost.place(), said));
}

// Nothing follows on its links.
void OfiTransport::let_go(Peer& with)
{
    for (Link* const link : {std::exchange(with.dialed, nullptr), std::exchange(with.accepted, nullptr)}) {
        if (link == nullptr)
            continue;
        links_.send(*link, {LinkMessage::Kind::left});
        links_.drop(*link);
    }
}

// Those whose last frame has come depart. The fabric is quiet now.
void OfiTransport::see_off_leavers()
{
    for (const int rank : std::exchange(leavers_, {})) {
        Peer& leaver = peer(rank);
        if (leaver.fate != Peer::Fate::leaving)
            continue;
        const bool complete = leaver.incoming.received() == leaver.leaves_after;
        const bool late = base::now_ns() - leaver.ends_ns >= link_settings_.timeout_ns;
        if (complete) {
            leaver.fate = Peer::Fate::departed;
            let_go(leaver);
        } else if (leaver.link() == nullptr || late) {
            lose(rank, fmt::format("it has left the job, and {} frames that it sent before have not come",
                                   leaver.leaves_after - leaver.incoming.received()));
        } else {
            leavers_.push_back(rank);
        }
    }
}

// The fabric is quiet now: no frame of theirs is on its way.
std::size_t OfiTransport::report_losses(Sink& sink)
{
    std::size_t reported = 0;
    for (const int rank : std::exchange(losses_, {})) {
        Peer& lost = peer(rank);
        if (reads_.any_of(rank) && base::now_ns() - lost.ends_ns < kLastBytesNs) {
            losses_.push_back(rank);
            continue;
        }
        lost.fate = Peer::Fate::reported;
        lost.tokens = {};
        let_go(lost);
        reads_.abandon(rank);
        ++reported;
        sink.peer_lost(rank, lost.reason);
    }
    return reported;
}

// Whether the peer has something to do for us that shows here when it is done.
bool OfiTransport::owes(int rank, const Peer& to) const
{
    return to.sent != to.acknowledged || to.refused || reads_.any_of(rank);
}

// A fabric that loses what it is given, or never connects, is found out while the peer says over its link
// that it is there and looking. One that computes and does not look says nothing, and is waited for.
void OfiTransport::be_patient(std::int64_t now_ns)
{
    if (now_ns - patience_ns_ < kPatienceNs)
        return;
    patience_ns_ = now_ns;
    const std::int64_t question_ns = link_settings_.timeout_ns / kQuestions;
    for (const int rank : known_) {
        Peer& to = peer(rank);
        Link* const link = to.link();
        if (to.fate != Peer::Fate::living || link == nullptr || !owes(rank, to)) {
            to.owed_since_ns = 0;
            continue;
        }
        if (to.owed_since_ns == 0) {
            to.owed_since_ns = to.asked_ns = now_ns;
            to.answers = 0;
        } else if (now_ns - to.owed_since_ns >= link_settings_.timeout_ns && to.answers >= kQuestions - 1) {
            lose(rank,
                 fmt::format(
                     "host {} answers host {} over TCP ({}), but libfabric's provider {} has brought it "
                     "nothing from {} to {} for {:.1f} s: see whether a firewall lets it through; where "
                     "they should meet on another network, name that in TUTTI_INTERFACE",
                     to.host, options_.host, link->where(), card_.provider, card_.endpoint_place(),
                     to.endpoint_place, double(link_settings_.timeout_ns) * 1e-9));
        } else if (!to.asked && now_ns - to.asked_ns >= question_ns) {
            to.asked = true;
            to.asked_ns = now_ns;
            links_.send(*link, {LinkMessage::Kind::ping});
        }
    }
}

void OfiTransport::arm()
{
    armed_ = true;
    unsure_ = 0;
}

// When to look again although nothing has happened; 0: never.
std::int64_t OfiTransport::sleep_until(std::int64_t now_ns) const
{
    if (endpoint_.wait_fd() < 0 || !unposted_.empty() || !to_tell_.empty() || unsure_ != 0)
        return now_ns + kAskSoonNs;
    bool again = !losses_.empty() || !leavers_.empty();
    for (const int rank : known_) {
        const Peer& to = *peers_[static_cast<std::size_t>(rank)];
        if (to.fate != Peer::Fate::living || to.link() == nullptr)
            continue;
        if (to.refused || (reads_.any_unposted() && to.may_send()))
            return now_ns + kAskSoonNs;
        again = again || owes(rank, to);
    }
    return again ? now_ns + kAskAgainNs : 0;
}

// For who is leaving: what still comes is nobody's.
class OfiTransport::Nobody final : public Sink {
public:
    void frame(int, std::span<const std::byte>, std::span<const std::byte>) override {}
    void peer_lost(int, std::string_view) override {}
};

// What the fabric has been given may be lost when its endpoint closes, so each peer must say that it has all.
void OfiTransport::linger() noexcept
{
    try {
        for (const int rank : known_) {
            Peer& to = peer(rank);
            if (to.fate == Peer::Fate::living && to.link() != nullptr)
                links_.send(*to.link(), {LinkMessage::Kind::leaving, 0, to.sent});
        }
        const auto waits_for = [this](int rank) {
            const Peer& to = peer(rank);
            return to.fate == Peer::Fate::living && to.link() != nullptr && !to.took_all &&
                   to.sent != to.acknowledged;
        };
        Nobody nobody;
        const std::int64_t start = base::now_ns();
        const auto in_time = [&] {
            return !options_.linger ||
                   base::now_ns() - start < std::chrono::nanoseconds(*options_.linger).count();
        };
        while (in_time() && std::ranges::any_of(known_, waits_for)) {
            armed_ = true;
            if (progress(nobody) != 0)
                continue;
            pollfd sleep{.fd = links_.descriptor(), .events = POLLIN, .revents = 0};
            ::poll(&sleep, 1, 100);
        }
    } catch (const std::exception&) {
        // The fabric is broken: nothing can be waited for.
    }
}

void OfiTransport::close() noexcept
{
    if (closed_)
        return;
    linger();
    closed_ = true;
    lent_by_key_.clear();
    lent_.clear();
    landings_.clear();
    endpoint_.close();
    receive_buffers_.clear();
    send_buffers_.clear();
    links_.close();
    reads_.cancel_all();
}

}  // namespace tutti::transport::ofi
