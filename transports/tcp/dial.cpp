#include "transports/tcp/dial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "lib/foundation/base/clock.hpp"

namespace tutti::transport::tcp {

using security::Handshake;
using security::Identity;

namespace {

// However many addresses: a connection over a long way takes some time.
constexpr std::int64_t kLeastTimeNs = 1'000'000'000;
// Before an address is dialled again where the other end has hung up.
constexpr std::int64_t kPauseNs = 20'000'000;
// Where nothing has happened for this part of the timeout, one of both has computed.
constexpr int kComputed = 10;

Identity rank_identity(int rank) noexcept
{
    return {Identity::Kind::rank, static_cast<std::uint32_t>(rank)};
}

int error_of(int fd) noexcept
{
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    return error;
}

}  // namespace

Dial::Dial(const DialOptions& options, Poller& poller, Card card, std::vector<network::Candidate> candidates)
    : options_(options), poller_(poller), card_(std::move(card)), candidates_(std::move(candidates))
{
    const auto share_ns =
        timeout_ns() / static_cast<std::int64_t>(std::max<std::size_t>(1, candidates_.size()));
    share_ns_ = std::min(std::max(share_ns, kLeastTimeNs), timeout_ns());
    start_next(base::now_ns());
}

Dial::~Dial()
{
    for (Attempt& attempt : attempts_)
        hang_up(attempt);
}

void Dial::hang_up(Attempt& attempt) noexcept
{
    if (attempt.meeting != nullptr)
        poller_.forget(attempt.meeting->fd());
    attempt.meeting.reset();
}

std::vector<Dial::Attempt>::iterator Dial::attempt_of(const Meeting& meeting) noexcept
{
    return std::ranges::find_if(attempts_,
                                [&](const Attempt& attempt) { return attempt.meeting.get() == &meeting; });
}

Meeting* Dial::in(Meeting::State state) noexcept
{
    const auto found = std::ranges::find_if(attempts_, [&](const Attempt& attempt) {
        return attempt.meeting != nullptr && attempt.meeting->state() == state;
    });
    return found != attempts_.end() ? found->meeting.get() : nullptr;
}

std::unique_ptr<Meeting> Dial::release(Meeting& meeting)
{
    poller_.forget(meeting.fd());
    const auto found = attempt_of(meeting);
    auto released = std::move(found->meeting);
    attempts_.erase(found);
    return released;
}

void Dial::forget(Meeting& meeting) noexcept
{
    const auto found = attempt_of(meeting);
    hang_up(*found);
    attempts_.erase(found);
}

void Dial::start_next(std::int64_t now_ns)
{
    while (next_ < candidates_.size()) {
        Attempt attempt{next_++, nullptr, false, now_ns, 0, 0};
        if (connect(attempt, now_ns)) {
            attempts_.push_back(std::move(attempt));
            next_ns_ = now_ns + share_ns_;
            poller_.wake_at(next_ns_);
            return;
        }
        note(attempt, words_of(errno));
    }
}

// From the address that the candidate names, whichever one the routes would take. False, with errno, where it
// fails at once.
bool Dial::connect(Attempt& attempt, std::int64_t now_ns)
{
    const network::Candidate& way = candidates_[attempt.candidate];
    base::UniqueFd fd = make_socket(way.to.address.is_v4());
    if (!fd)
        return false;
    set_options(fd.get(), options_.socket);
    socklen_t size = 0;
    const sockaddr_storage to = way.to.address.to_sockaddr(card_.port, way.scope(), size);
    const bool begun =
        bind_source(fd.get(), way.from.address, way.scope()) &&
        (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), size) == 0 || errno == EINPROGRESS);
    if (!begun) {
        refused_ += errno == ECONNREFUSED;
        return false;
    }
    attempt.meeting =
        std::make_unique<Meeting>(Watched::Kind::dial, std::move(fd),
                                  Handshake::dial(*options_.key, kProtocolVersion,
                                                  rank_identity(options_.rank), rank_identity(card_.rank)),
                                  way.to.address.with_port(card_.port));
    attempt.meeting->peer = card_.rank;
    attempt.connected = false;
    attempt.touched_ns = now_ns;
    attempt.deadline_ns = now_ns + share_ns_;
    if (poller_.watch(attempt.meeting->fd(), EPOLLOUT, *attempt.meeting))
        return true;
    attempt.meeting.reset();
    return false;
}

void Dial::note(const Attempt& attempt, const std::string& why)
{
    said_.push_back(fmt::format("{}: {}", candidates_[attempt.candidate].describe(), why));
}

void Dial::give_up(Attempt& attempt, const std::string& why, std::int64_t now_ns)
{
    note(attempt, why);
    hang_up(attempt);
    attempts_.erase(attempts_.begin() + (&attempt - attempts_.data()));
    start_next(now_ns);
}

// Who accepts connections only to close them is not the peer. But a peer that has many callers, or computes
// for long, drops those that say nothing to it, and while we compute we are one of these: that says nothing
// of it.
void Dial::was_left(Attempt& attempt, const std::string& why, std::int64_t now_ns)
{
    if (now_ns - attempt.touched_ns >= timeout_ns() / kComputed)
        attempt.left_ns = 0;
    else if (attempt.left_ns == 0)
        attempt.left_ns = now_ns;
    else if (now_ns - attempt.left_ns >= timeout_ns())
        return give_up(attempt, why, now_ns);
    hang_up(attempt);
    attempt.connected = false;
    attempt.deadline_ns = now_ns + kPauseNs;
    poller_.wake_at(attempt.deadline_ns);
}

void Dial::advance(Meeting& meeting, std::int64_t now_ns)
{
    const auto found = attempt_of(meeting);
    if (found == attempts_.end())
        return;
    Attempt& attempt = *found;
    if (!attempt.connected) {
        const int error = error_of(meeting.fd());
        refused_ += error == ECONNREFUSED;
        if (error == ECONNRESET)
            return was_left(attempt, words_of(error), now_ns);
        if (error != 0)
            return give_up(attempt, words_of(error), now_ns);
        attempt.connected = true;
        poller_.change(meeting.fd(), EPOLLIN, meeting);
    }
    meeting.advance();
    if (meeting.state() != Meeting::State::failed)
        attempt.touched_ns = now_ns;
    else if (meeting.was_left())
        was_left(attempt, meeting.failure(), now_ns);
    else
        give_up(attempt, meeting.failure(), now_ns);
}

// Once TCP has connected there is no hurry: the peer answers when it calls Tutti next, and when it dies its
// host says so. But it may be somebody else, hence the next address beside it.
std::int64_t Dial::look(std::int64_t now_ns)
{
    for (std::size_t i = attempts_.size(); i-- > 0;) {
        Attempt& attempt = attempts_[i];
        if (attempt.connected || now_ns < attempt.deadline_ns)
            continue;
        if (attempt.meeting != nullptr)
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

bool Dial::is_mute(const Attempt& attempt, std::int64_t now_ns) const noexcept
{
    return attempt.connected && !attempt.meeting->has_heard_anything() && now_ns >= attempt.deadline_ns;
}

std::string Dial::mute(std::int64_t now_ns) const
{
    std::string text;
    for (const Attempt& attempt : attempts_)
        if (is_mute(attempt, now_ns))
            text += (text.empty() ? "" : ", ") + candidates_[attempt.candidate].describe();
    return text;
}

std::string Dial::mute_beside(const Meeting& meeting, std::int64_t now_ns) const
{
    const auto found = std::ranges::find(
        attempts_, &meeting, [](const Attempt& attempt) -> const Meeting* { return attempt.meeting.get(); });
    const std::int64_t dialled_ns = found->deadline_ns - share_ns_;
    return now_ns - dialled_ns < kLeastTimeNs ? mute(now_ns) : std::string();
}

std::string Dial::failure() const
{
    std::string text;
    for (const std::string& said : said_)
        text += (text.empty() ? "" : "; ") + said;
    return text;
}

}  // namespace tutti::transport::tcp
