// How connections of TcpTransport come about, and how they end.
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <utility>

#include "lib/base/clock.hpp"
#include "transports/tcp/tcp_transport.hpp"

namespace tutti::transport::tcp {

using security::Handshake;
using security::Identity;

namespace {

constexpr std::size_t kGuestsAPass = 64;
constexpr std::size_t kMostStrangers = 64;       // who have not said hello
constexpr std::size_t kMostGuestsARank = 2;      // who say that they are the same rank
constexpr std::int64_t kPatienceWithHello = 10;  // times the timeout: a rank may compute between two steps
constexpr std::size_t kMostLogged = 32;          // a port scan shall not fill the log
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kNoFilesPauseNs = 1'000'000'000;

}  // namespace

std::string TcpTransport::own_name() const
{
    return fmt::format("rank {} (host {})", options_.rank, options_.host);
}

void TcpTransport::log_once(const std::string& key, const std::string& text)
{
    if (logged_.size() < kMostLogged && logged_.insert(key).second)
        std::fputs(fmt::format("tutti: {}: {}\n", own_name(), text).c_str(), stderr);
}

void TcpTransport::connect(int rank, std::span<const std::byte> card_bytes)
{
    auto card = Card::parse(card_bytes);
    if (!card || card->rank != rank)
        throw Error(ErrorCode::protocol, "connect", "the peer's TCP card is of another Tutti version", rank);
    Peer& to = peer(rank);
    to.host = card->host;
    to.only_looked = false;
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
    if (to.dial->state() == Dial::State::failed)
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

std::size_t TcpTransport::advance_dial(int rank)
{
    Peer& to = peer(rank);
    if (to.dial == nullptr)
        return 0;  // ended in this pass
    to.dial->advance(base::now_ns());
    settle_dial(rank);
    return 1;
}

void TcpTransport::settle_dial(int rank)
{
    Peer& to = peer(rank);
    if (to.dial->state() == Dial::State::failed && to.only_looked)
        return to.dial->was_refused()
                   ? lose(rank, fmt::format("it has left the job, or its process on host {} has ended ({})",
                                            to.host, to.dial->failure()))
                   : end_dial(to);
    if (to.dial->state() == Dial::State::failed)
        return lose(rank, fmt::format("host {} did not reach host {}: {}; where they should meet on another "
                                      "network, name that in TUTTI_INTERFACE",
                                      options_.host, to.host, to.dial->failure()));
    if (to.dial->state() != Dial::State::meeting)
        return;
    Meeting& meeting = to.dial->meeting();
    if (meeting.state() == Meeting::State::proved && options_.rank < rank)
        meeting.decide(Verdict::accepted);  // had another one been, this dial would have ended
    if (meeting.state() == Meeting::State::accepted) {
        adopt(rank, to.dial->release());
    } else if (meeting.state() == Meeting::State::duplicate) {
        end_dial(to);
        to.called_ns = base::now_ns();
        poller_.wake_at(to.called_ns + timeout_ns());
    } else if (meeting.state() == Meeting::State::failed) {
        lose(rank, fmt::format("host {} ({}): {}", to.host, meeting.remote(), meeting.failure()));
    }
}

void TcpTransport::end_dial(Peer& of) noexcept
{
    if (of.dial == nullptr)
        return;
    --dials_;
    old_dials_.push_back(std::move(of.dial));
}

void TcpTransport::accept_guests()
{
    for (std::size_t i = 0; i < kGuestsAPass; ++i) {
        base::UniqueFd fd(accept4(listener_.fd.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (!fd) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
                log_once("files", "cannot take another connection: " + words_of(errno));
                poller_.forget(listener_.fd.get());
                accept_again_ns_ = base::now_ns() + kNoFilesPauseNs;
                poller_.wake_at(accept_again_ns_);
            }
            return;
        }
        set_options(fd.get(), dial_options_.socket);
        std::string remote = name_of_other_end(fd.get());
        const Identity self{Identity::Kind::rank, static_cast<std::uint32_t>(options_.rank)};
        auto guest = std::make_unique<Meeting>(Watched::Kind::guest, std::move(fd),
                                               Handshake::listen(options_.key, kProtocolVersion, self),
                                               std::move(remote));
        guest->since_ns = base::now_ns();
        if (!poller_.watch(guest->fd(), EPOLLIN, *guest))
            continue;
        poller_.wake_at(guest->since_ns + timeout_ns());
        Meeting& added = *guests_.emplace_back(std::move(guest));
        advance_guest(added);  // its hello is likely to be there
        limit_guests();
    }
}

// Takes the guest out of the list; epoll tells of it no more.
std::unique_ptr<Meeting> TcpTransport::take_guest(Meeting& guest)
{
    const auto found = std::ranges::find(guests_, &guest, &std::unique_ptr<Meeting>::get);
    auto taken = std::move(*found);
    guests_.erase(found);
    poller_.forget(taken->fd());
    return taken;
}

// Empty `why`: nothing worth telling.
void TcpTransport::drop_guest(Meeting& guest, std::string_view why)
{
    const auto dropped = take_guest(guest);
    // Once an address, whatever port it comes from.
    const std::string& remote = dropped->remote();
    if (!why.empty())
        log_once(remote.substr(0, remote.rfind(':')) + std::string(why),
                 fmt::format("dropped a connection from {}: {}", remote, why));
}

bool TcpTransport::wants(int rank)
{
    const Peer& known = peer(rank);
    return known.fate == Fate::living && known.stream == nullptr;
}

std::size_t TcpTransport::advance_guest(Meeting& guest)
{
    const bool moved = guest.advance();
    if (guest.state() == Meeting::State::failed) {
        // Who leaves without a word, or leaves after a proper hello, is no stranger worth a line.
        const bool quiet = guest.was_left() && (!guest.has_heard_anything() || guest.handshake().has_hello());
        drop_guest(guest, quiet ? "" : guest.failure());
        return 1;
    }
    if (guest.state() == Meeting::State::greeting)
        return moved ? 1 : 0;
    const Identity who = guest.handshake().peer();
    if (who.kind != Identity::Kind::rank || who.number >= peers_.size()) {
        drop_guest(guest, "it is no rank of this job");
        return 1;
    }
    const int rank = static_cast<int>(who.number);
    if (guest.state() == Meeting::State::proved) {
        if (options_.rank < rank)
            guest.decide(wants(rank) ? Verdict::accepted : Verdict::duplicate);
        else
            guest.advance();  // its verdict follows its proof
    }
    if (guest.state() == Meeting::State::accepted && wants(rank))
        adopt(rank, take_guest(guest));
    else if (guest.state() != Meeting::State::proved)
        drop_guest(guest, "");
    return 1;
}

void TcpTransport::limit_guests()
{
    const auto count = [&](auto&& counts) {
        return static_cast<std::size_t>(
            std::ranges::count_if(guests_, [&](const auto& guest) { return counts(*guest); }));
    };
    const auto drop_oldest = [&](auto&& counts) {
        const auto oldest = std::ranges::find_if(guests_, [&](const auto& guest) { return counts(*guest); });
        drop_guest(**oldest, "too many others wait for their handshake, too");
    };
    const Meeting* const newest = guests_.empty() ? nullptr : guests_.back().get();
    const auto stranger = [](const Meeting& guest) { return !guest.handshake().has_hello(); };
    if (guests_.size() > kMostStrangers && count(stranger) > kMostStrangers)
        drop_oldest(stranger);
    if (newest == nullptr || guests_.back().get() != newest || stranger(*newest))
        return;
    const Identity claimed = newest->handshake().peer();
    const auto same = [&](const Meeting& guest) {
        return guest.handshake().has_hello() && guest.handshake().peer() == claimed;
    };
    if (count(same) > kMostGuestsARank)
        drop_oldest(same);
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
    make_hot(stream);

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

std::int64_t TcpTransport::look_at_guests(std::int64_t now_ns)
{
    std::int64_t next = kNever;
    for (std::size_t i = guests_.size(); i-- > 0;) {
        Meeting& guest = *guests_[i];
        const std::int64_t patience = guest.handshake().has_hello() ? kPatienceWithHello : 1;
        const std::int64_t deadline = guest.since_ns + patience * timeout_ns();
        if (now_ns >= deadline)
            drop_guest(guest, "it did not finish the handshake in time");
        else
            next = std::min(next, deadline);
    }
    return next;
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
            if (to->dial->state() == Dial::State::failed)
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
    cool(*of.stream);
    --streams_;
    poller_.forget(of.stream->fd());
    old_streams_.push_back(std::move(of.stream));
    std::erase(blocked_, &of);
    of.in_blocked = false;
}

}  // namespace tutti::transport::tcp
