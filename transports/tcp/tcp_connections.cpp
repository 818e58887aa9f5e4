// How connections of TcpTransport come about, and how they end.
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "lib/foundation/base/clock.hpp"
#include "lib/foundation/base/say.hpp"
#include "transports/tcp/tcp_transport.hpp"

namespace tutti::transport::tcp {

namespace {

constexpr std::size_t kMostLogged = 32;  // a port scan shall not fill the log
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::string TcpTransport::own_name() const
{
    return fmt::format("rank {} (host {})", options_.rank, options_.host);
}

void TcpTransport::log_once(const std::string& key, const std::string& text)
{
    if (logged_.size() < kMostLogged && logged_.insert(key).second)
        base::say(fmt::format("tutti: {}: {}\n", own_name(), text));
}

void TcpTransport::connect(int rank, std::span<const std::byte> card_bytes)
{
    auto card = Card::parse(card_bytes);
    if (!card || card->rank != rank)
        throw Error(ErrorCode::protocol, "connect", "the peer's TCP card is of another Tutti version", rank);
    Peer& to = peer(rank);
    to.host = card->host;
    to.only_looked = false;
    if (to.stream != nullptr)
        tell_way(to);
    if (to.stream != nullptr || to.dial != nullptr || to.fate != Fate::living)
        return;
    auto candidates = network::candidates(local_addresses_, card->addresses);
    if (candidates.empty())
        throw Error(
            ErrorCode::peer_lost, "connect",
            fmt::format("host {} ({}) and rank {} on host {} ({}) have no network in common; name one in "
                        "TUTTI_INTERFACE",
                        options_.host, chosen_addresses(), rank, card->host,
                        network::describe(card->addresses)),
            rank);
    to.dial = std::make_unique<Dial>(dial_options_, poller_, std::move(*card), std::move(candidates));
    ++dials_;
    if (to.dial->has_failed())
        poller_.wake_at(1);
}

// A stream tells by itself of all ends but a proper one, and without one the peer is dialled: where it is no
// more, its host says so.
Presence TcpTransport::look_after(int rank, std::span<const std::byte> card)
{
    Peer& of = peer(rank);
    if (of.fate == Fate::departed)
        lose(rank, "it has left the job");
    if (of.fate == Fate::lost)
        return Presence::gone;
    if (of.stream != nullptr)
        return Presence::here;
    if (of.dial == nullptr && of.called_ns == 0) {
        try {
            connect(rank, card);
            of.only_looked = true;
        } catch (const Error&) {
            // There is no way to it; whether it is there is not known.
        }
    }
    return Presence::unknown;
}

std::string TcpTransport::silent_at(int rank) const
{
    const auto& known = peers_[static_cast<std::size_t>(rank)];
    return known != nullptr && known->dial != nullptr ? known->dial->mute(base::now_ns()) : std::string();
}

std::size_t TcpTransport::advance_dial(Meeting& meeting)
{
    const int rank = meeting.peer;
    Peer& to = peer(rank);
    if (to.dial == nullptr)
        return 0;  // ended in this pass
    to.dial->advance(meeting, base::now_ns());
    settle_dial(rank);
    return 1;
}

void TcpTransport::settle_dial(int rank)
{
    Peer& to = peer(rank);
    Dial& dial = *to.dial;
    Meeting* const proved = dial.in(Meeting::State::proved);
    if (proved != nullptr && options_.rank < rank) {
        proved->decide(Verdict::accepted);  // had another one been, this dial would have ended
        dial.advance(*proved, base::now_ns());
    }
    if (Meeting* const accepted = dial.in(Meeting::State::accepted)) {
        if (const std::string mute = dial.mute_beside(*accepted, base::now_ns()); !mute.empty())
            log_once(mute, fmt::format("somebody else than rank {} (host {}) took a connection and said "
                                       "nothing, which cost time: {}",
                                       rank, to.host, mute));
        return adopt(rank, dial.release(*accepted));
    }
    if (Meeting* const duplicate = dial.in(Meeting::State::duplicate)) {
        dial.forget(*duplicate);
        if (dial.in(Meeting::State::proved) != nullptr)
            return;  // that one is
        end_dial(to);
        to.called_ns = base::now_ns();
        poller_.wake_at(to.called_ns + timeout_ns());
    } else if (dial.has_failed() && to.only_looked) {
        if (!dial.was_refused())
            return end_dial(to);
        lose(rank, fmt::format("it has left the job, or its process on host {} has ended ({})", to.host,
                               dial.failure()));
    } else if (dial.has_failed()) {
        lose(rank, fmt::format("host {} did not reach host {}: {}; where they should meet on another "
                               "network, name that in TUTTI_INTERFACE",
                               options_.host, to.host, dial.failure()));
    }
}

void TcpTransport::end_dial(Peer& of) noexcept
{
    if (of.dial == nullptr)
        return;
    --dials_;
    old_dials_.push_back(std::move(of.dial));
}

void TcpTransport::adopt(int rank, std::unique_ptr<Meeting> meeting)
{
    Peer& of = peer(rank);
    end_dial(of);
    of.called_ns = 0;
    std::string remote = meeting->remote();
    of.stream = std::make_unique<Stream>(meeting->release(), rank, std::move(remote));
    Stream& stream = *of.stream;
    ++streams_;
    if (!poller_.watch(stream.fd(), EPOLLIN, stream))
        return lose(rank, fmt::format("{}: {}", place_of(stream), words_of(errno)));
    stream.watched = true;
    hot_.add(stream);
    tell_way(of);

    const auto name = std::as_bytes(std::span(options_.host));
    const Head host(Prefix::Kind::host, name.first(std::min(name.size(), kMaxHeaderBytes)), 0);
    const auto bytes = host.bytes();
    if (::send(stream.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) !=
        static_cast<ssize_t>(bytes.size()))
        return lose(rank, fmt::format("{}: {}", place_of(stream), words_of(errno)));
    watch_for_silence(stream);
    if (!of.queue.empty())
        note_blocked(of);
}

// Once a host. One that has called before it was itself wanted has not told its name yet.
void TcpTransport::tell_way(const Peer& to)
{
    if (!options_.tells_ways || to.host.empty() || !told_hosts_.insert(to.host).second)
        return;
    const auto own = own_address_of(to.stream->fd());
    const auto found = std::ranges::find(local_addresses_, own, &network::LocalAddress::address);
    if (found != local_addresses_.end())
        base::say(fmt::format("tutti: {}: to host {} over {}, {} to {}\n", own_name(), to.host,
                              found->interface, own->to_string(), to.stream->remote()));
}

void TcpTransport::on_alarm()
{
    poller_.alarm_seen();
    const std::int64_t now = base::now_ns();
    if (accept_again_ns_ != 0 && now >= accept_again_ns_) {
        accept_again_ns_ = 0;
        poller_.watch(listener_.fd.get(), EPOLLIN, listener_watch_);
    }
    const std::int64_t next = std::min({look_at_guests(now), look_at_dials(now), look_at_streams(now),
                                        accept_again_ns_ != 0 ? accept_again_ns_ : kNever});
    if (next != kNever)
        poller_.wake_at(next);
}

std::int64_t TcpTransport::look_at_dials(std::int64_t now_ns)
{
    std::int64_t next = kNever;
    for (int rank = 0; rank < options_.ranks; ++rank) {
        Peer* const to = peers_[static_cast<std::size_t>(rank)].get();
        if (to == nullptr)
            continue;
        if (to->dial != nullptr) {
            const std::int64_t deadline = to->dial->look(now_ns);
            if (to->dial->has_failed())
                settle_dial(rank);
            else if (deadline != 0)
                next = std::min(next, deadline);
        } else if (to->called_ns != 0) {
            const std::int64_t deadline = to->called_ns + timeout_ns();
            if (now_ns >= deadline)
                lose(rank,
                     fmt::format("host {} wanted to make the connection itself, and did not", to->host));
            else
                next = std::min(next, deadline);
        }
    }
    return next;
}

std::int64_t TcpTransport::look_at_streams(std::int64_t now_ns)
{
    bool again = false;
    for (int rank = 0; rank < options_.ranks; ++rank) {
        const auto& known = peers_[static_cast<std::size_t>(rank)];
        Stream* const stream = known != nullptr ? known->stream.get() : nullptr;
        if (stream == nullptr || !stream->watched_for_silence)
            continue;
        if (stream->pulse.all_arrived(stream->fd(), now_ns))
            stream->watched_for_silence = false;
        else if (stream->pulse.silent_ns(now_ns) >= timeout_ns())
            lose(rank, fmt::format(
                           "{} has answered nothing for {:.3g} s: the network between it and host {} is cut, "
                           "or it is down",
                           place_of(*stream), static_cast<double>(timeout_ns()) / 1e9, options_.host));
        else
            again = true;
    }
    return again ? now_ns + timeout_ns() / 10 : kNever;
}

std::string TcpTransport::place_of(const Stream& stream)
{
    const std::string& told = peer(stream.peer()).host;
    const std::string& host = told.empty() ? stream.host() : told;
    return host.empty() ? stream.remote() : fmt::format("host {} ({})", host, stream.remote());
}

void TcpTransport::stream_ended(Stream& stream)
{
    const int rank = stream.peer();
    Peer& of = peer(rank);
    switch (stream.end()) {
        case Stream::End::none:
            return;
        case Stream::End::goodbye:
            if (!of.queue.empty())
                return lose(rank, fmt::format("{} has left the job", place_of(stream)));
            of.fate = Fate::departed;
            return end_stream(of);
        case Stream::End::closed:
            return lose(rank, fmt::format("{} closed the connection without leaving the job: the process has "
                                          "probably died",
                                          place_of(stream)));
        case Stream::End::failed:
            return lose(rank,
                        fmt::format("the connection to {} broke: {}", place_of(stream), stream.error()));
        case Stream::End::garbage:
            return lose(rank, fmt::format("{} sent bytes that are no frame of Tutti's", place_of(stream)));
    }
}

void TcpTransport::end_stream(Peer& of) noexcept
{
    if (of.stream == nullptr)
        return;
    hot_.remove(*of.stream);
    --streams_;
    poller_.forget(of.stream->fd());
    old_streams_.push_back(std::move(of.stream));
    std::erase(blocked_, &of);
    of.in_blocked = false;
}

}  // namespace tutti::transport::tcp
