// While this rank waits: whether the ranks that it waits for are still there.
//
// A network tells of a death, memory does not, and neither of a rank that has left in good order. So a wait
// that lasts asks after those that it is for. Where any rank of a communicator would do it asks until it
// finds one; where none is left, the calls that wait end with an error.
#pragma once

#include <cstdint>
#include <string>

#include "lib/foundation/base/intrusive_list.hpp"
#include "transports/transport.hpp"

namespace tutti::detail {

class CommunicatorState;
class Process;

/// Under the engine's lock.
class FailureDetector {
    struct ProbeTag;

public:
    explicit FailureDetector(Process& process) noexcept : process_(process) {}

    /// For the engine's watch. True: more is likely to be known soon. Throws where a rank is lost that this
    /// one waits for at a board.
    bool look();

    /// A probe, for as long as it waits: a receive is found where it is posted.
    class Probe : public base::ListHook<ProbeTag> {
    public:
        Probe(const CommunicatorState& state, int source);
        ~Probe();
        Probe(const Probe&) = delete;
        Probe& operator=(const Probe&) = delete;

        /// Any source would do, and none is left.
        bool hopeless() const noexcept { return hopeless_; }

    private:
        friend class FailureDetector;

        const CommunicatorState& state_;
        int source_;
        bool hopeless_ = false;
    };

    /// A sentence on a wait for any source that is hopeless: who waits for what, and who is gone.
    std::string nobody_left(std::uint64_t context, int tag);

private:
    transport::Presence look_after(int peer);
    bool look_for_anybody(const CommunicatorState& state);
    void end_hopeless(const CommunicatorState& state);

    Process& process_;
    base::IntrusiveList<Probe, ProbeTag> probes_;
};

/// Likewise, for who knows the communicator.
std::string nobody_left(const CommunicatorState& state, int tag);

}  // namespace tutti::detail
