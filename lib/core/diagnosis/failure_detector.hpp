// Checks whether the ranks that this rank waits for are still alive.
//
// A network reports a death, but shared memory does not, and neither reports a rank that has left in good
// order. So a long wait checks the ranks that it needs. If any rank of a communicator would do, it asks until
// one is alive; if none is left, the waiting calls end with an error.
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

    /// For the engine's watch. True: more will probably be known soon. Throws if a rank is lost that this one
    /// waits for at a board, or that another one has waited for in a collective where this one waits.
    bool look();

    /// Registers a waiting probe. Posted receives need no registration: the matcher knows them.
    class Probe : public base::ListHook<ProbeTag> {
    public:
        Probe(const CommunicatorState& state, int source);
        ~Probe();
        Probe(const Probe&) = delete;
        Probe& operator=(const Probe&) = delete;

        /// The probe is for any source, and no source is left.
        bool hopeless() const noexcept { return hopeless_; }

    private:
        friend class FailureDetector;

        const CommunicatorState& state_;
        int source_;
        bool hopeless_ = false;
    };

    /// Calls visit(communicator, source) for each.
    template <class Visit>
    void for_each_probe(Visit&& visit)
    {
        for (Probe* probe = probes_.front(); probe != nullptr; probe = probes_.after(*probe))
            visit(probe->state_, probe->source_);
    }

    /// Describes a hopeless wait for any source: who waits for what, and which ranks are gone.
    std::string nobody_left(std::uint64_t context, int tag);

    /// Asks about a rank of the job.
    transport::Presence look_after(int peer);

private:
    bool look_for_anybody(const CommunicatorState& state);
    void end_hopeless(const CommunicatorState& state);

    Process& process_;
    base::IntrusiveList<Probe, ProbeTag> probes_;
};

}  // namespace tutti::detail
