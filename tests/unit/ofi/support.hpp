// Ranks over libfabric on the loopback interface, and one in the test's own hands.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "transports/ofi/ofi_transport.hpp"

namespace tutti::test {

using Bytes = std::vector<std::byte>;

/// Keeps what comes.
struct OfiSink final : transport::Sink {
    void frame(int peer, std::span<const std::byte>, std::span<const std::byte> payload) override
    {
        froms.push_back(peer);
        payloads.emplace_back(payload.begin(), payload.end());
    }
    void peer_lost(int peer, const tutti::transport::Loss& loss) override
    {
        losses.push_back(peer);
        reasons.push_back(loss.reason);
    }

    std::vector<int> froms;
    std::vector<Bytes> payloads;
    std::vector<int> losses;
    std::vector<std::string> reasons;
};

/// Counts its calls.
struct OfiCompletion : transport::Completion {
    OfiCompletion()
    {
        fire = [](transport::Completion& self, ErrorCode code) {
            auto& reported = static_cast<OfiCompletion&>(self);
            ++reported.fired;
            reported.result = code;
        };
    }
    int fired = 0;
    ErrorCode result = ErrorCode::success;
};

inline std::vector<network::LocalAddress> loopback_addresses()
{
    return network::InterfaceChoice::parse("lo").choose(network::local_addresses(), "here");
}

/// A rank with its sink. Over libfabric's `net`, unless the options name another.
struct OfiRank {
    explicit OfiRank(transport::ofi::OfiOptions options)
    {
        options.interfaces = network::InterfaceChoice::parse("lo");
        options.host = "host" + std::to_string(options.rank);
        options.log = [this](const std::string& line) { log.push_back(line); };
        if (options.provider.empty())
            options.provider = "net";
        transport = std::make_unique<transport::ofi::OfiTransport>(std::move(options));
    }
    OfiRank(int rank, int ranks, const security::Key& key)
        : OfiRank({.rank = rank, .ranks = ranks, .key = key, .linger = std::chrono::milliseconds(0)})
    {
    }

    std::size_t progress() { return transport->progress(sink); }
    transport::ofi::FabricContact contact() const
    {
        return *transport::ofi::FabricContact::parse(transport->address());
    }
    transport::SendResult send(int peer, const Bytes& payload)
    {
        return transport->send(peer, std::as_bytes(std::span("h", 1)), payload, unused);
    }

    OfiSink sink;
    std::vector<std::string> log;
    OfiCompletion unused;
    std::unique_ptr<transport::ofi::OfiTransport> transport;
};

/// Until done(), calling pass() again and again; false when that does not come within 30 s.
template <class Pass, class Done>
bool drive_until(Pass&& pass, Done&& done)
{
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!done()) {
        if (std::chrono::steady_clock::now() > deadline)
            return false;
        pass();
        std::this_thread::yield();
    }
    return true;
}

/// Rank 1, which has proved itself to rank 0 and then sends whatever the test likes.
class FakePeer final : transport::ofi::LinkUser {
public:
    FakePeer(OfiRank& victim, const security::Key& key)
        : victim_(victim),
          endpoint_(transport::ofi::choose_provider({.name = "net"}, loopback_addresses())),
          links_(key, 1, 20'000'000'000, {.ranks = 2, .host = "host1", .addresses = loopback_addresses()},
                 *this),
          to_(endpoint_.insert(victim.contact().endpoint))
    {
        links_.connect(0, victim.contact());
    }
    ~FakePeer() { endpoint_.close(); }

    void pass()
    {
        links_.look();
        std::array<transport::ofi::Completed, 4> completed;
        if (endpoint_.poll(completed) < 0)
            endpoint_.failed();
        victim_.progress();
    }
    bool has_token() const { return token != 0; }
    /// It takes frames, too, once it has granted a token; they go to nobody.
    void accept_frames() { say({transport::ofi::LinkMessage::Kind::grant, 0, 1}); }
    Bytes contact() const
    {
        transport::ofi::FabricContact contact = victim_.contact();
        static_cast<connection::Contact&>(contact) = links_.contact();
        contact.endpoint = endpoint_.name();
        return contact.bytes();
    }
    /// Until the fabric has taken it.
    bool send(std::span<const std::byte> bytes)
    {
        Bytes& kept = *sent_.emplace_back(std::make_unique<Bytes>(bytes.begin(), bytes.end()));
        auto& operation = *operations_.emplace_back(
            std::make_unique<transport::ofi::FabricOperation>(transport::ofi::FabricOperation::Kind::send));
        bool gone = false;
        return drive_until(
            [&] {
                gone = endpoint_.send(to_, kept, nullptr, operation) == 0;
                pass();
            },
            [&] { return gone; });
    }
    bool send_frame(transport::ofi::FrameHead head, const Bytes& payload)
    {
        Bytes bytes(sizeof head + payload.size());
        transport::ofi::Frame::write(bytes.data(), head, {}, payload);
        return send(bytes);
    }
    void say(const transport::ofi::LinkMessage& message)
    {
        if (link_ != nullptr)
            links_.send(*link_, message);
    }

    std::uint64_t token = 0;
    unsigned questions = 0;
    std::uint64_t received = 0;  // frames, as it says when it is asked

private:
    bool wants(int) override { return link_ == nullptr; }
    void linked(transport::ofi::Link& link) override { link_ = &link; }
    void take_message(transport::ofi::Link&, const transport::ofi::LinkMessage& message) override
    {
        if (message.kind == transport::ofi::LinkMessage::Kind::grant)
            token = message.value;
        if (message.kind == transport::ofi::LinkMessage::Kind::ping) {
            ++questions;
            say({transport::ofi::LinkMessage::Kind::pong, 0, received});
        }
    }
    void ended(transport::ofi::Link&) override { link_ = nullptr; }
    void unreachable(int, transport::Loss) override {}
    void outsider(const std::string&) override {}

    OfiRank& victim_;
    transport::ofi::Endpoint endpoint_;
    transport::ofi::Links links_;
    fi_addr_t to_;
    transport::ofi::Link* link_ = nullptr;

    std::vector<std::unique_ptr<Bytes>> sent_;
    std::vector<std::unique_ptr<transport::ofi::FabricOperation>> operations_;
};

}  // namespace tutti::test
