// Checks whether the ranks that this rank waits for are still alive.
//
// A network reports a death, but shared memory does not, and neither reports a rank that has left in good
// order. So a long wait checks the ranks that it needs. If any rank of a communicator would do, it asks until
// one is alive; if none is left, the waiting calls end with an error.
#pragma once

#include <cstdint>
#include <string>

#include "transports/transport.hpp"

namespace tutti::detail {

class AbsentRanks;
class CommunicatorState;
class Process;

/// Under the engine's lock.
class FailureDetector {
public:
    FailureDetector(Process& process, AbsentRanks& absent) noexcept : process_(process), absent_(absent) {}

    /// For the engine's watch. True: more will probably be known soon. Throws if a rank is lost that this one
    /// waits for at a board, or that another one has waited for in a collective where this one waits.
    bool look();

    /// Describes a hopeless wait for any source: who waits for what, and which ranks are gone.
    std::string nobody_left(std::uint64_t context, int tag);

    /// Asks about a rank of the job.
    transport::Presence look_after(int peer);

private:
    bool look_for_anybody(const CommunicatorState& state);
    void end_hopeless(const CommunicatorState& state);

    Process& process_;
    AbsentRanks& absent_;
};

}  // namespace tutti::detail
