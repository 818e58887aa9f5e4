// What a rank and its daemon tell each other over the rank's control channel: packets of a sequenced socket,
// some with a file descriptor.
//
// The channel is there from before the rank's program begins, so nobody else can speak on it, and each side
// has what the other one sent also where that one has ended meanwhile. Nothing that arrives is trusted all
// the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/foundation/base/unique_fd.hpp"

namespace tutti::control {

/// The variable by which a rank finds its end: its descriptor, what file that must be, and whose it is.
inline constexpr const char* kVariable = "TUTTI_CONTROL";

inline constexpr std::size_t kMaxPacketBytes = std::size_t{64} << 10;

struct Packet {
    enum class Kind : std::uint32_t {
        // rank to daemon
        joined = 1,  // it is part of the job now
        left,        // and is not any more: its end is no failure
        aborted,     // number: exit status; bytes: message
        deposit,     // name, bytes, perhaps a descriptor: for who fetches it, until withdrawn
        withdraw,    // name
        fetch,       // serial, number: rank, name
        // daemon to rank
        found,    // serial, bytes, the descriptor where there is one
        missing,  // serial: not deposited yet, or withdrawn
        gone      // serial: the rank has ended, or is not one of the job
    };

    Kind kind = Kind::joined;
    std::int32_t number = 0;
    std::uint32_t serial = 0;
    std::string name = {};
    std::string bytes = {};
    base::UniqueFd descriptor = {};  // one that has arrived
};

enum class Arrival { packet, nothing, ended };

/// Sends the packet, with `descriptor` where that is not -1; blocks while the other side has much to read.
/// Any thread. False: the other side is gone, or the packet is too large.
bool send(int socket, const Packet& packet, int descriptor = -1) noexcept;
/// The same, but a side that does not read loses the packet instead of being waited for.
bool send_now(int socket, const Packet& packet, int descriptor = -1) noexcept;

/// Takes what has arrived, without waiting. `ended`: the other side is gone, or has sent what is no packet.
Arrival receive(int socket, Packet& packet);

}  // namespace tutti::control
