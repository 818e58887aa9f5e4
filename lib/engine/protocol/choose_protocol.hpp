// Which protocol a message takes: all that decides, in one function. docs/developing/protocol.md has it as a
// table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "lib/engine/protocol/credit.hpp"
#include "lib/foundation/observe/message_protocol.hpp"
#include "transports/transport.hpp"

namespace tutti::observe {
struct StatusTraffic;
class ProfileWriter;
}  // namespace tutti::observe

namespace tutti::protocol {

using observe::MessageProtocol;

/// The eager limit of transports that have no preference.
inline constexpr std::size_t kEagerLimitBytes = 8u << 10;
/// A message whose sender asks for a copy is eager up to this size, unless the user sets a limit.
inline constexpr std::size_t kCopiedLimitBytes = 32u << 10;
/// Below this a remote read costs more than the frames.
inline constexpr std::size_t kPullFromBytes = 4096;
/// A frame takes no more of a message that has to be collected. A longer one goes by rendezvous.
inline constexpr std::size_t kPieceBytes = 64u << 10;

struct ProtocolOptions {
    // Longer messages go by rendezvous. Unset: as each transport prefers.
    std::optional<std::size_t> eager_limit_bytes;
    std::size_t unexpected_bytes = 1u << 20;  // credit of each sender; the same at all ranks
    // From this size on, data that the receiver can read in place goes by rendezvous: saving one of two
    // copies is worth the envelope's trip.
    std::size_t view_from_bytes = 1u << 10;
    observe::StatusTraffic* traffic = nullptr;  // counters of messages; nullptr: none are counted
    observe::ProfileWriter* profile = nullptr;  // learns of each message
    bool injects = true;                     // send short messages without a request
    int own_rank = -1;                       // in the job; -1: all ranks count as others
};

/// When the first frame of a message leaves.
enum class Departure : unsigned char {
    at_once,
    soon  // with later ones: its sender waits for it or tests it
};

/// The abilities of the transport to a peer, and the sizes that suit it.
struct PeerTraits {
    std::size_t max_payload = 0;   // of a frame
    std::size_t eager_limit = 0;   // longer messages go by rendezvous
    std::size_t copied_limit = 0;  // but not up to this size, if their sender asks for a copy
    std::size_t view_from = 0;     // see ProtocolOptions
    std::size_t early_bytes = 0;   // so much of a streamed message goes with the envelope
    std::size_t piece_bytes = 0;   // a frame takes no more of a collected message
    std::size_t inject_below = 0;  // messages with fewer bytes need no request; 0: not connected, or lost
    std::size_t inject_soon_below = 0;  // likewise, if their sender need not see them leave at once
    bool maps_memory = false;      // memory with a key is read in place
    bool can_pull = false;         // its memory may be read by remote get
    bool same_clock = false;       // its base::now_ns() is this rank's
    bool gathers = false;          // its transport sends from several places at once

    static PeerTraits of(const transport::Capabilities& transport, bool has_memory, bool maps_memory,
                         const ProtocolOptions& options) noexcept;
};

/// The properties of a message that decide about its protocol.
struct MessageTraits {
    enum class Place : unsigned char {
        private_memory,  // in one piece, that only the sender has mapped
        mapped,          // in one piece, that the receiver maps too
        parts,           // in several pieces, which the transport gathers
        collected        // packed as it leaves
    };
    std::size_t bytes = 0;
    Place place = Place::private_memory;
    bool synchronous = false;
    bool copied = false;     // its sender asks for a copy
    bool has_credit = true;  // the receiver has room to keep it
};

struct ProtocolChoice {
    MessageProtocol protocol = MessageProtocol::eager;
    bool learned = false;      // `protocol` is pull: timings choose between that and stream
    std::string_view because;  // a part of a sentence
};

inline PeerTraits PeerTraits::of(const transport::Capabilities& transport, bool has_memory, bool maps_memory,
                                 const ProtocolOptions& options) noexcept
{
    const std::size_t wish =
        transport.eager_limit_bytes != 0 ? transport.eager_limit_bytes : kEagerLimitBytes;
    PeerTraits traits;
    traits.max_payload = transport.max_payload_bytes;
    traits.eager_limit =
        std::min(options.eager_limit_bytes.value_or(wish), options.unexpected_bytes - kEagerOverheadBytes);
    traits.copied_limit = options.eager_limit_bytes.has_value() ? 0 : kCopiedLimitBytes;
    traits.view_from = options.view_from_bytes;
    traits.early_bytes = transport.early_bytes;
    traits.piece_bytes = std::min({transport.piece_bytes, kPieceBytes, transport.max_payload_bytes});
    if (options.injects)
        traits.inject_below =
            std::min({transport.inject_below, options.view_from_bytes, traits.eager_limit + 1});
    traits.inject_soon_below = transport.unites ? 0 : traits.inject_below;
    traits.maps_memory = has_memory && maps_memory;
    traits.can_pull = has_memory;
    traits.same_clock = transport.same_clock;
    traits.gathers = transport.gathers;
    return traits;
}

// Why a message waits for its receive; empty: it does not.
inline std::string_view why_rendezvous(const MessageTraits& message, const PeerTraits& to) noexcept
{
    using Place = MessageTraits::Place;
    if (message.synchronous)
        return "it is synchronous: complete only when it has matched";
    if (!message.has_credit)
        return "the receiver has no room left for unexpected messages of this sender";
    if (message.place == Place::collected && message.bytes > kPieceBytes)
        return "it is packed piece by piece, and has more than one";
    if (message.copied && message.bytes <= to.copied_limit)
        return {};
    if (message.place == Place::mapped && message.bytes >= to.view_from)
        return "the receiver maps the memory where it lies, which saves one of two copies";
    if (message.bytes > to.eager_limit)
        return "it is longer than the eager limit";
    return {};
}

inline ProtocolChoice choose_protocol(const MessageTraits& message, const PeerTraits& to) noexcept
{
    using Place = MessageTraits::Place;
    const bool in_one_piece = message.place == Place::mapped || message.place == Place::private_memory;
    const std::string_view why = why_rendezvous(message, to);
    if (why.empty()) {
        if (in_one_piece && message.bytes < to.inject_below)
            return {MessageProtocol::inject, false, "it is short, and the transport copies it at once"};
        return {MessageProtocol::eager, false,
                message.copied ? "its sender asks for a copy" : "it is within the eager limit"};
    }
    if (message.bytes != 0 && message.place == Place::mapped)
        return {MessageProtocol::read_in_place, false, why};
    if (in_one_piece && to.can_pull && message.bytes >= kPullFromBytes)
        return {MessageProtocol::pull, true, why};
    return {MessageProtocol::stream, false, why};
}

}  // namespace tutti::protocol
