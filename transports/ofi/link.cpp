#include "transports/ofi/link.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "lib/foundation/base/clock.hpp"

namespace tutti::transport::ofi {

namespace {

// Of what follows the handshake; other transports speak something else on their connections.
constexpr std::uint32_t kVersion = 0x6f666901;

// Between two connections to who closes them without a word, as a share of the timeout.
constexpr int kTriesATimeout = 100;

// A rank that says nothing for this part of the timeout after it has dialed has computed.
constexpr int kComputed = 10;

// A proved peer that sends nothing but what belongs here never comes near.
constexpr std::size_t kMostOut = 1 << 16;

security::Identity identity(int rank)
{
    return {security::Identity::Kind::rank, static_cast<std::uint32_t>(rank)};
}

}  // namespace

std::string Way::describe() const
{
    return fmt::format("{} ({}) from {} ({})", candidate.to.address.with_port(port), candidate.to.interface,
                       candidate.from.address.to_string(), candidate.from.interface);
}

Link::Link(const LinkSettings& settings, int peer, std::vector<Way> ways)
    : settings_(settings),
      dialed_(true),
      wanted_peer_(peer),
      ways_(std::move(ways)),
      state_(State::connecting),
      handshake_(security::Handshake::dial(settings.key, kVersion, identity(settings.rank), identity(peer)))
{
    try_ways();
}

Link::Link(const LinkSettings& settings, base::UniqueFd connection, std::string where)
    : settings_(settings),
      dialed_(false),
      where_(std::move(where)),
      state_(State::proving),
      connection_(std::move(connection)),
      handshake_(security::Handshake::listen(settings.key, kVersion, identity(settings.rank))),
      deadline_ns_(base::now_ns() + settings.timeout_ns)
{
    watch_peer();
}

int Link::peer() const noexcept
{
    const security::Identity other = handshake_.peer();
    if (dialed_)
        return wanted_peer_;
    return handshake_.has_hello() && other.kind == security::Identity::Kind::rank
               ? static_cast<int>(other.number)
               : -1;
}

// Starts to connect by the first way that does not fail at once.
void Link::try_ways()
{
    for (; way_ < ways_.size(); ++way_) {
        const Way& way = ways_[way_];
        where_ = way.candidate.to.address.with_port(way.port);
        ++attempt_;
        socklen_t size = 0;
        const auto to = way.candidate.to.address.to_sockaddr(way.port, way.candidate.scope(), size);
        connection_ =
            base::UniqueFd(socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
        socklen_t from_size = 0;
        const auto from = way.candidate.from.address.to_sockaddr(0, way.candidate.scope(), from_size);
        const bool started =
            connection_ &&
            bind(connection_.get(), reinterpret_cast<const sockaddr*>(&from), from_size) == 0 &&
            (connect(connection_.get(), reinterpret_cast<const sockaddr*>(&to), size) == 0 ||
             errno == EINPROGRESS);
        if (started) {
            state_ = State::connecting;
            silent_since_ns_ = base::now_ns();
            handshake_ = security::Handshake::dial(settings_.key, kVersion, identity(settings_.rank),
                                                   identity(wanted_peer_));
            in_.clear();
            out_.clear();
            const auto ways_left = static_cast<std::int64_t>(ways_.size() - way_);
            const std::int64_t now = base::now_ns();
            const std::int64_t left = deadline_ns_ && way_ != 0 ? *deadline_ns_ - now : settings_.timeout_ns;
            deadline_ns_ = now + std::max<std::int64_t>(left, settings_.timeout_ns / 2) / ways_left;
            return;
        }
        refused_ += errno == ECONNREFUSED;
        reason_ += fmt::format("{}{}: {}", reason_.empty() ? "" : "; ", way.describe(), std::strerror(errno));
    }
    end(std::exchange(reason_, {}));
}

void Link::give_up_way(const std::string& why)
{
    reason_ += fmt::format("{}{}: {}", reason_.empty() ? "" : "; ", ways_[way_].describe(), why);
    ++way_;
    try_ways();
}

// Who was taken for a stranger, as it was slow or there were too many of these, tries the same way again.
// Where the process has ended, it is refused next time. While this rank computes it does look like a
// stranger: that it is dropped then says nothing of the other end. Once it has said hello it no longer does,
// and drops count, however late they come: the next way is not tried before this one is given up.
void Link::was_left(const std::string& why)
{
    const std::int64_t now = base::now_ns();
    if (silent_since_ns_ != 0 && now - silent_since_ns_ >= settings_.timeout_ns / kComputed)
        try_again_until_ns_ = 0;
    else if (try_again_until_ns_ == 0)
        try_again_until_ns_ = now + settings_.timeout_ns;
    else if (now >= try_again_until_ns_)
        return give_up_way(why);
    connection_.reset();
    state_ = State::connecting;
    deadline_ns_ = now + settings_.timeout_ns / kTriesATimeout;
}

// The kernels' own questions: they are answered also while the other rank computes.
void Link::watch_peer() noexcept
{
    const auto set = [this](int level, int name, int value) {
        setsockopt(connection_.get(), level, name, &value, sizeof value);
    };
    const auto timeout_ms =
        static_cast<int>(std::clamp<std::int64_t>(settings_.timeout_ns / 1'000'000, 1000, 1'000'000));
    const int step_s = std::max(1, timeout_ms / 5000);
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, step_s);
    set(IPPROTO_TCP, TCP_KEEPINTVL, step_s);
    set(IPPROTO_TCP, TCP_KEEPCNT, 3);
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, timeout_ms * 4 / 5);
    set(IPPROTO_TCP, TCP_NODELAY, 1);
}

void Link::ready()
{
    if (state_ == State::connecting && connection_)
        on_connected();
    if (state_ == State::proving || state_ == State::proved)
        read_some();
    if (state_ == State::proving || state_ == State::proved)
        write_some();
}

void Link::on_connected()
{
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(connection_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    refused_ += error == ECONNREFUSED;
    if (error == ECONNRESET)
        return was_left(std::strerror(error));
    if (error != 0)
        return give_up_way(std::strerror(error));
    sockaddr_storage peer{};
    size = sizeof peer;
    if (getpeername(connection_.get(), reinterpret_cast<sockaddr*>(&peer), &size) != 0)
        return;  // not yet
    watch_peer();
    state_ = State::proving;
    deadline_ns_.reset();  // who answers may compute for long before it looks here; it is there
    look_at_handshake();
}

void Link::on_deadline()
{
    deadline_ns_.reset();
    if (state_ == State::connecting && !connection_)
        return try_ways();
    const std::string why = fmt::format("no answer for {:.1f} s", double(settings_.timeout_ns) * 1e-9);
    if (state_ == State::connecting)
        give_up_way(why);
    else
        end(fmt::format("{}: {}", where_, why));
}

void Link::read_some()
{
    std::array<std::byte, 1024> bytes;
    while (state_ == State::proving || state_ == State::proved) {
        const ssize_t got = read(connection_.get(), bytes.data(), bytes.size());
        if (got > 0) {
            feed(std::span(bytes).first(static_cast<std::size_t>(got)));
        } else if (got < 0 && errno == EINTR) {
            continue;
        } else if (got < 0 && errno == EAGAIN) {
            return;
        } else {
            const std::string why = got != 0 ? std::strerror(errno)
                                    : state_ == State::proving
                                        ? "it closed the connection"
                                        : "it closed the connection without leaving the "
                                          "job: the process has probably died";
            if (dialed_ && state_ == State::proving)
                was_left(why);
            else
                end(fmt::format("{}: {}", where_, why));
            return;
        }
    }
}

void Link::feed(std::span<const std::byte> bytes)
{
    if (state_ == State::proving) {
        bytes = bytes.subspan(handshake_.take(bytes));
        look_at_handshake();
    }
    if (state_ == State::proved)
        in_.insert(in_.end(), bytes.begin(), bytes.end());
}

void Link::look_at_handshake()
{
    const auto outgoing = handshake_.outgoing();
    out_.insert(out_.end(), outgoing.begin(), outgoing.end());
    handshake_.sent(outgoing.size());
    if (handshake_.has_hello())
        deadline_ns_.reset();
    if (handshake_.state() == security::Handshake::State::proved) {
        state_ = State::proved;
        deadline_ns_.reset();
    } else if (handshake_.state() == security::Handshake::State::failed) {
        write_some();  // tells the other end why
        if (dialed_)
            give_up_way(std::string(handshake_.reason()));
        else
            end(fmt::format("{}: {}", where_, handshake_.reason()));
    }
}

void Link::write_some()
{
    while (!out_.empty()) {
        const ssize_t gone = ::send(connection_.get(), out_.data(), out_.size(), MSG_NOSIGNAL);
        if (gone < 0 && errno == EINTR)
            continue;
        if (gone < 0)
            return;  // full, or broken: reading tells which
        silent_since_ns_ = 0;
        out_.erase(out_.begin(), out_.begin() + gone);
    }
}

void Link::send(const LinkMessage& message)
{
    if (state_ != State::proved)
        return;
    const auto bytes = std::as_bytes(std::span(&message, 1));
    out_.insert(out_.end(), bytes.begin(), bytes.end());
    write_some();
    if (out_.size() > kMostOut)
        end(fmt::format("{}: it takes no messages", where_));
}

std::optional<LinkMessage> Link::take()
{
    if (in_.size() < sizeof(LinkMessage))
        return std::nullopt;
    LinkMessage message{};
    std::memcpy(&message, in_.data(), sizeof message);
    in_.erase(in_.begin(), in_.begin() + sizeof message);
    return message;
}

void Link::end(std::string reason)
{
    if (state_ == State::ended)
        return;
    state_ = State::ended;
    reason_ = std::move(reason);
    deadline_ns_.reset();
    connection_.reset();
}

}  // namespace tutti::transport::ofi
