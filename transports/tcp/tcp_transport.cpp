#include "transports/tcp/tcp_transport.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "lib/foundation/base/clock.hpp"
#include "lib/foundation/base/open_files.hpp"
#include "transports/tcp/congestion.hpp"
#include "transports/tcp/tcp_capabilities.hpp"

namespace tutti::transport::tcp {

namespace {

// Time between two polls of epoll while all connections are hot: only new connections and the alarm wait so
// long.
constexpr std::int64_t kPollAgainNs = 20'000;
// TCP_RTO_MAX_MS, since Linux 6.15: system headers are often older than the kernel.
constexpr int kTcpRtoMaxMs = 44;
constexpr int kLeastRtoMaxMs = 1000;
// Frames that wait for later ones leave when there are so many bytes: more in one system call gain little.
constexpr std::size_t kMostKeptBytes = 256u << 10;
// A payload up to this size is copied to join frames that wait, and leaves with them.
constexpr std::size_t kJoinsBytes = 1024;
constexpr std::int64_t kAtOnce = 1;                    // for the alarm
constexpr std::int64_t kUnwatchedSleepNs = 1'000'000;  // where epoll has no room for a connection

// TCP_USER_TIMEOUT cannot be used: it also ends connections to a living peer that computes for a while
// without reading. Keepalive checks idle connections, Stream::silent_ns() the others.
void prepare(int fd, const TcpOptions& options) noexcept
{
    const int timeout_ms = static_cast<int>(options.timeout.count());
    const auto seconds = [&](int parts) { return std::max(1, timeout_ms / parts / 1000); };
    connection::set_usual_options(fd, {.idle_s = seconds(2), .interval_s = seconds(10), .questions = 5});
    // The longest pause between probes of a closed window: only an unanswered probe shows a cut.
    connection::set_option(fd, IPPROTO_TCP, kTcpRtoMaxMs, std::max(kLeastRtoMaxMs, timeout_ms / 4));
    set_congestion_control(fd, options.congestion_control);
    if (options.socket_buffer_bytes != 0) {
        connection::set_option(fd, SOL_SOCKET, SO_SNDBUF, options.socket_buffer_bytes);
        connection::set_option(fd, SOL_SOCKET, SO_RCVBUF, options.socket_buffer_bytes);
    }
}

TcpOptions checked(TcpOptions options)
{
    // One file for each peer, and as many for the program.
    base::allow_open_files(2 * static_cast<std::size_t>(options.ranks) + 256);
    options.congestion_control = choose_congestion_control(options.congestion_control);
    return options;
}

}  // namespace

TcpTransport::TcpTransport(TcpOptions options)
    : options_(checked(std::move(options))),
      local_addresses_(options_.interfaces.choose(network::local_addresses(), options_.host)),
      connector_({.key = options_.key,
                  .version = kProtocolVersion,
                  .self = connection::rank_identity(options_.rank),
                  .timeout_ns = timeout_ns(),
                  .prepare = [this](int fd) { prepare(fd, options_); }},
                 {.ranks = options_.ranks, .host = options_.host, .addresses = local_addresses_}, poller_,
                 *this),
      peers_(static_cast<std::size_t>(options_.ranks))
{
}

Capabilities TcpTransport::capabilities() const noexcept
{
    return kCapabilities;
}

bool TcpTransport::reach(int peer, std::span<const std::byte> contact) const noexcept
{
    const auto parsed = connection::Contact::parse(contact);
    return parsed && parsed->rank == peer && peer < options_.ranks && peer != options_.rank;
}

bool TcpTransport::is_connected(int peer) const noexcept
{
    const auto& known = peers_[static_cast<std::size_t>(peer)];
    return known != nullptr && known->stream != nullptr;
}

TcpTransport::Peer& TcpTransport::peer(int rank)
{
    auto& known = peers_[static_cast<std::size_t>(rank)];
    if (known == nullptr)
        known = std::make_unique<Peer>();
    return *known;
}

SendResult TcpTransport::send(int rank, std::span<const std::byte> header, std::span<const std::byte> payload,
                              Completion& completion)
{
    return send_frame(rank, Head(Prefix::Kind::frame, header, payload.size()), {&payload, 1}, completion);
}

SendResult TcpTransport::send_parts(int rank, std::span<const std::byte> header, Parts payload,
                                    Completion& completion)
{
    std::size_t payload_bytes = 0;
    for (const std::span<const std::byte> part : payload)
        payload_bytes += part.size();
    return send_frame(rank, Head(Prefix::Kind::frame, header, payload_bytes), payload, completion);
}

SendResult TcpTransport::send_frame(int rank, const Head& head, Parts payload, Completion& completion)
{
    Peer& to = *peers_[static_cast<std::size_t>(rank)];
    if (to.run.has_kept()) [[unlikely]] {
        const bool joins = head.prefix.payload_bytes <= kJoinsBytes &&
                           to.queue.push(head, payload, 0, completion) == SendResult::done;
        flush_kept(to);
        if (joins)
            return SendResult::done;
    }
    if (to.stream == nullptr || !to.queue.empty()) [[unlikely]] {
        if (to.state == PeerState::living)
            return enqueue(to, head, payload, 0, completion);
        if (to.state == PeerState::departed)
            lose(rank, {"it has left the job", true});
        return SendResult::done;
    }
    Stream& stream = *to.stream;
    ssize_t sent = stream.write(head, payload);
    if (!stream.awaits_acknowledgement()) [[unlikely]]
        watch_for_silence(stream);
    if (sent == static_cast<ssize_t>(head.bytes().size() + head.prefix.payload_bytes)) [[likely]]
        return SendResult::done;
    if (sent < 0) {
        if (errno == EFAULT) [[unlikely]] {
            failed_.push_back(&completion);
            lose_for_bad_memory(rank);
            return SendResult::pending;
        }
        if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR && errno != ENOBUFS) {
            stream.send_failed(errno);  // the end is found after earlier data has been received
            return SendResult::done;
        }
        sent = 0;
    }
    return enqueue(to, head, payload, static_cast<std::size_t>(sent), completion);
}

SendResult TcpTransport::send_soon(int rank, std::span<const std::byte> header,
                                   std::span<const std::byte> payload, Completion& completion)
{
    Peer& to = *peers_[static_cast<std::size_t>(rank)];
    if (to.stream == nullptr || payload.size() >= SendQueue::kCopyBelow)
        return send(rank, header, payload, completion);
    if (!to.run.has_begun())
        runs_.push_back(&to);
    if (!to.run.may_keep_next())
        return send(rank, header, payload, completion);
    if (to.in_blocked && to.queue.size_bytes() >= kMostKeptBytes)
        return SendResult::again;
    to.queue.keep(Head(Prefix::Kind::frame, header, payload.size()), payload, completion);
    if (to.in_blocked)
        return SendResult::pending;
    const bool is_due = to.run.keeps(base::now_ns());
    if (is_due || to.queue.size_bytes() >= kMostKeptBytes)
        flush_kept(to);
    return SendResult::pending;
}

void TcpTransport::flush()
{
    if (!runs_.empty())
        end_runs(base::now_ns());
}

std::size_t TcpTransport::end_runs(std::int64_t now_ns)
{
    std::size_t events = 0;
    while (!runs_.empty()) {
        Peer& to = *runs_.back();
        runs_.pop_back();
        if (to.run.end(now_ns)) {
            ++events;
            flush_kept(to);
        }
    }
    return events;
}

void TcpTransport::flush_kept(Peer& to)
{
    to.run.leave();
    to.stream->note_sent();
    if (flush(to) == SendQueue::Flush::blocked)
        note_blocked(to);
}

void TcpTransport::release_payload(int rank, const Completion& completion)
{
    peer(rank).queue.release_payload(completion);
}

void TcpTransport::release_place(int rank)
{
    if (closed_)
        return;
    Peer& from = peer(rank);
    if (from.stream != nullptr)
        from.stream->release_place(buffers_);
}

SendResult TcpTransport::enqueue(Peer& to, const Head& head, Parts payload, std::size_t sent,
                                 Completion& completion)
{
    const SendResult result = to.queue.push(head, payload, sent, completion);
    if (to.stream != nullptr && result != SendResult::again)
        note_blocked(to);
    return result;
}

void TcpTransport::note_blocked(Peer& to)
{
    if (!std::exchange(to.in_blocked, true))
        blocked_.push_back(&to);
    if (armed_)
        to.stream->watch_for_room(true);
}

void TcpTransport::watch_for_silence(Stream& stream) noexcept
{
    if (stream.await_acknowledgement())
        poller_.wake_at(base::now_ns() + timeout_ns() / 10);
}

std::size_t TcpTransport::progress(Sink& sink)
{
    const std::int64_t now = base::now_ns();
    std::size_t events = runs_.empty() ? 0 : end_runs(now);
    events += receive_hot(sink, now);
    if (!blocked_.empty()) [[unlikely]]
        events += flush_blocked();
    if (has_to_poll() || now >= poll_again_ns_) {
        poll_again_ns_ = now + kPollAgainNs;
        events += poll(sink, 0);
    }
    if (!finished_.empty() || !failed_.empty()) [[unlikely]] {
        events += fire(finished_, ErrorCode::success);
        events += fire(failed_, ErrorCode::peer_lost);
    }
    if (!losses_.empty()) [[unlikely]]
        events += report_losses(sink);
    return events;
}

bool TcpTransport::has_to_poll() const noexcept
{
    return armed_ || hot_.size() != streams_ || !connector_.is_idle();
}

std::size_t TcpTransport::receive_hot(Sink& sink, std::int64_t now_ns)
{
    std::size_t events = 0;
    for (Stream* const stream : hot_.due(now_ns)) {
        if (!hot_.has(*stream))
            continue;  // data of another stream has ended it
        const std::size_t arrived = receive(*stream, sink);
        events += arrived;
        if (!hot_.has(*stream))
            continue;
        stream->note_read(arrived != 0, armed_);
    }
    if (streams_ > HotStreams::kMost) [[unlikely]]
        hot_.cool_quiet();
    return events;
}

std::size_t TcpTransport::receive(Stream& stream, Sink& sink)
{
    const std::size_t events = stream.receive(buffers_, sink);
    if (stream.end() == Stream::End::none) [[likely]]
        return events;
    stream_ended(stream);
    return events + 1;
}

std::size_t TcpTransport::flush_blocked()
{
    std::size_t events = 0;
    for (std::size_t i = 0; i < blocked_.size();) {
        Peer& to = *blocked_[i];
        const auto result = to.stream != nullptr ? flush(to) : SendQueue::Flush::empty;
        if (result == SendQueue::Flush::blocked) {
            ++i;
            continue;
        }
        if (result == SendQueue::Flush::failed) [[unlikely]] {  // it is not in blocked_ any more
            ++events;
            continue;
        }
        if (to.stream != nullptr)
            to.stream->watch_for_room(false);
        to.in_blocked = false;
        blocked_[i] = blocked_.back();
        blocked_.pop_back();
        ++events;
    }
    return events;
}

// `failed`: the peer is lost. Other errors are found after earlier data has been received.
SendQueue::Flush TcpTransport::flush(Peer& to)
{
    const auto result = to.queue.flush(to.stream->fd(), finished_);
    const int error = errno;
    watch_for_silence(*to.stream);
    if (result != SendQueue::Flush::failed) [[likely]]
        return result;
    if (error == EFAULT) {
        lose_for_bad_memory(to.stream->peer());
        return result;
    }
    to.stream->send_failed(error);
    to.queue.clear(failed_);
    return SendQueue::Flush::empty;
}

std::size_t TcpTransport::poll(Sink& sink, int timeout_ms)
{
    std::size_t events = 0;
    for (const epoll_event& event : poller_.wait(timeout_ms)) {
        auto& watched = *static_cast<connection::Watched*>(event.data.ptr);
        events += watched.kind == connection::Watched::Kind::owned
                      ? on_stream(static_cast<Stream&>(watched), sink)
                      : connector_.on_event(watched);
    }
    if (connector_.look())
        look_at_streams(base::now_ns());
    old_streams_.clear();
    return events;
}

std::size_t TcpTransport::on_stream(Stream& stream, Sink& sink)
{
    if (stream.end() != Stream::End::none)
        return 0;  // ended by another way in this pass
    if (hot_.reads_soon(stream))
        return 0;  // receive_hot() reads it; it runs before each poll()
    const std::size_t events = receive(stream, sink);
    if (events != 0 && stream.end() == Stream::End::none)
        hot_.add(stream);
    return events;
}

// Callbacks may send, and so add completions, which fire in a later pass.
std::size_t TcpTransport::fire(std::vector<Completion*>& completions, ErrorCode result)
{
    const auto due = std::exchange(completions, {});
    for (Completion* completion : due)
        completion->fire(*completion, result);
    return due.size();
}

void TcpTransport::lose(int rank, Loss loss)
{
    Peer& lost = peer(rank);
    if (lost.state == PeerState::lost)
        return;
    lost.state = PeerState::lost;
    connector_.forget(rank);
    end_stream(lost);
    lost.queue.clear(failed_);
    losses_.emplace_back(rank, std::move(loss));
    poller_.wake_at(kAtOnce);  // for an engine that already sleeps
}

// A part of the frame may be under way, and nothing can follow it. The connection itself is well, so nobody
// else would ever learn of this.
void TcpTransport::lose_for_bad_memory(int rank)
{
    lose(rank, {fmt::format("the connection to {} was closed: the buffer of a message to that rank cannot be "
                            "read ({}); keep it mapped and readable until the send is complete",
                            place_of(*peer(rank).stream), connection::words_of(EFAULT))});
}

std::size_t TcpTransport::report_losses(Sink& sink)
{
    const auto losses = std::exchange(losses_, {});
    for (const auto& [rank, loss] : losses)
        sink.peer_lost(rank, loss);
    return losses.size();
}

void TcpTransport::arm()
{
    armed_ = true;
    if (!hot_.watch_all())
        poller_.wake_at(base::now_ns() + kUnwatchedSleepNs);
    for (const Peer* to : blocked_)
        to->stream->watch_for_room(true);
}

}  // namespace tutti::transport::tcp
