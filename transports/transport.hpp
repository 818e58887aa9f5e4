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

#include "transports/doorbell.hpp"
#include "transports/remote_memory.hpp"
#include "transports/send_completion.hpp"
#include "tutti/error.hpp"

namespace tutti::transport {

/// Every header that a transport carries is at most this long; it travels in front of the payload.
inline constexpr std::size_t kMaxHeaderBytes = 32;

/// A payload in several places, in order. Some may be empty.
using Parts = std::span<const std::span<const std::byte>>;
/// The most places that a payload has.
inline constexpr std::size_t kMostParts = 256;

/// A shorter payload, which send() would copy, is free when send_soon() returns, whatever that answers.
inline constexpr std::size_t kCopiedSoonBelow = 1024;

/// What look_after() knows of a peer.
enum class Presence {
    here,
    gone,    // it has left the job, or died
    unknown  // the peer was asked: progress() reports a loss, or the next call has the answer
};

/// Why nothing more comes from a peer.
struct Loss {
    std::string reason;     // a part of a sentence
    bool has_left = false;  // the peer has left the job in good order, so its program has made all its calls
};

/// Receives what progress() delivers. Peers are ranks in the job.
class Sink {
public:
    /// Whether the next frame of `peer` is likely to be long. Then a further system call is worth it: it
    /// reads little behind the header, and the payload directly to its destination().
    virtual bool expects_long(int) const noexcept { return false; }
    virtual void frame(int peer, std::span<const std::byte> header, std::span<const std::byte> payload) = 0;
    /// Where the payload of a frame may go directly once its header has arrived, which saves a copy: exactly
    /// payload_bytes of memory, which the transport may write until placed() or peer_lost(). Empty: the
    /// transport keeps the payload and calls frame(). It asks once for a frame, or never.
    virtual std::span<std::byte> destination(int, std::span<const std::byte>, std::size_t) { return {}; }
    /// In place of frame(): the payload is complete at its destination().
    virtual void placed(int, std::span<const std::byte>, std::size_t) {}
    /// No frame from `peer` follows, and sends to it fail.
    virtual void peer_lost(int peer, const Loss& loss) = 0;

protected:
    ~Sink() = default;
};

/// Constant after construction.
struct Capabilities {
    std::size_t max_payload_bytes;      // of one frame
    std::size_t inject_below;           // frames with a shorter payload are never `pending`
    bool gathers = false;               // send_parts() works
    bool unites = false;                // send_soon() lets frames leave together
    std::size_t eager_limit_bytes = 0;  // a receiver may keep a message up to this size; 0: kEagerLimitBytes
    std::size_t early_bytes = 0;        // how much of a longer message may follow its envelope unasked
    std::size_t piece_bytes =
        64u << 10;            // at most so much of a message that has to be collected goes at a time
    bool same_clock = false;  // peers are on this host: they read the same monotonic clock
    double latency_ns;        // one way, small frame: a hint for choosing among transports
    double bytes_per_ns;      // for streams: also a hint
};

class Transport {
public:
    virtual ~Transport() = default;

    virtual std::string_view name() const noexcept = 0;
    virtual Capabilities capabilities() const noexcept = 0;

    /// This rank's contact, which a peer's connect() needs. The caller owns it. Constant after
    /// construction.
    virtual std::vector<std::byte> address() const = 0;
    /// Whether a peer with this contact can be reached. Cheap, without side effects.
    virtual bool reach(int peer, std::span<const std::byte> contact) const noexcept = 0;
    /// Why a peer with a contact of this transport cannot be reached, and the remedy: a part of a sentence,
    /// for messages. Empty: unknown.
    virtual std::string unreachable(std::span<const std::byte>) const { return {}; }
    /// Prepares sends to `peer`. Called once for each peer, before its first send(). Frames wait while a
    /// connection is being made. Throws tutti::Error: peer_lost when the peer has left the job, protocol for
    /// a contact of another version, and the system's errors.
    virtual void connect(int peer, std::span<const std::byte> contact) = 0;

    /// Sends one frame: header.size() <= kMaxHeaderBytes, payload.size() <= max_payload_bytes. The transport
    /// may read the payload until it is free, as the result says; `completion` is used only for `pending`. A
    /// frame to a lost peer is `done` and discarded: progress() reports the loss.
    virtual SendResult send(int peer, std::span<const std::byte> header, std::span<const std::byte> payload,
                            Completion& completion) = 0;
    /// send() for a payload in up to kMostParts places; the list of them is not kept. Only if
    /// capabilities().gathers, else throws tutti::Error (not_supported).
    virtual SendResult send_parts(int peer, std::span<const std::byte> header, Parts payload,
                                  Completion& completion);

    /// send() for a caller that goes on to call progress() and waits for the completion: the frame need not
    /// leave before that, so that many frames leave together. `pending` then, whatever its length. It leaves
    /// before any later frame to that peer.
    virtual SendResult send_soon(int peer, std::span<const std::byte> header,
                                 std::span<const std::byte> payload, Completion& completion)
    {
        return send(peer, header, payload, completion);
    }
    /// The frames that send_soon() has kept back leave. For who calls progress() later than it thought.
    virtual void flush() {}

    /// For a caller that needs its memory back: after this call the transport does not read payloads that are
    /// pending with `completion`. The completion still fires: the transport has copied the rest.
    virtual void release_payload(int, const Completion&) {}
    /// Likewise: after this call it does not write to the destination() of a frame of that peer; frame()
    /// follows in place of placed().
    virtual void release_place(int) {}

    /// For a caller that waits for `peer`, which has this contact and need not be connected: checks whether
    /// it is still there, if its end would not show by itself. After `gone` progress() reports the loss
    /// behind the last frame, or has reported it. Costs some system calls, maybe a connection. An unreachable
    /// network is no end.
    virtual Presence look_after(int, std::span<const std::byte>) { return Presence::here; }
    /// The address where `peer`, to which frames wait to go, has accepted connections and been silent for
    /// long: it computes, or it is another process. For messages; empty: unknown.
    virtual std::string silent_at(int) const { return {}; }

    /// Delivers what has arrived, and continues pending operations. Returns the number of events (frames,
    /// completions, losses); 0 means idle. Throws tutti::Error when it cannot continue (protocol for bytes
    /// that are no frames), and what the sink throws.
    virtual std::size_t progress(Sink& sink) = 0;

    /// What to sleep on while progress() finds nothing; nullptr when nothing arrives from outside this
    /// thread. Lives as long as the transport, as does memory().
    virtual Doorbell* doorbell() noexcept { return nullptr; }
    /// Reads peers' memory; nullptr when the transport cannot.
    virtual RemoteMemory* memory() noexcept { return nullptr; }

    /// Fires every pending completion (ErrorCode::cancelled) and releases all resources. Blocks only until
    /// accepted frames are handed over and all memory is returned. Idempotent.
    virtual void close() noexcept = 0;
};

}  // namespace tutti::transport
