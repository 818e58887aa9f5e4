#include "tests/fault/fault_transport.hpp"

#include <algorithm>
#include <utility>

namespace tutti::transport {

FaultTransport::FaultTransport(std::unique_ptr<Transport> inner, FaultOptions options)
    : inner_(std::move(inner)), options_(options), random_(options.seed)
{
}

Capabilities FaultTransport::capabilities() const noexcept
{
    Capabilities capabilities = inner_->capabilities();
    if (options_.max_payload_bytes != 0)
        capabilities.max_payload_bytes = std::min(capabilities.max_payload_bytes, options_.max_payload_bytes);
    if (options_.pending != 0)
        capabilities.inject_below = 0;
    return capabilities;
}

SendResult FaultTransport::send(int peer, std::span<const std::byte> header,
                                std::span<const std::byte> payload, Completion& completion)
{
    return send_somehow(peer, header, {&payload, 1}, completion);
}

SendResult FaultTransport::send_parts(int peer, std::span<const std::byte> header, Parts payload,
                                      Completion& completion)
{
    if (!inner_->capabilities().gathers)
        return Transport::send_parts(peer, header, payload, completion);
    return send_somehow(peer, header, payload, completion);
}

SendResult FaultTransport::send_soon(int peer, std::span<const std::byte> header,
                                     std::span<const std::byte> payload, Completion& completion)
{
    if (options_.lose_peer_after != 0 || keeps_for(peer) || happens(options_.again + options_.pending))
        return send(peer, header, payload, completion);
    return inner_->send_soon(peer, header, payload, completion);
}

SendResult FaultTransport::send_somehow(int peer, std::span<const std::byte> header, Parts payload,
                                        Completion& completion)
{
    if (options_.lose_peer_after != 0 && sends_ + 1 == options_.lose_peer_after) {
        ++sends_;
        lost_.push_back(peer);
        losses_to_report_.push_back(peer);
    }
    if (is_lost(peer))
        return SendResult::done;
    if (happens(options_.again))
        return SendResult::again;
    // Once one frame to a peer is kept, all behind it are, or they would overtake it.
    if (keeps_for(peer) || happens(options_.pending)) {
        kept_.push_back(
            {peer, {header.begin(), header.end()}, {payload.begin(), payload.end()}, &completion});
        ++sends_;
        return SendResult::pending;
    }
    const SendResult result = pass(peer, header, payload, completion);
    sends_ += result != SendResult::again;
    return result;
}

// To the inner transport, which may take one part only.
SendResult FaultTransport::pass(int peer, std::span<const std::byte> header, Parts payload,
                                Completion& completion)
{
    return payload.size() == 1 ? inner_->send(peer, header, payload.front(), completion)
                               : inner_->send_parts(peer, header, payload, completion);
}

void FaultTransport::release_payload(int peer, const Completion& completion)
{
    inner_->release_payload(peer, completion);
    for (Kept& kept : kept_) {
        if (kept.completion != &completion || !kept.released.empty())
            continue;
        for (const std::span<const std::byte> part : kept.payload)
            kept.released.insert(kept.released.end(), part.begin(), part.end());
        kept.payload = {kept.released};
    }
}

bool FaultTransport::keeps_for(int peer) const noexcept
{
    return std::ranges::any_of(kept_, [peer](const Kept& kept) { return kept.peer == peer; });
}

bool FaultTransport::is_lost(int peer) const noexcept
{
    return std::ranges::find(lost_, peer) != lost_.end();
}

std::size_t FaultTransport::send_kept()
{
    std::size_t events = 0;
    while (!kept_.empty()) {
        const Kept kept = kept_.front();
        const SendResult result = is_lost(kept.peer)
                                      ? SendResult::done
                                      : pass(kept.peer, kept.header, kept.payload, *kept.completion);
        if (result == SendResult::again)
            break;
        if (result == SendResult::pending && !kept.released.empty())
            inner_->release_payload(kept.peer, *kept.completion);  // what it reads ends here
        kept_.pop_front();
        ++events;
        if (result == SendResult::done)
            kept.completion->fire(*kept.completion, ErrorCode::success);
    }
    return events;
}

// What passes on to the caller's sink: nothing of a lost peer.
class FaultTransport::LivingOnly final : public Sink {
public:
    LivingOnly(FaultTransport& owner, Sink& sink) noexcept : owner_(owner), sink_(sink) {}

    bool expects_long(int peer) const noexcept override { return sink_.expects_long(peer); }
    void frame(int peer, std::span<const std::byte> header, std::span<const std::byte> payload) override
    {
        if (!owner_.is_lost(peer))
            sink_.frame(peer, header, payload);
    }
    std::span<std::byte> destination(int peer, std::span<const std::byte> header,
                                     std::size_t payload_bytes) override
    {
        return owner_.options_.places && !owner_.is_lost(peer)
                   ? sink_.destination(peer, header, payload_bytes)
                   : std::span<std::byte>();
    }
    void placed(int peer, std::span<const std::byte> header, std::size_t payload_bytes) override
    {
        sink_.placed(peer, header, payload_bytes);
    }
    void peer_lost(int peer, const tutti::transport::Loss& loss) override
    {
        if (owner_.is_lost(peer))
            return;
        owner_.lost_.push_back(peer);
        sink_.peer_lost(peer, loss);
    }

private:
    FaultTransport& owner_;
    Sink& sink_;
};

std::size_t FaultTransport::progress(Sink& sink)
{
    std::size_t events = 0;
    for (const int peer : std::exchange(losses_to_report_, {})) {
        sink.peer_lost(peer, {"the fault decorator cut it off"});
        ++events;
    }
    // Never the answer 0 while something may wait: the caller would sleep on a doorbell that nobody rings.
    if (happens(options_.idle))
        return events + 1;
    events += send_kept();
    LivingOnly living(*this, sink);
    return events + inner_->progress(living) + (kept_.empty() ? 0 : 1);
}

void FaultTransport::close() noexcept
{
    for (const Kept& kept : std::exchange(kept_, {}))
        kept.completion->fire(*kept.completion, ErrorCode::cancelled);
    inner_->close();
}

}  // namespace tutti::transport
