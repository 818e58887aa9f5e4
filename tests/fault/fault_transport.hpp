// A decorator that makes any transport behave badly, within the contract: what upper layers must live with.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "transports/transport.hpp"

namespace tutti::transport {

struct FaultOptions {
    std::uint64_t seed = 1;
    double again = 0;                   // chance that a send is refused though there is room
    double pending = 0;                 // chance that a send is kept and completes in a later progress()
    double idle = 0;                    // chance that progress() does nothing: a delay of what has arrived
    std::size_t max_payload_bytes = 0;  // smaller frames than the inner transport's; 0: its own
    std::uint64_t lose_peer_after = 0;  // sends until the peer of that send is lost; 0: never
    bool places = false;  // the inner transport may put payloads at their destinations; not with
                          // lose_peer_after: it would not know that it has to stop
};

class FaultTransport final : public Transport, public RemoteMemory {
public:
    FaultTransport(std::unique_ptr<Transport> inner, FaultOptions options);

    std::string_view name() const noexcept override { return inner_->name(); }
    Capabilities capabilities() const noexcept override;
    std::vector<std::byte> address() const override { return inner_->address(); }
    bool reach(int peer, std::span<const std::byte> contact) const noexcept override
    {
        return inner_->reach(peer, contact);
    }
    void connect(int peer, std::span<const std::byte> contact) override { inner_->connect(peer, contact); }
    SendResult send(int peer, std::span<const std::byte> header, std::span<const std::byte> payload,
                    Completion& completion) override;
    SendResult send_parts(int peer, std::span<const std::byte> header, Parts payload,
                          Completion& completion) override;
    SendResult send_soon(int peer, std::span<const std::byte> header, std::span<const std::byte> payload,
                         Completion& completion) override;
    void flush() override { inner_->flush(); }
    void release_payload(int peer, const Completion& completion) override;
    void release_place(int peer) override { inner_->release_place(peer); }
    RemoteMemory* memory() noexcept override { return inner_->memory() != nullptr ? this : nullptr; }
    RemoteRegion expose(std::span<const std::byte> data) const noexcept override
    {
        return inner_->memory()->expose(data);
    }
    bool register_region(std::span<const std::byte> data, RemoteRegion& region) override
    {
        return inner_->memory()->register_region(data, region);
    }
    void release_region(const RemoteRegion& region) noexcept override
    {
        inner_->memory()->release_region(region);
    }
    bool views() const noexcept override { return inner_->memory()->views(); }
    std::span<const std::byte> view(int peer, const RemoteRegion& region, std::size_t size_bytes) override
    {
        return inner_->memory()->view(peer, region, size_bytes);
    }
    SendResult get(int peer, const RemoteRegion& remote, std::span<std::byte> local,
                   Completion& completion) override
    {
        return happens(options_.again) ? SendResult::again
                                       : inner_->memory()->get(peer, remote, local, completion);
    }
    bool puts() const noexcept override { return inner_->memory()->puts(); }
    bool grant(std::span<std::byte> memory, RemoteRegion& region) override
    {
        return inner_->memory()->grant(memory, region);
    }
    void revoke(const RemoteRegion& region) noexcept override { inner_->memory()->revoke(region); }
    SendResult put(int peer, const RemoteRegion& remote, std::span<const std::byte> local,
                   Completion& completion) override
    {
        return happens(options_.again) ? SendResult::again
                                       : inner_->memory()->put(peer, remote, local, completion);
    }
    std::size_t most_copied_bytes() const noexcept override { return inner_->memory()->most_copied_bytes(); }
    SendResult copy_own(int peer, std::span<std::byte> to, std::span<const std::byte> from,
                        Completion& completion) override
    {
        return inner_->memory()->copy_own(peer, to, from, completion);
    }
    void abandon(const Completion& completion) noexcept override { inner_->memory()->abandon(completion); }
    Presence look_after(int peer, std::span<const std::byte> contact) override
    {
        return is_lost(peer) ? Presence::gone : inner_->look_after(peer, contact);
    }
    std::size_t progress(Sink& sink) override;
    Doorbell* doorbell() noexcept override { return inner_->doorbell(); }
    void close() noexcept override;

private:
    class LivingOnly;

    // A send that was answered `pending`: the caller's spans, valid until its completion fires.
    struct Kept {
        int peer;
        std::vector<std::byte> header;
        std::vector<std::span<const std::byte>> payload;
        Completion* completion;
        std::vector<std::byte> released = {};  // the payload, once its owner has given up
    };

    bool happens(double chance) { return chance > 0 && dice_(random_) < chance; }
    bool keeps_for(int peer) const noexcept;
    bool is_lost(int peer) const noexcept;
    SendResult send_somehow(int peer, std::span<const std::byte> header, Parts payload,
                            Completion& completion);
    SendResult pass(int peer, std::span<const std::byte> header, Parts payload, Completion& completion);
    std::size_t send_kept();

    std::unique_ptr<Transport> inner_;
    FaultOptions options_;
    std::mt19937_64 random_;
    std::uniform_real_distribution<double> dice_{0.0, 1.0};
    std::deque<Kept> kept_;
    std::vector<int> lost_;
    std::vector<int> losses_to_report_;
    std::uint64_t sends_ = 0;
};

}  // namespace tutti::transport
