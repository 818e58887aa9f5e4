#include "tests/unit/tcp/support.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <stdexcept>

namespace tutti::test {

using security::Handshake;
using security::Identity;
using transport::tcp::TcpOptions;

namespace {

Identity rank_identity(int rank)
{
    return {Identity::Kind::rank, static_cast<std::uint32_t>(rank)};
}

sockaddr_in loopback(const char* address, std::uint16_t port)
{
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    at.sin_addr.s_addr = inet_addr(address);
    return at;
}

}  // namespace

Bytes bytes_of(std::string_view text)
{
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

std::string text_of(std::span<const std::byte> bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TcpRank::TcpRank(int rank, int ranks, const security::Key& key, std::chrono::milliseconds timeout,
                 std::string_view interfaces, int socket_buffer_bytes)
    : transport_(std::make_unique<transport::tcp::TcpTransport>(
          TcpOptions{.rank = rank,
                     .ranks = ranks,
                     .key = key,
                     .host = "host" + std::to_string(rank),
                     .interfaces = network::InterfaceChoice::parse(interfaces),
                     .timeout = timeout,
                     .socket_buffer_bytes = socket_buffer_bytes}))
{
}

transport::SendResult TcpRank::send(int peer, std::string_view payload)
{
    return transport_->send(peer, bytes_of("h"), std::as_bytes(std::span(payload)), unused_);
}

std::uint16_t TcpRank::port()
{
    return connection::Contact::parse(transport_->address())->port;
}

void connect_to_gone(TcpRank& zero, const security::Key& key)
{
    Bytes contact;
    {
        TcpRank gone(1, 2, key);
        contact = gone->address();
    }
    zero->connect(1, contact);
}

bool leave_network()
{
    return unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
}

bool set_loopback(bool up)
{
    const base::UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request{};
    request.ifr_name[0] = 'l';
    request.ifr_name[1] = 'o';
    request.ifr_flags = up ? IFF_UP : 0;
    return ioctl(socket.get(), SIOCSIFFLAGS, &request) == 0;
}

bool drive(std::initializer_list<TcpRank*> ranks, const std::function<bool()>& done)
{
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!done()) {
        std::size_t events = 0;
        for (TcpRank* rank : ranks)
            events += rank->progress();
        if (events == 0)
            sched_yield();
        if (std::chrono::steady_clock::now() > deadline)
            return false;
    }
    return true;
}

RawPeer::RawPeer(std::uint16_t port, const char* address)
    : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
{
    const sockaddr_in to = loopback(address, port);
    if (connect(fd_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
        throw std::runtime_error("the test's own connection is refused");
}

RawListener::RawListener(const char* address, std::uint16_t port)
    : fd_(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0))
{
    sockaddr_in own = loopback(address, port);
    socklen_t size = sizeof own;
    if (bind(fd_.get(), reinterpret_cast<const sockaddr*>(&own), size) != 0 || listen(fd_.get(), 16) != 0 ||
        getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&own), &size) != 0)
        throw std::runtime_error("the test's own port cannot be had");
    port_ = ntohs(own.sin_port);
}

std::unique_ptr<RawPeer> RawListener::accept() const
{
    base::UniqueFd fd(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    return fd ? std::make_unique<RawPeer>(std::move(fd)) : nullptr;
}

Bytes contact_of(TcpRank& rank, std::uint16_t port, std::initializer_list<const char*> addresses)
{
    auto contact = *connection::Contact::parse(rank->address());
    contact.port = port;
    contact.addresses.clear();
    for (const char* address : addresses)
        contact.addresses.push_back({*network::IpAddress::parse(address), 8, "lo"});
    return contact.to_bytes();
}

void RawPeer::write(std::span<const std::byte> bytes) const
{
    if (::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size()))
        throw std::runtime_error("the test's own connection does not take bytes");
}

Bytes RawPeer::read(std::size_t most) const
{
    Bytes bytes(most);
    const ssize_t got = recv(fd_.get(), bytes.data(), most, MSG_DONTWAIT);
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
}

bool RawPeer::is_closed() const
{
    std::array<std::byte, 4096> scratch;
    ssize_t got = 0;
    do
        got = recv(fd_.get(), scratch.data(), scratch.size(), MSG_DONTWAIT);
    while (got > 0);
    return got == 0 || errno == ECONNRESET;
}

void RawPeer::reset()
{
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    fd_.reset();
}

bool RawPeer::join(TcpRank& with, int its_rank, const security::Key& key, int rank)
{
    Handshake handshake =
        Handshake::dial(key, transport::tcp::kProtocolVersion, rank_identity(rank), rank_identity(its_rank));
    drive({&with}, [&] {
        write(handshake.outgoing());
        handshake.sent(handshake.outgoing().size());
        if (handshake.state() != Handshake::State::under_way)
            return true;
        handshake.take(read(handshake.wanted()));
        return false;
    });
    if (handshake.state() != Handshake::State::proved)
        return false;
    char verdict = 'A';
    if (rank < its_rank) {
        write({&verdict, 1});
        return drive({&with}, [&] { return with->is_connected(rank); });
    }
    Bytes answer;
    drive({&with}, [&] {
        answer = read(1);
        return !answer.empty() || is_closed();
    });
    return text_of(answer) == "A";
}

CapturedErrors::CapturedErrors() : file_(memfd_create("stderr", MFD_CLOEXEC)), saved_(dup(STDERR_FILENO))
{
    dup2(file_.get(), STDERR_FILENO);
}

CapturedErrors::~CapturedErrors()
{
    std::fflush(stderr);
    dup2(saved_.get(), STDERR_FILENO);
}

std::string CapturedErrors::text() const
{
    std::fflush(stderr);
    std::string text(64 << 10, '\0');
    const ssize_t size = pread(file_.get(), text.data(), text.size(), 0);
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return text;
}

std::size_t count(std::string_view text, std::string_view part)
{
    std::size_t times = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
        ++times;
    return times;
}

}  // namespace tutti::test
