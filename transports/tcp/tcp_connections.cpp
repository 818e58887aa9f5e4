// Established connections of TcpTransport, and how they end.
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "lib/foundation/base/clock.hpp"
#include "lib/foundation/base/say.hpp"
#include "transports/tcp/tcp_transport.hpp"

namespace tutti::transport::tcp {

namespace {

constexpr std::size_t kMostLogged = 32;  // a port scan must not fill the log

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

void TcpTransport::connect(int rank, std::span<const std::byte> contact_bytes)
{
    const auto contact = connection::Contact::parse(contact_bytes);
    if (!contact || contact->rank != rank)
        throw Error(ErrorCode::protocol, "connect", "the peer's TCP contact is of another Tutti version",
                    rank);
    connector_.connect(rank, *contact);
    if (peer(rank).stream != nullptr)
        print_addresses(rank);
}

bool TcpTransport::wants(int rank)
{
    const Peer& known = peer(rank);
    return known.state == PeerState::living && known.stream == nullptr;
}

// Logs once for each address, whatever its port.
void TcpTransport::dropped(const std::string& remote, std::string_view why)
{
    log_once(remote.substr(0, remote.rfind(':')) + std::string(why),
             fmt::format("dropped a connection from {}: {}", remote, why));
}

// A stream reports every end except a proper leave. Without a stream the peer is dialled: if it has ended,
// its host refuses.
Presence TcpTransport::look_after(int rank, std::span<const std::byte> contact_bytes)
{
    const Peer& of = peer(rank);
    if (of.state == PeerState::departed)
        lose(rank, {"it has left the job", true});
    if (of.state == PeerState::lost)
        return Presence::gone;
    if (of.stream != nullptr)
        return Presence::here;
    const auto contact = connection::Contact::parse(contact_bytes);
    if (contact && contact->rank == rank)
        connector_.look_for(rank, *contact);
    return Presence::unknown;
}

void TcpTransport::connected(int rank, base::UniqueFd fd, std::string remote)
{
    Peer& of = peer(rank);
    of.stream = std::make_unique<Stream>(poller_, std::move(fd), rank, std::move(remote));
    Stream& stream = *of.stream;
    ++streams_;
    if (!stream.watch())
        return lose(rank, {fmt::format("{}: {}", place_of(stream), connection::words_of(errno))});
    hot_.add(stream);
    print_addresses(rank);

    const auto name = std::as_bytes(std::span(options_.host));
    const Head host(Prefix::Kind::host, name.first(std::min(name.size(), kMaxHeaderBytes)), 0);
    const auto bytes = host.bytes();
    if (::send(stream.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) !=
        static_cast<ssize_t>(bytes.size()))
        return lose(rank, {fmt::format("{}: {}", place_of(stream), connection::words_of(errno))});
    watch_for_silence(stream);
    if (!of.queue.empty())
        note_blocked(of);
}

// Prints once for each host. A host that dialled before this rank did has not sent its name yet.
void TcpTransport::print_addresses(int rank)
{
    const std::string host = connector_.host_of(rank);
    if (!options_.prints_addresses || host.empty() || !reported_hosts_.insert(host).second)
        return;
    const Stream& stream = *peer(rank).stream;
    const auto own = connection::own_address_of(stream.fd());
    const auto found = std::ranges::find(local_addresses_, own, &network::LocalAddress::address);
    if (found != local_addresses_.end())
        base::say(fmt::format("tutti: {}: to host {} over {}, {} to {}\n", own_name(), host, found->interface,
                              own->to_string(), stream.remote()));
}

void TcpTransport::look_at_streams(std::int64_t now_ns)
{
    bool again = false;
    for (int rank = 0; rank < options_.ranks; ++rank) {
        const auto& known = peers_[static_cast<std::size_t>(rank)];
        Stream* const stream = known != nullptr ? known->stream.get() : nullptr;
        if (stream == nullptr || !stream->awaits_acknowledgement())
            continue;
        if (stream->silent_ns(now_ns) >= timeout_ns())
            lose(rank, {fmt::format(
                           "{} has answered nothing for {:.3g} s: the network between it and host {} is cut, "
                           "or it is down",
                           place_of(*stream), static_cast<double>(timeout_ns()) / 1e9, options_.host)});
        else
            again = again || stream->awaits_acknowledgement();
    }
    if (again)
        poller_.wake_at(now_ns + timeout_ns() / 10);
}

std::string TcpTransport::place_of(const Stream& stream)
{
    const std::string named = connector_.host_of(stream.peer());
    const std::string& host = named.empty() ? stream.host() : named;
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
                return lose(rank, {fmt::format("{} has left the job", place_of(stream)), true});
            of.state = PeerState::departed;
            return end_stream(of);
        case Stream::End::closed:
            return lose(rank,
                        {fmt::format("{} closed the connection without leaving the job: the process has "
                                     "probably died",
                                     place_of(stream))});
        case Stream::End::failed:
            return lose(rank,
                        {fmt::format("the connection to {} broke: {}", place_of(stream), stream.error())});
        case Stream::End::garbage:
            return lose(rank, {fmt::format("{} sent bytes that are no frame of Tutti's", place_of(stream))});
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
    std::erase(runs_, &of);
    of.run.forget();
}

}  // namespace tutti::transport::tcp
