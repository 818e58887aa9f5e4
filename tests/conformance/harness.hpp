// What every conformance test is made of: a few ranks that one transport connects, sinks that watch the
// contract while they record, and frames whose every byte is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tests/fault/fault_transport.hpp"
#include "transports/transport.hpp"

namespace tutti::test {

using transport::FaultOptions;
using transport::SendResult;
using transport::Transport;

/// A transport and the faults that are put in front of it.
struct Setup {
    std::string transport;  // "self", "inproc", "shm", "tcp", "ofi PROVIDER"
    std::string faults;     // "plain" or a name for `options`
    FaultOptions options{};

    std::string name() const { return transport + ", " + faults; }
    bool plain() const { return faults == "plain"; }
};

/// Every transport, plain and with each set of faults.
std::vector<Setup> all_setups();
/// Those that connect two ranks.
std::vector<Setup> setups_between_ranks();
/// Every transport without faults.
std::vector<Setup> plain_setups();

using Bytes = std::vector<std::byte>;

/// Byte i of the part of message `number`.
Bytes pattern(std::uint64_t number, std::size_t size, unsigned salt);

/// A frame and its completion. Kept at one address until it has ended: frames that may be pending outlive the
/// Ranks, which end them when they close.
struct OutFrame : transport::Completion {
    OutFrame(std::uint64_t number, std::size_t header_bytes, std::size_t payload_bytes);

    Bytes header;
    Bytes payload;
    int fired = 0;
    ErrorCode result = ErrorCode::success;
};

/// Counts its calls: a get that is `done` must not fire it.
struct Reported : transport::Completion {
    Reported()
    {
        fire = [](transport::Completion& self, ErrorCode code) {
            auto& reported = static_cast<Reported&>(self);
            ++reported.fired;
            reported.result = code;
        };
    }
    int fired = 0;
    ErrorCode result = ErrorCode::success;
};

struct InFrame {
    int from;
    Bytes header;
    Bytes payload;
};

/// Records what progress() delivers, and throws when something comes outside of it or after a loss.
class Recorder final : public transport::Sink {
public:
    void frame(int peer, std::span<const std::byte> header, std::span<const std::byte> payload) override;
    /// Has a place for every other frame.
    std::span<std::byte> destination(int peer, std::span<const std::byte> header,
                                     std::size_t payload_bytes) override;
    void placed(int peer, std::span<const std::byte> header, std::size_t payload_bytes) override;
    void peer_lost(int peer, const transport::Loss& loss) override;

    std::vector<InFrame> frames;
    std::vector<int> lost;
    std::vector<int> left;  // of these, the ones that have left the job in good order
    bool in_progress = false;
    /// Called for each frame, from within the callback.
    std::function<void(const InFrame&)> on_frame;

private:
    // A frame whose payload is on its way to a place of ours, or to be handed over though it was asked about.
    struct Arriving {
        int from;
        Bytes header;
        Bytes place;
        std::size_t payload_bytes;
    };

    void take(InFrame frame);

    std::vector<Arriving> arriving_;
    std::size_t asked_ = 0;
};

/// What a transport's arrivals change: its doorbell's word, or that the file descriptor is readable.
class Bell {
public:
    /// After arm() and before the last progress().
    explicit Bell(transport::Doorbell& doorbell);

    bool has_rung() const;
    /// Until it rings, 10 s at most; false when it did not.
    bool sleep() const;

private:
    transport::Doorbell& doorbell_;
    std::uint32_t before_;
};

/// `ranks` transports in this process, each connected to the others where that is asked for. With "self" all
/// ranks are one.
class Ranks {
public:
    Ranks(const Setup& setup, int ranks = 2, bool connected = true);
    ~Ranks();

    /// Rank numbers, as the transports know them: with "self" both are 0.
    int rank(int index) const { return is_self_ ? 0 : index; }
    Transport& at(int index) { return *transports_[static_cast<std::size_t>(rank(index))]; }
    transport::Doorbell& doorbell(int index) { return *at(index).doorbell(); }
    Recorder& sink(int index) { return sinks_[static_cast<std::size_t>(rank(index))]; }
    /// progress() with the rank's own sink.
    std::size_t progress(int index);
    /// Sends, driving both sides while the answer is `again`.
    SendResult send(int from, int to, OutFrame& frame);
    /// Drives all ranks until `rank` has `count` frames; false when it gets no further.
    bool deliver(int index, std::size_t count);
    /// Drives the first two until the completions of what has been delivered have fired.
    void settle();

private:
    bool is_self_;
    std::vector<std::unique_ptr<Transport>> transports_;
    std::vector<Recorder> sinks_;
    std::vector<std::function<bool()>> connections_;  // those that take time: whether they stand
};

/// What the owner of a frame may do after a send: use the header again, and the payload, too, where it is
/// done, which counts as fired.
void use_again(OutFrame& frame, SendResult result);

/// Whether `in` is frame `number` with these sizes, byte for byte.
bool is_frame(const InFrame& in, std::uint64_t number, std::size_t header_bytes, std::size_t payload_bytes);

}  // namespace tutti::test
