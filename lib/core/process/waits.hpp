// Waits of a rank that neither the matcher nor a window knows: for the end of a collective call, and for a
// message that a probe shall find. The diagnosis reads them.
#pragma once

#include <cstdint>
#include <utility>

#include "lib/foundation/base/intrusive_list.hpp"

namespace tutti::detail {

/// A collective call of this rank: its communicator's context for collectives, and its number there.
struct CallPlace {
    std::uint64_t context = 0;
    std::uint32_t number = 0;

    /// Contexts of collectives are odd.
    bool is_call() const noexcept { return context != 0; }
    friend bool operator==(const CallPlace&, const CallPlace&) = default;
};

/// Under the engine's lock.
class Waits {
    struct ProbeTag;

public:
    /// While one exists, the program only waits for the end of that call.
    class Blocked {
    public:
        /// One that is no call: it waits for no collective whose order the ranks agree on.
        Blocked(Waits& waits, CallPlace call) noexcept : waits_(waits), before_(waits.call_)
        {
            waits.call_ = call;
        }
        ~Blocked() { waits_.call_ = before_; }
        Blocked(const Blocked&) = delete;
        Blocked& operator=(const Blocked&) = delete;

    private:
        Waits& waits_;
        const CallPlace before_;
    };
    /// The call that the program waits for, if there is one thread.
    const CallPlace& call() const noexcept { return call_; }

    /// A waiting probe. Posted receives need none: the matcher knows them.
    class Probe : public base::ListHook<ProbeTag> {
    public:
        /// `context`: of messages; `source`: the rank there, or any_source; `peer`: the rank in the job; -1:
        /// any.
        Probe(Waits& waits, std::uint64_t of, int from, int rank) noexcept
            : context(of), source(from), peer(rank)
        {
            waits.probes_.push_back(*this);
        }
        ~Probe() { base::IntrusiveList<Probe, ProbeTag>::remove(*this); }
        Probe(const Probe&) = delete;
        Probe& operator=(const Probe&) = delete;

        const std::uint64_t context;
        const int source;
        const int peer;
        bool hopeless = false;  // it is for any source, and no source is left
    };
    /// Calls visit(Probe&) for each.
    template <class Visit>
    void for_each_probe(Visit&& visit)
    {
        for (Probe* probe = probes_.front(); probe != nullptr; probe = probes_.after(*probe))
            visit(*probe);
    }

private:
    CallPlace call_;
    base::IntrusiveList<Probe, ProbeTag> probes_;
};

}  // namespace tutti::detail
