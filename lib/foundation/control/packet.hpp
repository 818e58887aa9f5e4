// The messages between a rank and its daemon on the rank's control channel: packets of a sequenced socket,
// some with a file descriptor.
//
// The channel exists before the rank's program begins, so no other process can use it. Each side still
// receives what the other one sent before it ended. Received packets are not trusted all the same.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/foundation/base/unique_fd.hpp"

namespace tutti::control {

/// The variable that describes the rank's end: its descriptor, the identity of that file, and its owner.
inline constexpr const char* kVariable = "TUTTI_CONTROL";

inline constexpr std::size_t kMaxPacketBytes = std::size_t{64} << 10;

struct Packet {
    enum class Kind : std::uint32_t {
        // rank to daemon
        joined = 1,  // the rank is part of the job; name: see Channel::joined()
        left,        // the rank has left: its end is no failure
        aborted,     // number: exit status; bytes: message; serial: the thread, if it waits for `may_end`
        crashed,     // number: process; bytes: Crash; it waits for `may_end`
        deposit,     // name, bytes, perhaps a descriptor: for others to fetch, until withdrawn
        withdraw,    // name
        fetch,       // serial, number: rank, name
        status,      // a descriptor: the rank's status page
        profile,     // a descriptor: the memory of the rank's profile
        // daemon to rank
        found,    // serial, bytes, the descriptor if there is one
        missing,  // serial: not deposited yet, or withdrawn
        gone,     // serial: the rank has ended, or is not one of the job
        may_end   // the rank's stack has been read, or is not wanted: it may end
    };

    Kind kind = Kind::joined;
    std::int32_t number = 0;
    std::uint32_t serial = 0;
    std::string name = {};
    std::string bytes = {};
    base::UniqueFd descriptor = {};  // a received one
};

/// How a rank crashes, as the kernel reported it to the signal handler.
struct Crash {
    std::int32_t thread = 0;
    std::int32_t signal = 0;
    std::int32_t code = 0;    // si_code
    std::int32_t sender = 0;  // the process that sent the signal; 0: the kernel raised it
    std::uint64_t address = 0;
    std::uint64_t stack_pointer = 0;  // 0: unknown
};

enum class Arrival { packet, nothing, ended };

/// Sends the packet, with `descriptor` if that is not -1; blocks while the other side has much to read. Any
/// thread. False: the other side is gone, or the packet is too large.
bool send(int socket, const Packet& packet, int descriptor = -1) noexcept;
/// send(), but if the other side does not read, the packet is lost and nothing waits.
bool send_now(int socket, const Packet& packet, int descriptor = -1) noexcept;

/// send_now() for signal handlers: allocates nothing.
bool send_in_handler(int socket, Packet::Kind kind, std::int32_t number, std::string_view bytes) noexcept;
/// For signal handlers: waits for a packet of `kind`, and drops others. False after `patience`, or when the
/// other side is gone.
bool wait_in_handler(int socket, Packet::Kind kind, std::chrono::milliseconds patience) noexcept;

/// Takes an arrived packet; does not wait. `ended`: the other side is gone, or sent an invalid packet.
Arrival receive(int socket, Packet& packet);

}  // namespace tutti::control
