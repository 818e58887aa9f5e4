// The transport contract: moves frames to the peers it can reach. It knows no tags, communicators or
// datatypes.
//
// What every transport keeps (tests/conformance checks it on each):
//  1. frames from one peer arrive in the order sent, whole, once;
//  2. Sink and Completion are called only inside progress(), never inside send();
//  3. all calls are made by one thread at a time: the engine holds its lock around them;
//  4. a lost peer is reported through Sink::peer_lost, once;
//  5. a received frame is a view into the transport's own memory, valid only during Sink::frame, so that the
//     reader copies or reduces straight out of it. A Sink may call send() from within its callbacks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/error.hpp"

namespace tutti::transport {

/// Every header that a transport carries is at most this long; it travels in front of the payload.
inline constexpr std::size_t kMaxHeaderBytes = 32;

enum class SendResult {
    done,     // the payload is free again
    pending,  // the payload is kept by the transport until the completion fires, exactly once, also on
              // close()
    again     // nothing was consumed; ask again after a later progress()
};

/// A payload that lies in several places, in its order. Some may be empty.
using Parts = std::span<const std::span<const std::byte>>;
/// So many places a payload has at most.
inline constexpr std::size_t kMostParts = 256;

/// Embedded in whatever waits for it. `fire` runs inside progress() or close(), and may destroy its object.
struct Completion {
    void (*fire)(Completion& self, ErrorCode result) = nullptr;
};

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

struct Capabilities {
    std::size_t max_payload_bytes;      // of one frame
    std::size_t inject_below;           // frames with fewer bytes of payload are never `pending`
    bool remote_get;                    // get() works
    bool gathers = false;               // send_parts() works
    std::size_t eager_limit_bytes = 0;  // a message up to this may be kept by its receiver; 0: as memory does
    double latency_ns;                  // one way, small frame: a hint for choosing among transports
    double bytes_per_ns;                // streaming: likewise
};

/// Memory of a peer, as the peer describes it in a message of its own: see Transport::expose().
struct RemoteRegion {
    std::uint64_t address;
    std::uint64_t key;
};

class Transport {
public:
    virtual ~Transport() = default;

    virtual std::string_view name() const noexcept = 0;
    virtual Capabilities capabilities() const noexcept = 0;

    /// This rank's business card: what a peer's connect() needs. Constant after construction.
    virtual std::vector<std::byte> address() const = 0;
    /// Whether a peer with this card can be reached. Cheap, has no side effects.
    virtual bool reach(int peer, std::span<const std::byte> card) const noexcept = 0;
    /// Why a peer that has a card of this transport cannot be reached, and the remedy: a part of a sentence,
    /// for messages. Empty: nothing is known.
    virtual std::string unreachable(std::span<const std::byte>) const { return {}; }
    /// Prepares sending to `peer`. Called once a peer, before its first send(). Throws tutti::Error.
    virtual void connect(int peer, std::span<const std::byte> card) = 0;

    /// Sends one frame; the header is copied before this returns. header.size() <= kMaxHeaderBytes,
    /// payload.size() <= max_payload_bytes. `completion` is used only when the answer is `pending`. A frame
    /// to a lost peer is `done` and goes nowhere.
    virtual SendResult send(int peer, std::span<const std::byte> header, std::span<const std::byte> payload,
                            Completion& completion) = 0;

    /// The same for a payload in up to kMostParts places, which the transport forgets before it returns. Only
    /// where capabilities().gathers.
    virtual SendResult send_parts(int peer, std::span<const std::byte> header, Parts payload,
                                  Completion& completion);

    /// For who gives up while its memory is in use. From here on the transport reads no payload that is
    /// pending with `completion`: it has a copy of what is left. Throws std::bad_alloc.
    virtual void release_payload(int, const Completion&) {}
    /// Likewise: from here on it writes no more to the destination() of a frame of that peer; frame() follows
    /// in place of placed(). Throws std::bad_alloc.
    virtual void release_place(int) {}

    /// How a peer that this transport reaches finds these bytes of ours, in get() and view().
    virtual RemoteRegion expose(std::span<const std::byte> data) const noexcept
    {
        return {reinterpret_cast<std::uintptr_t>(data.data()), 0};
    }
    /// Lets peers get() `data`, which was exposed as `region`, until it is taken back; the region may change.
    /// False: none can. Not for what is viewable().
    virtual bool lend(std::span<const std::byte>, RemoteRegion&) { return true; }
    virtual void take_back(const RemoteRegion&) noexcept {}
    /// Whether that peer can view() them.
    virtual bool viewable(const RemoteRegion&) const noexcept { return false; }
    /// The peer's memory itself, to be read in place until the peer is told that it may change it. Empty
    /// where it is not mapped here and cannot be.
    virtual std::span<const std::byte> view(int, const RemoteRegion&, std::size_t) { return {}; }
    /// Copies local.size() bytes out of the peer's memory. Only where capabilities().remote_get. Answers as
    /// send() does, with `again` where the region cannot be read now, or ever: then its bytes have to come in
    /// frames. An error is told by the completion, or thrown when nothing is under way. The peer's core may
    /// have a part in it, from within its progress(): what it has begun and not ended is `pending`.
    virtual SendResult get(int peer, const RemoteRegion& remote, std::span<std::byte> local,
                           Completion& completion);
    /// Copies memory of this rank, `to` and `from` equally long and apart: `done` or `pending`. The core of
    /// `peer`, who waits for this rank, may have a part in it, as in get().
    virtual SendResult copy_own(int peer, std::span<std::byte> to, std::span<const std::byte> from,
                                Completion& completion);
    /// For who gives up a get() or copy_own() that is pending with `completion`, which does not fire any
    /// more: from here on nothing is written to its memory. May wait for a peer that has begun a piece.
    virtual void abandon_copy(const Completion&) noexcept {}

    /// For whoever waits for `peer`, whose card this is, connected or not: looks whether it is still there
    /// where its end would not show by itself. From `gone` on progress() reports the loss, or has reported
    /// it, behind the peer's last frame. Costs a few system calls, maybe a connection; does not wait, and
    /// does not take a network that leads nowhere for an end.
    virtual Presence look_after(int, std::span<const std::byte>) { return Presence::here; }

    /// Where `peer`, to whom frames wait to go, has taken connections and said nothing for long: it computes,
    /// or it is somebody else. For messages; empty: nothing is known.
    virtual std::string silent_at(int) const { return {}; }

    /// Delivers what has arrived. Returns the number of events (frames, completions, losses); 0 means idle.
    virtual std::size_t progress(Sink& sink) = 0;

    /// The futex word that changes when something arrives while armed; nullptr when nothing arrives from
    /// outside this thread. Shared between processes where the transport is.
    virtual std::atomic<std::uint32_t>* doorbell() noexcept { return nullptr; }
    /// From arm() on every arrival changes the doorbell and wakes its futex. The caller must call progress()
    /// once more after arm() and before it sleeps.
    virtual void arm() {}
    virtual void disarm() noexcept {}
    /// A file descriptor that is readable whenever progress() may find something, at least between arm() and
    /// disarm(): how a transport that arrivals reach through the kernel is slept on. -1: there is none, and
    /// the doorbell rings.
    virtual int wait_fd() noexcept { return -1; }
    /// From the first call on, what rings the doorbell makes this file descriptor readable as well, until
    /// disarm(): for an engine that has to sleep on descriptors. -1: there is none.
    virtual int doorbell_fd() { return -1; }

    /// Fires every pending completion (ErrorCode::cancelled) and gives up all resources. Idempotent.
    virtual void close() noexcept = 0;
};

}  // namespace tutti::transport
