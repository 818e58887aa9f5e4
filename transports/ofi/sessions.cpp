// Which peers are let in, and which are still alive: the links' side of the transport.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "lib/foundation/base/clock.hpp"
#include "lib/foundation/base/say.hpp"
#include "transports/ofi/ofi_transport.hpp"

namespace tutti::transport::ofi {

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
// How often timeouts are checked, and how many pings a peer gets within the timeout.
constexpr std::int64_t kPatienceNs = 100 * kMillisecond;
constexpr int kQuestions = 10;
// How long a rank sleeps when its fabric may not wake it: short if the fabric has refused a send or cannot be
// slept on, longer if something may have to be sent again.
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

bool OfiTransport::wants(int rank)
{
    const Peer& with = peers_.make(rank);
    return with.state == Peer::State::living && with.link == nullptr;
}

void OfiTransport::linked(Link& link)
{
    Peer& with = peers_.make(link.peer());
    with.link = &link;
    with.where = link.where();
    with.token = new_token();
    links_.send(link, {LinkMessage::Kind::grant, 0, with.token});
}

void OfiTransport::take_message(Link& link, const LinkMessage& message)
{
    const int rank = link.peer();
    Peer& from = peers_.at(rank);
    const auto value = static_cast<std::uint32_t>(message.value);
    switch (message.kind) {
        case LinkMessage::Kind::grant:
            if (!from.send_token)
                from.send_token = message.value;
            return;
        case LinkMessage::Kind::leaving:
            if (from.state == Peer::State::living) {
                from.state = Peer::State::leaving;
                from.leaves_after = value;
                from.ends_ns = base::now_ns();
                leavers_.push_back(rank);
                memory_.copies().lose(rank);
            }
            return;
        case LinkMessage::Kind::left:
            from.took_all = true;
            return;
        case LinkMessage::Kind::ping:
            return acknowledge_by_link(link, from);
        case LinkMessage::Kind::pong:
            from.asked = false;
            ++from.answers;
            return acknowledge(from, value);
    }
    link.end(
        fmt::format("rank {} sent a message of unknown kind {}; check that all ranks run the same "
                    "version of Tutti",
                    rank, static_cast<std::uint32_t>(message.kind)));
}

void OfiTransport::ended(Link& link)
{
    Peer& with = peers_.at(link.peer());
    with.link = nullptr;
    if (with.state == Peer::State::living)
        lose(link.peer(),
             {fmt::format("{}{} (seen from host {})", with.host.empty() ? "" : "host " + with.host + ", ",
                          link.reason(), options_.host)});
}

// A link reports every end except a proper leave. Without a link the peer is dialled: if it has ended, its
// host refuses. The fabric is not asked about a peer that may be gone: some providers crash then.
Presence OfiTransport::look_after(int rank, std::span<const std::byte> bytes)
{
    Peer& of = peers_.make(rank);
    if (of.state == Peer::State::departed)
        lose(rank, {"it has left the job", true});
    if (of.state >= Peer::State::lost)
        return Presence::gone;
    if (of.state != Peer::State::living)
        return Presence::unknown;
    if (of.link != nullptr)
        return Presence::here;
    if (const auto contact = FabricContact::parse(bytes); contact && contact->rank == rank) {
        of.host = contact->host;
        links_.look_for(rank, *contact);
    }
    return Presence::unknown;
}

void OfiTransport::outsider(const std::string& what)
{
    if (std::exchange(reported_outsider_, true))
        return;
    const std::string line = fmt::format(
        "tutti: rank {} on {} has dropped, and goes on without it: {}; further "
        "ones are not reported",
        options_.rank, options_.host, what);
    if (options_.log)
        options_.log(line);
    else
        base::say(fmt::format("{}\n", line));
}

void OfiTransport::acknowledge(Peer& from, std::uint32_t count)
{
    const std::uint32_t more = count - from.acknowledged;
    if (more == 0 || more > from.sent - from.acknowledged)
        return;  // nothing new; an overtaken frame has an old count
    from.acknowledged = count;
    from.owed_since_ns = 0;
}

void OfiTransport::acknowledge_by_link(Link& link, Peer& to)
{
    to.reported = to.incoming.received();
    links_.send(link, {LinkMessage::Kind::pong, 0, to.reported});
}

// Acknowledges peers that have sent half a window; by the link if they get no frames.
void OfiTransport::acknowledge_all()
{
    const std::vector<int> ranks = std::exchange(unacknowledged_, {});
    for (const int rank : ranks) {
        Peer& to = peers_.at(rank);
        if (to.state >= Peer::State::departed || to.incoming.received() - to.reported < kWindow / 2)
            continue;
        if (!to.may_send()) {
            if (to.link != nullptr)
                acknowledge_by_link(*to.link, to);
            continue;
        }
        const FrameHead head{.token = *to.send_token,
                             .source = static_cast<std::uint32_t>(options_.rank),
                             .number = 0,
                             .acknowledged = to.incoming.received(),
                             .header_bytes = kAcknowledgement,
                             .zero = 0};
        if (!send_frame(to, head, {}, {}, rank))
            unacknowledged_.push_back(rank);
    }
}

// Whether the peer has to act before something of ours completes.
bool OfiTransport::owes(int rank, const Peer& to) const
{
    return to.sent != to.acknowledged || to.refused || memory_.copies().any_of(rank);
}

// Finds a fabric that loses frames or never connects: the peer answers pings over its link, but nothing
// arrives. A peer that computes answers nothing, and is waited for.
void OfiTransport::be_patient(std::int64_t now_ns)
{
    if (now_ns - patience_ns_ < kPatienceNs)
        return;
    patience_ns_ = now_ns;
    const std::int64_t question_ns = timeout_ns_ / kQuestions;
    for (const int rank : peers_.known()) {
        Peer& to = peers_.at(rank);
        Link* const link = to.link;
        if (to.state != Peer::State::living || link == nullptr || !owes(rank, to)) {
            to.owed_since_ns = 0;
            continue;
        }
        if (to.owed_since_ns == 0) {
            to.owed_since_ns = to.asked_ns = now_ns;
            to.answers = 0;
        } else if (now_ns - to.owed_since_ns >= timeout_ns_ && to.answers >= kQuestions - 1) {
            lose(rank, {fmt::format(
                           "host {} answers host {} over TCP ({}), but libfabric's provider {} has delivered "
                           "nothing from {} to {} for {:.1f} s: check whether a firewall blocks it; to use "
                           "another network, name it in TUTTI_INTERFACE",
                           to.host, options_.host, link->where(), contact_.provider,
                           contact_.endpoint_place(), to.endpoint_place, double(timeout_ns_) * 1e-9)});
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

// When to look again if nothing happens; 0: never.
std::int64_t OfiTransport::sleep_until(std::int64_t now_ns) const
{
    if (endpoint_.wait_fd() < 0 || !unposted_.empty() || !unacknowledged_.empty() || unsure_ != 0)
        return now_ns + kAskSoonNs;
    bool again = !losses_.empty() || !leavers_.empty() || memory_.has_granted();
    for (const int rank : peers_.known()) {
        const Peer& to = peers_.at(rank);
        if (to.state != Peer::State::living || to.link == nullptr)
            continue;
        if (to.refused || (memory_.copies().any_unposted() && to.may_send()))
            return now_ns + kAskSoonNs;
        again = again || owes(rank, to);
    }
    return again ? now_ns + kAskAgainNs : 0;
}

}  // namespace tutti::transport::ofi
