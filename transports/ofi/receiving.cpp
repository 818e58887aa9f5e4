// What arrives, and how sends end: the transport's progress.
#include <fmt/format.h>
#include <rdma/fi_errno.h>

#include <algorithm>
#include <array>

#include "lib/foundation/base/clock.hpp"
#include "transports/ofi/ofi_transport.hpp"

namespace tutti::transport::ofi {

namespace {

// Polls of the fabric in one pass, up to 16 events each: other work must get its turn.
constexpr int kPollsAPass = 4;
// Polls of a rank whose memory peers may access, before it sleeps.
constexpr int kPollsBeforeSleep = 64;
// Links carry few messages: this is the shortest time between two looks at them.
constexpr std::int64_t kLookNs = 50'000;

}  // namespace

void OfiTransport::post_receives()
{
    while (!unposted_.empty()) {
        FrameBuffer& buffer = *unposted_.front();
        const long result = endpoint_.receive(buffer.memory, buffer.descriptor, buffer);
        if (result == -FI_EAGAIN)
            return;
        if (result != 0)
            throw Error(ErrorCode::system, "progress",
                        fmt::format("libfabric's provider {} takes no buffer to receive into: {}",
                                    contact_.provider, Library::get().describe(result)));
        unposted_.pop_front();
    }
}

std::size_t OfiTransport::progress(Sink& sink)
{
    if (closed_)
        return 0;
    const std::int64_t now = base::now_ns();
    std::size_t events = 0;
    // Before the fabric: later events of the fabric wake the next sleeper.
    if (armed_ || now - looked_ns_ >= kLookNs) {
        looked_ns_ = now;
        events += links_.look();
        be_patient(now);
    }
    events += poll_fabric(sink);
    memory_.post();
    events += memory_.copies().finish();
    if (!unacknowledged_.empty())
        acknowledge_all();
    if (quiet_ && !(losses_.empty() && leavers_.empty())) [[unlikely]] {
        see_off_leavers();
        events += report_losses(sink);
    }
    if (armed_ && events == 0 && memory_.has_granted())
        events += serve_all(sink);
    if (armed_ && events == 0) {
        // Some providers notice only here that there is more.
        const bool unsure = !quiet_ || (endpoint_.wait_fd() >= 0 && !endpoint_.may_sleep());
        unsure_ = unsure ? unsure_ + 1 : 0;
        links_.wake_at(sleep_until(now));
        return unsure && unsure_ < 3;
    }
    return events;
}

// Peers write and read granted memory without an event here. A provider may serve one access in each poll;
// those that are left in its connections have arrived already, so they wake nobody. Hence some more polls
// before a sleep, as many as a peer has writes under way.
std::size_t OfiTransport::serve_all(Sink& sink)
{
    std::size_t frames = 0;
    for (int polls = 0; polls < kPollsBeforeSleep && frames == 0; ++polls)
        frames += poll_fabric(sink);
    return frames;
}

std::size_t OfiTransport::poll_fabric(Sink& sink)
{
    std::size_t frames = 0;
    quiet_ = false;
    for (int polls = 0; polls < kPollsAPass && !quiet_; ++polls) {
        std::array<Completed, 16> completed;
        const int count = endpoint_.poll(completed);
        if (count < 0)
            failed(endpoint_.failed());
        for (int i = 0; i < count; ++i)
            ended(completed[static_cast<std::size_t>(i)], sink, frames);
        quiet_ = count == 0;
        if (!unposted_.empty())
            post_receives();
    }
    return frames;
}

void OfiTransport::ended(const Completed& completed, Sink& sink, std::size_t& frames)
{
    FabricOperation& operation = *completed.operation;
    switch (operation.kind) {
        case FabricOperation::Kind::receive: {
            auto& buffer = static_cast<FrameBuffer&>(operation);
            unposted_.push_back(&buffer);  // posted after this pass, even when the sink throws
            on_frame(buffer.memory.first(std::min(completed.bytes, buffer.memory.size())), sink, frames);
            return;
        }
        case FabricOperation::Kind::send:
            return send_buffers_.give_back(static_cast<FrameBuffer&>(operation));
        case FabricOperation::Kind::copy: {
            const int rank = memory_.copies().peer_of(operation);
            peers_.at(rank).owed_since_ns = 0;
            return memory_.copies().chunk_ended(operation, ErrorCode::success);
        }
    }
}

void OfiTransport::failed(const FailedOperation& failure)
{
    if (failure.operation == nullptr)
        return;
    switch (failure.operation->kind) {
        case FabricOperation::Kind::receive:
            // A message too long for any frame, or cut off with its connection: the sender is unknown.
            unposted_.push_back(static_cast<FrameBuffer*>(failure.operation));
            if (failure.code == FI_ETRUNC)
                outsider("a message through the fabric that is too long for a frame");
            return;
        case FabricOperation::Kind::send: {
            auto& buffer = static_cast<FrameBuffer&>(*failure.operation);
            send_buffers_.give_back(buffer);
            return lose_by_fabric(buffer.peer, failure.words);
        }
        case FabricOperation::Kind::copy: {
            // If the peer has not registered the memory, only this copy fails; its link shows whether it
            // lives.
            const int rank = memory_.copies().peer_of(*failure.operation);
            const bool gone = peers_.at(rank).state != Peer::State::living;
            return memory_.copies().chunk_ended(*failure.operation,
                                                gone ? ErrorCode::peer_lost : ErrorCode::system);
        }
    }
}

void OfiTransport::on_frame(std::span<const std::byte> bytes, Sink& sink, std::size_t& frames)
{
    const auto frame = Frame::parse(bytes);
    Peer* const from = frame ? peers_.find(frame->head.source) : nullptr;
    if (from == nullptr || !from->knows(frame->head.token)) {
        outsider(fmt::format("{} bytes through the fabric that carry no token of this job", bytes.size()));
        return;
    }
    if (from->state == Peer::State::reported)
        return;
    const int rank = static_cast<int>(frame->head.source);
    acknowledge(*from, frame->head.acknowledged);
    if (frame->head.header_bytes == kAcknowledgement)
        return;
    switch (from->incoming.take(frame->head.number, bytes)) {
        case ReorderQueue::Order::next:
            deliver(rank, *frame, sink, frames);
            break;
        case ReorderQueue::Order::early:
            return;
        case ReorderQueue::Order::absurd:
            outsider(fmt::format("a frame that claims number {} of rank {}, which has sent {}",
                                 frame->head.number, rank, from->incoming.received()));
            return;
    }
    while (!from->incoming.none_early()) {
        const std::vector<std::byte> early = from->incoming.ready();
        if (early.empty())
            break;
        deliver(rank, *Frame::parse(early), sink, frames);
    }
    if (from->incoming.received() - from->reported >= kWindow / 2)
        unacknowledged_.push_back(rank);
}

void OfiTransport::deliver(int rank, const Frame& frame, Sink& sink, std::size_t& frames)
{
    ++frames;
    sink.frame(rank, frame.header, frame.payload);
}

}  // namespace tutti::transport::ofi
