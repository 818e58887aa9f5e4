#include "launcher/tree/join.hpp"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "launcher/wire/daemon_link.hpp"

namespace tutti::launcher {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kJoinPatience{10'000};  // for all addresses together
constexpr std::chrono::milliseconds kHeadStart{250};        // of an address before the next one is tried, too

/// One address on its way from connect() to proof.
struct Attempt {
    std::string address;
    UniqueFd fd;
    bool connected = false;
    security::Handshake handshake;
    std::string failure;
};

void fail(Attempt& attempt, const std::string& reason)
{
    attempt.failure = reason;
    attempt.fd.reset();
}

void begin(Attempt& attempt, std::uint16_t port)
{
    addrinfo hints{};
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int error = ::getaddrinfo(attempt.address.c_str(), std::to_string(port).c_str(), &hints, &found);
    if (error != 0) {
        fail(attempt, ::gai_strerror(error));
        return;
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> address(found, &::freeaddrinfo);
    attempt.fd.reset(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    prepare_link(attempt.fd.get());
    if (::connect(attempt.fd.get(), found->ai_addr, found->ai_addrlen) != 0 && errno != EINPROGRESS)
        fail(attempt, std::strerror(errno));
}

void send_outgoing(Attempt& attempt)
{
    const auto bytes = attempt.handshake.outgoing();
    if (!bytes.empty()) {
        const ssize_t sent = ::send(attempt.fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        attempt.handshake.sent(sent > 0 ? static_cast<std::size_t>(sent) : 0);
    }
}

void finish_connect(Attempt& attempt)
{
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(attempt.fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) {
        fail(attempt, std::strerror(error));
        return;
    }
    attempt.connected = true;
    send_outgoing(attempt);
}

void continue_handshake(Attempt& attempt)
{
    std::array<std::byte, security::Handshake::kMostBytes> buffer;
    const ssize_t bytes = ::recv(attempt.fd.get(), buffer.data(), attempt.handshake.wanted(), 0);
    if (bytes < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (bytes <= 0) {
        fail(attempt, bytes == 0 ? "it closed the connection" : std::strerror(errno));
        return;
    }
    attempt.handshake.take({buffer.data(), static_cast<std::size_t>(bytes)});
    send_outgoing(attempt);
    if (attempt.handshake.state() == security::Handshake::State::failed)
        fail(attempt, std::string(attempt.handshake.reason()));
}

/// Looks once at all attempts that are under way; nullptr as long as none has come through.
Attempt* look(std::vector<Attempt>& attempts, std::size_t begun, std::chrono::milliseconds patience)
{
    std::vector<pollfd> entries;
    for (std::size_t i = 0; i < begun; ++i) {
        const short events = attempts[i].connected ? POLLIN : POLLOUT;
        entries.push_back({attempts[i].fd.get(), events, 0});  // poll() passes over closed ones, -1
    }
    ::poll(entries.data(), entries.size(), static_cast<int>(std::max<long>(0, patience.count())));
    for (std::size_t i = 0; i < begun; ++i) {
        Attempt& attempt = attempts[i];
        if (!attempt.fd || entries[i].revents == 0)
            continue;
        if (attempt.connected)
            continue_handshake(attempt);
        else
            finish_connect(attempt);
        if (attempt.handshake.state() == security::Handshake::State::proved)
            return &attempt;
    }
    return nullptr;
}

std::vector<std::string> candidates(const DaemonRecord& record)
{
    std::vector<std::string> addresses;
    const char* const connection = std::getenv("SSH_CONNECTION");
    if (const std::string text = connection != nullptr ? connection : ""; !text.empty())
        addresses.push_back(text.substr(0, text.find(' ')));  // the client's address comes first
    for (const std::string& address : record.addresses)
        if (std::ranges::find(addresses, address) == addresses.end())
            addresses.push_back(address);
    return addresses;
}

}  // namespace

UniqueFd join_job(const DaemonRecord& record, int node)
{
    const security::Identity self{security::Identity::Kind::daemon, static_cast<std::uint32_t>(node)};
    std::vector<Attempt> attempts;
    for (const std::string& address : candidates(record)) {
        attempts.push_back({address,
                            {},
                            false,
                            security::Handshake::dial(record.key, kDaemonProtocol, self, record.parent),
                            {}});
    }
    std::size_t begun = 0;
    const auto give_up = Clock::now() + kJoinPatience;
    auto next_begins = Clock::now();
    const auto under_way = [](const Attempt& attempt) { return static_cast<bool>(attempt.fd); };
    while (Clock::now() < give_up) {
        const bool idle = std::ranges::none_of(attempts, under_way);
        if (begun < attempts.size() && (idle || Clock::now() >= next_begins)) {
            begin(attempts[begun++], record.port);
            next_begins = Clock::now() + kHeadStart;
        } else if (idle) {
            break;
        }
        const auto until = begun < attempts.size() ? std::min(next_begins, give_up) : give_up;
        const auto patience = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
        if (Attempt* const joined = look(attempts, begun, patience))
            return std::move(joined->fd);
    }
    std::vector<std::string> reasons;
    for (const Attempt& attempt : attempts) {
        reasons.push_back(fmt::format("{}: {}", attempt.address,
                                      attempt.fd                ? "no answer"
                                      : attempt.failure.empty() ? "not tried"
                                                                : attempt.failure));
    }
    throw std::runtime_error(
        fmt::format("cannot connect back to tuttirun at port {} ({}); a firewall must let this host connect "
                    "there, on one of "
                    "these addresses",
                    record.port, fmt::join(reasons, "; ")));
}

}  // namespace tutti::launcher
