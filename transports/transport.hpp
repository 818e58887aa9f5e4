// The transport contract: moves frames to the peers it can reach. It knows no tags, communicators or
// datatypes.
//
// What every transport keeps (tests/conformance checks it on each):
//  1. frames from one peer arrive in the order sent, whole, once;
//  2. Sink and Completion are called only inside progress() or close(), never inside send();
//  3. all calls are made by one thread at a time: the engine holds its lock around them;
//  4. a lost peer is reported through Sink::peer_lost, once, behind its last frame;
//  5. a received frame is a view into the transport's own memory, valid only during Sink::frame, so that the
//     reader copies or reduces straight out of it. A Sink may call send() from within its callbacks.
//
// Where a comment does not say otherwise a function does not block, throws nothing but std::bad_alloc, and
// uses the memory that it is given only until it returns.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transports/completion.hpp"
#include "transports/doorbell.hpp"
#include "transports/remote_memory.hpp"
#include "tutti/error.hpp"

namespace tutti::transport {

/// Every header that a transport carries is at most this long; it travels in front of the payload.
inline constexpr std::size_t kMaxHeaderBytes = 32;

/// A payload that lies in several places, in its order. Some may be empty.
using Parts = std::span<const std::span<const std::byte>>;
/// So many places a payload has at most.
inline constexpr std::size_t kMostParts = 256;

/// What look_after() knows of a peer.
enum class Presence {
    here,
    gone,    // it has left the job, or died
    unknown  // it has been asked: a loss shows in progress(), or the next question is answered
};

/// Where progress() delivers. Peers are ranks in the job.
class Sink {
public:
    /// Whether the next frame of `peer` is likely to be long, so that it is worth a call to read little
    /// behind its header, and the payload to its destination().
    virtual bool expects_long(int) const noexcept { return false; }
    virtual void frame(int peer, std::span<const std::byte> header, std::span<const std::byte> payload) = 0;
    /// Where the payload of a frame whose header has arrived may go at once, which saves a copy: exactly
    /// payload_bytes of memory, the transport's to write until it calls placed() or peer_lost(). Empty: it
    /// keeps the payload itself and calls frame(). A transport asks once a frame, and may never ask.
    virtual std::span<std::byte> destination(int, std::span<const std::byte>, std::size_t) { return {}; }
    /// In place of frame(): the payload is whole at its destination().
    virtual void placed(int, std::span<const std::byte>, std::size_t) {}
    /// No frame from `peer` follows, and sends to it will fail. `reason` is a part of a sentence.
    virtual void peer_lost(int peer, std::string_view reason) = 0;

protected:
    ~Sink() = default;
};

/// Constant after construction.
struct Capabilities {
    std::size_t max_payload_bytes;      // of one frame
    std::size_t inject_below;           // frames with fewer bytes of payload are never `pending`
    bool gathers = false;               // send_parts() works
    std::size_t eager_limit_bytes = 0;  // a message up to this may be kept by its receiver; 0: as memory does
    double latency_ns;                  // one way, small frame: a hint for choosing among transports
    double bytes_per_ns;                // streaming: likewise
};

class Transport {
public:
    virtual ~Transport() = default;

    virtual std::string_view name() const noexcept = 0;
    virtual Capabilities capabilities() const noexcept = 0;

    /// This rank's business card, which is the caller's: what a peer's connect() needs. Constant after
    /// construction.
    virtual std::vector<std::byte> address() const = 0;
    /// Whether a peer with this card can be reached. Cheap, has no side effects.
    virtual bool reach(int peer, std::span<const std::byte> card) const noexcept = 0;
    /// Why a peer that has a card of this transport cannot be reached, and the remedy: a part of a sentence,
    /// for messages. Empty: nothing is known.
    virtual std::string unreachable(std::span<const std::byte>) const { return {}; }
    /// Prepares sending to `peer`. Called once a peer, before its first send(). Where a connection takes its
    /// time frames wait for it. Throws tutti::Error: peer_lost for one that has left the job, protocol for a
    /// card of another version, and what the system refuses.
    virtual void connect(int peer, std::span<const std::byte> card) = 0;

    /// Sends one frame: header.size() <= kMaxHeaderBytes, payload.size() <= max_payload_bytes. The payload is
    /// the transport's to read until it is free again, as the answer says; `completion` is used only when
    /// that is `pending`. A frame to a lost peer is `done` and goes nowhere: the loss is told in progress().
    virtual SendResult send(int peer, std::span<const std::byte> header, std::span<const std::byte> payload,
                            Completion& completion) = 0;
    /// The same for a payload in up to kMostParts places; the list of them is not kept. Only where
    /// capabilities().gathers, else throws tutti::Error (not_supported).
    virtual SendResult send_parts(int peer, std::span<const std::byte> header, Parts payload,
                                  Completion& completion);

    /// For who gives up while its memory is in use. From here on the transport reads no payload that is
    /// pending with `completion`, which fires all the same: it has a copy of what is left.
    virtual void release_payload(int, const Completion&) {}
    /// Likewise: from here on it writes no more to the destination() of a frame of that peer; frame() follows
    /// in place of placed().
    virtual void release_place(int) {}

    /// For whoever waits for `peer`, whose card this is, connected or not: looks whether it is still there
    /// where its end would not show by itself. From `gone` on progress() reports the loss, or has reported
    /// it, behind the peer's last frame. Costs a few system calls, maybe a connection; does not take a
    /// network that leads nowhere for an end.
    virtual Presence look_after(int, std::span<const std::byte>) { return Presence::here; }
    /// Where `peer`, to whom frames wait to go, has taken connections and said nothing for long: it computes,
    /// or it is somebody else. For messages; empty: nothing is known.
    virtual std::string silent_at(int) const { return {}; }

    /// Delivers what has arrived, and moves on what is pending. The number of events (frames, completions,
    /// losses); 0 means idle. Throws tutti::Error where it cannot go on: protocol for bytes that are no
    /// frames; and what the sink throws.
    virtual std::size_t progress(Sink& sink) = 0;

    /// What to sleep on while progress() finds nothing; nullptr where nothing arrives from outside this
    /// thread. Lives as long as the transport; so does memory().
    virtual Doorbell* doorbell() noexcept { return nullptr; }
    /// How peers' memory is read; nullptr where it is not.
    virtual RemoteMemory* memory() noexcept { return nullptr; }

    /// Fires every pending completion (ErrorCode::cancelled) and gives up all resources. Blocks no longer
    /// than it takes to hand over what was accepted, and to have all memory back. Idempotent.
    virtual void close() noexcept = 0;
};

}  // namespace tutti::transport
