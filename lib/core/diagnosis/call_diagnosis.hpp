// A rank that has waited long in a collective finds out whether other ranks call a different one.
//
// Ranks in different calls exchange no messages (call_signature.hpp) and wait. So a rank that has waited long
// tells each rank that it waits for which call it is in. The other rank compares this with its own call of
// the same number when it next makes progress. If it has not made that call yet, or made the same one, it
// says nothing. Otherwise it answers with its call, and both ranks fail with an error that names both calls.
// If a rank has left or does not answer, the mark of a message that it has sent may show its call.
//
// Ranks that block in calls of different communicators may wait for each other in a circle, though no two
// calls differ. So a rank that has waited long also tells that it blocks, and in which call (call_wait). A
// receiver that has not made that call and blocks in another one passes the notice on to all ranks that it
// waits for: it cannot make the call before they make its own. If the chain comes back to its origin while
// that rank still blocks in the same call, there is a circle, and nothing will end it (the edge chasing of
// Chandy, Misra and Haas, "Distributed deadlock detection", 1983). If several threads of a rank call, another
// thread may make the call: such ranks neither begin chains nor pass them on.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "lib/core/process/waits.hpp"
#include "lib/engine/protocol/protocol.hpp"

namespace tutti::detail {

class AbsentRanks;
class CommunicatorState;
class Process;

/// call_inquiry, and its answer call_differs from a rank in another call. The context is the collectives'.
struct CallHeader {
    protocol::Lead lead;
    std::uint32_t rank;  // the sender's, in the communicator
    std::uint32_t number;
    std::array<std::uint64_t, 2> signature;
};

/// The sender blocks in a collective call that the receiver has not made. `origin`, a rank of the job, began
/// this chain of waits and counts its chains.
struct CallWaitHeader {
    protocol::Lead lead;
    std::uint32_t rank;  // the sender's, in the communicator
    std::uint32_t number;
    std::uint32_t origin;
    std::uint32_t chain;
    std::uint64_t kind;  // of the call
};

/// Under the engine's lock.
class CallDiagnosis final {
public:
    CallDiagnosis(Process& process, const AbsentRanks& absent) noexcept : process_(process), absent_(absent)
    {
    }

    /// The engine's watch. Throws tutti::Error once it is clear that the ranks' calls differ.
    void look(std::int64_t waited_ns);
    /// For a rank that does not wait, from time to time: looks only at messages of other calls. Throws
    /// likewise.
    void review();
    /// For a rank that has made its last call: throws if messages of other calls are left.
    void conclude();
    /// Throws if an active call has a number that comes again in the next half of all numbers.
    void check_reuse(const CommunicatorState& state);
    /// Throws if `rank` has sent a message of another call with that number.
    void check_other_call(const CommunicatorState& state, int rank, std::uint32_t number);

    /// A frame of a call_ kind: protocol::Services::Handler.
    void frame(int peer, std::span<const std::byte> header, std::span<const std::byte> payload);

private:
    void handle(int peer, const CallHeader& call);
    void handle(int peer, const CallWaitHeader& wait);

    // The earliest call to ask about, by communicator and peer: a peer gets one frame for all waits.
    using Questions = std::map<std::pair<std::uint64_t, int>, std::uint32_t>;

    static void add(Questions& questions, const CommunicatorState& state, int peer, std::uint32_t number);
    template <class Visit>
    void for_each_awaited(Visit&& visit);
    void ask(const Questions& questions);
    void send(protocol::FrameKind kind, const CommunicatorState& state, int peer, std::uint32_t number);
    bool is_blocked() const noexcept;
    void pass_on_wait(std::uint32_t origin, std::uint32_t chain);
    [[noreturn]] void raise_circle(int sender, std::uint64_t kind) const;
    template <class Found>
    void for_each_contradiction(Found&& found);

    /// Notes that the program gets an error about differing calls.
    Error reported(Error error) noexcept
    {
        is_reported_ = true;
        return error;
    }

    Process& process_;
    const AbsentRanks& absent_;
    bool is_reported_ = false;                       // the program has had that error
    CallPlace chain_began_in_;                       // the latest chain of this rank
    std::uint32_t chains_ = 0;                       // chains that this rank has begun
    std::map<std::uint32_t, std::uint32_t> passed_;  // the latest chain of each other origin
};

}  // namespace tutti::detail
