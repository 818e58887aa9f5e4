#include "transports/tcp/dial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "lib/base/clock.hpp"

namespace tutti::transport::tcp {

using security::Handshake;
using security::Identity;

namespace {

// However many addresses: a connection over a long way takes some time.
constexpr std::int64_t kLeastTimeNs = 1'000'000'000;
// A peer that computes for long after the handshake's beginning may find that it took us for a stranger.
constexpr int kMostLeft = 5;

Identity rank_identity(int rank) noexcept
{
    return {Identity::Kind::rank, static_cast<std::uint32_t>(rank)};
}

}  // namespace

Dial::Dial(const DialOptions& options, Poller& poller, Card card, std::vector<network::Candidate> candidates)
    : options_(options), poller_(poller), card_(std::move(card)), candidates_(std::move(candidates))
{
    const std::int64_t all_ns = std::chrono::nanoseconds(options.socket.timeout).count();
    const auto share_ns = all_ns / static_cast<std::int64_t>(std::max<std::size_t>(1, candidates_.size()));
    time_for_one_ns_ = std::min(std::max(share_ns, kLeastTimeNs), all_ns);
    start_next(base::now_ns());
}

Dial::~Dial()
{
    drop();
}

void Dial::drop() noexcept
{
    if (meeting_ != nullptr)
        poller_.forget(meeting_->fd());
    meeting_.reset();
}

std::unique_ptr<Meeting> Dial::release()
{
    poller_.forget(meeting_->fd());
    return std::move(meeting_);
}

void Dial::start_next(std::int64_t now_ns)
{
    state_ = State::connecting;
    while (next_ < candidates_.size()) {
        if (start(candidates_[next_])) {
            deadline_ns_ = now_ns + time_for_one_ns_;
            poller_.wake_at(deadline_ns_);
            return;
        }
    }
    state_ = State::failed;
}

// Counts the candidate as tried where it fails at once.
bool Dial::start(const network::Candidate& candidate)
{
    base::UniqueFd fd = make_socket(candidate.to.address.is_v4());
    bool begun = false;
    if (fd) {
        set_options(fd.get(), options_.socket);
        socklen_t size = 0;
        const sockaddr_storage address =
            candidate.to.address.to_sockaddr(card_.port, candidate.scope(), size);
        begun = ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0 ||
                errno == EINPROGRESS;
    }
    if (begun) {
        meeting_ = std::make_unique<Meeting>(
            Watched::Kind::dial, std::move(fd),
            Handshake::dial(*options_.key, kProtocolVersion, rank_identity(options_.rank),
                            rank_identity(card_.rank)),
            candidate.to.address.with_port(card_.port));
        meeting_->peer = card_.rank;
        if (poller_.watch(meeting_->fd(), EPOLLOUT, *meeting_))
            return true;
    }
    refused_ += errno == ECONNREFUSED;
    said_.push_back(fmt::format("{}: {}", candidate.describe(), words_of(errno)));
    drop();
    ++next_;
    return false;
}

void Dial::failed(const std::string& why, std::int64_t now_ns)
{
    // The peer has let us wait too long, and itself: it is there, so once more.
    if (state_ == State::meeting && meeting_->was_left() && ++left_ < kMostLeft) {
        drop();
    } else {
        said_.push_back(fmt::format("{}: {}", candidates_[next_].describe(), why));
        drop();
        ++next_;
    }
    start_next(now_ns);
}

void Dial::advance(std::int64_t now_ns)
{
    if (state_ == State::connecting) {
        int error = 0;
        socklen_t size = sizeof error;
        getsockopt(meeting_->fd(), SOL_SOCKET, SO_ERROR, &error, &size);
        refused_ += error == ECONNREFUSED;
        if (error != 0)
            return failed(words_of(error), now_ns);
        state_ = State::meeting;
        poller_.change(meeting_->fd(), EPOLLIN, *meeting_);
    }
    meeting_->advance();
    if (meeting_->state() == Meeting::State::failed)
        failed(meeting_->failure(), now_ns);
}

// Once TCP has connected there is no hurry: the peer answers when it calls Tutti next, and when it dies its
// host says so.
std::int64_t Dial::look(std::int64_t now_ns)
{
    if (state_ != State::connecting)
        return 0;
    if (now_ns >= deadline_ns_)
        failed(fmt::format("no answer within {:.3g} s", static_cast<double>(time_for_one_ns_) / 1e9), now_ns);
    return state_ == State::connecting ? deadline_ns_ : 0;
}

std::string Dial::failure() const
{
    std::string text;
    for (const std::string& said : said_)
        text += (text.empty() ? "" : "; ") + said;
    return text;
}

}  // namespace tutti::transport::tcp
