#include "lib/foundation/connection/dialer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "lib/foundation/base/clock.hpp"

namespace tutti::connection {

using security::Handshake;

namespace {

// The least time for each address, however many there are: a connection over a long distance takes time.
constexpr std::int64_t kLeastTimeNs = 1'000'000'000;
// Pause before an address is dialled again after the other end has hung up.
constexpr std::int64_t kPauseNs = 20'000'000;
// If nothing happened for a tenth of the timeout, this process has computed.
constexpr int kComputed = 10;
// The time between two looks of wait().
constexpr std::int64_t kLookNs = 500'000'000;

}  // namespace

Dialer::Dialer(const ConnectionOptions& options, Poller& poller, security::Identity peer, std::uint16_t port,
               std::vector<network::Candidate> candidates, std::int64_t head_start_ns)
    : options_(options), poller_(poller), peer_(peer), port_(port), candidates_(std::move(candidates))
{
    const auto count = static_cast<std::int64_t>(std::max<std::size_t>(1, candidates_.size()));
    share_ns_ = std::min(std::max(options.timeout_ns / count, kLeastTimeNs), options.timeout_ns);
    head_start_ns_ = head_start_ns != 0 ? head_start_ns : share_ns_;
    if (head_start_ns != 0)
        share_ns_ = options.timeout_ns;
    start_next(base::now_ns());
}

Dialer::~Dialer()
{
    for (Attempt& attempt : attempts_)
        hang_up(attempt);
}

void Dialer::hang_up(Attempt& attempt) noexcept
{
    if (attempt.connection != nullptr)
        poller_.forget(attempt.connection->fd());
    attempt.connection.reset();
}

std::vector<Dialer::Attempt>::iterator Dialer::attempt_of(const PendingConnection& connection) noexcept
{
    return std::ranges::find_if(
        attempts_, [&](const Attempt& attempt) { return attempt.connection.get() == &connection; });
}

PendingConnection* Dialer::in(State state) noexcept
{
    const auto found = std::ranges::find_if(attempts_, [&](const Attempt& attempt) {
        return attempt.connection != nullptr && attempt.connection->state() == state;
    });
    return found != attempts_.end() ? found->connection.get() : nullptr;
}

std::unique_ptr<PendingConnection> Dialer::release(PendingConnection& connection)
{
    poller_.forget(connection.fd());
    const auto found = attempt_of(connection);
    auto released = std::move(found->connection);
    attempts_.erase(found);
    return released;
}

void Dialer::forget(PendingConnection& connection) noexcept
{
    const auto found = attempt_of(connection);
    hang_up(*found);
    attempts_.erase(found);
}

void Dialer::start_next(std::int64_t now_ns)
{
    while (next_ < candidates_.size()) {
        Attempt attempt{next_++, nullptr, false, false, now_ns, 0, 0};
        if (connect(attempt, now_ns)) {
            attempts_.push_back(std::move(attempt));
            next_ns_ = now_ns + head_start_ns_;
            poller_.wake_at(next_ns_);
            return;
        }
        note(attempt, words_of(errno));
    }
}

// False, with errno, where it fails at once.
bool Dialer::connect(Attempt& attempt, std::int64_t now_ns)
{
    const network::Candidate& way = candidates_[attempt.candidate];
    base::UniqueFd fd = begin_connect(way, port_, options_);
    if (!fd) {
        refused_ += errno == ECONNREFUSED;
        return false;
    }
    attempt.connection = std::make_unique<PendingConnection>(
        std::move(fd), Handshake::dial(options_.key, options_.version, options_.self, peer_),
        way.to.address.with_port(port_), this);
    attempt.connected = attempt.greeted = false;
    attempt.touched_ns = now_ns;
    attempt.deadline_ns = now_ns + share_ns_;
    poller_.wake_at(attempt.deadline_ns);
    if (poller_.watch(attempt.connection->fd(), EPOLLOUT, *attempt.connection))
        return true;
    attempt.connection.reset();
    return false;
}

void Dialer::note(const Attempt& attempt, const std::string& why)
{
    said_.push_back(fmt::format("{}: {}", candidates_[attempt.candidate].describe(), why));
}

void Dialer::give_up(Attempt& attempt, const std::string& why, std::int64_t now_ns)
{
    note(attempt, why);
    hang_up(attempt);
    attempts_.erase(attempts_.begin() + (&attempt - attempts_.data()));
    start_next(now_ns);
}

// A process that accepts connections only to close them is not the peer. But a peer with many callers drops
// silent and incomplete ones. While this process computes it is such a caller: then a drop proves nothing.
void Dialer::was_left(Attempt& attempt, const std::string& why, std::int64_t now_ns)
{
    const bool has_answered = attempt.connection->has_received_anything();
    if ((has_answered || !attempt.greeted) && now_ns - attempt.touched_ns >= options_.timeout_ns / kComputed)
        attempt.left_ns = 0;
    else if (attempt.left_ns == 0)
        attempt.left_ns = now_ns;
    else if (now_ns - attempt.left_ns >= options_.timeout_ns)
        return give_up(attempt, why, now_ns);
    hang_up(attempt);
    attempt.connected = false;
    attempt.deadline_ns = now_ns + kPauseNs;
    poller_.wake_at(attempt.deadline_ns);
}

void Dialer::advance(PendingConnection& connection, std::int64_t now_ns)
{
    const auto found = attempt_of(connection);
    if (found == attempts_.end())
        return;
    Attempt& attempt = *found;
    if (!attempt.connected) {
        const int error = connect_error(connection.fd());
        refused_ += error == ECONNREFUSED;
        if (error == ECONNRESET)
            return was_left(attempt, words_of(error), now_ns);
        if (error != 0)
            return give_up(attempt, words_of(error), now_ns);
        attempt.connected = true;
        poller_.change(connection.fd(), EPOLLIN, connection);
    }
    connection.advance();
    if (connection.state() != State::failed) {
        attempt.touched_ns = now_ns;
        attempt.greeted = true;
    } else if (connection.was_left()) {
        was_left(attempt, connection.failure(), now_ns);
    } else {
        give_up(attempt, connection.failure(), now_ns);
    }
}

// Once TCP has connected there is no hurry: the peer answers when it next calls Tutti, and if it dies its
// host reports it. But it may be another process, so the next address is tried in parallel.
std::int64_t Dialer::look(std::int64_t now_ns)
{
    for (std::size_t i = attempts_.size(); i-- > 0;) {
        Attempt& attempt = attempts_[i];
        if (attempt.connected || now_ns < attempt.deadline_ns)
            continue;
        if (attempt.connection != nullptr)
            give_up(attempt, fmt::format("no answer within {:.3g} s", static_cast<double>(share_ns_) / 1e9),
                    now_ns);
        else if (!connect(attempt, now_ns))
            give_up(attempt, words_of(errno), now_ns);
    }
    if (now_ns >= next_ns_)
        start_next(now_ns);
    std::int64_t next = next_ < candidates_.size() ? next_ns_ : std::numeric_limits<std::int64_t>::max();
    for (const Attempt& attempt : attempts_)
        if (!attempt.connected)
            next = std::min(next, attempt.deadline_ns);
    return next != std::numeric_limits<std::int64_t>::max() ? next : 0;
}

std::unique_ptr<PendingConnection> Dialer::wait(std::int64_t deadline_ns)
{
    for (std::int64_t now_ns = base::now_ns(); !has_failed() && now_ns < deadline_ns;) {
        poller_.wake_at(std::min(deadline_ns, now_ns + kLookNs));
        for (const epoll_event& event : poller_.wait(-1)) {
            auto& watched = *static_cast<Watched*>(event.data.ptr);
            if (watched.kind == Watched::Kind::pending)
                advance(static_cast<PendingConnection&>(watched), base::now_ns());
            if (PendingConnection* const proved = in(State::proved))
                return release(*proved);
        }
        poller_.clear_alarm();
        // While this process was stopped, the peer could not get on.
        const std::int64_t before_ns = std::exchange(now_ns, base::now_ns());
        if (now_ns - before_ns > 2 * kLookNs)
            deadline_ns += now_ns - before_ns - kLookNs;
        if (const std::int64_t next_ns = look(now_ns); next_ns != 0)
            poller_.wake_at(next_ns);
    }
    return nullptr;
}

std::string Dialer::mute(std::int64_t now_ns) const
{
    std::string text;
    for (const Attempt& attempt : attempts_)
        if (attempt.connected && !attempt.connection->has_received_anything() &&
            now_ns >= attempt.deadline_ns)
            text += (text.empty() ? "" : ", ") + candidates_[attempt.candidate].describe();
    return text;
}

std::string Dialer::mute_beside(const PendingConnection& connection, std::int64_t now_ns) const
{
    const auto found = std::ranges::find(
        attempts_, &connection,
        [](const Attempt& attempt) -> const PendingConnection* { return attempt.connection.get(); });
    const std::int64_t dialled_ns = found->deadline_ns - share_ns_;
    return now_ns - dialled_ns < kLeastTimeNs ? mute(now_ns) : std::string();
}

std::string Dialer::failure() const
{
    std::vector<std::string> parts = said_;
    for (const Attempt& attempt : attempts_)
        parts.push_back(candidates_[attempt.candidate].describe() + ": no answer");
    return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace tutti::connection
