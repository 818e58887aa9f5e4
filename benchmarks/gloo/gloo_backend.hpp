// The benchmarks' backend over Gloo, for the collectives that it has.
#pragma once

#include <memory>
#include <string>

#include "benchmarks/gloo/gloo_collective.hpp"
#include "benchmarks/suite/library/collective_backend.hpp"
#include "lib/engine/bootstrap/job_bootstrap.hpp"

namespace tutti::bench {

/// All ranks of the job that `bootstrap` belongs to, connected by TCP: Gloo has no shared memory.
class GlooBackend {
public:
    using Prepared = GlooCollective;
    using Request = GlooRequest;
    using Persistent = GlooRequest;

    /// By the interface that TUTTI_INTERFACE names; without one by the loopback where all ranks are on one
    /// host, else by the address of this host's name. `bootstrap` must live longer.
    explicit GlooBackend(bootstrap::Bootstrap& bootstrap);

    static std::string library();
    int rank() const { return context_->rank; }
    int size() const { return context_->size; }

    // Without send and recv, though Gloo has them: with them the ranks would agree on a time to begin. A rank
    // that spins until then keeps Gloo's own thread, which does all the work, from the core.
    void barrier();
    void broadcast(Bytes data, int root);
    void allgather(ConstBytes in, Bytes out);

    Prepared prepare(const DescribedCall& call) { return {call, context_}; }
    // Never called: there are no requests.
    void wait(GlooRequest&) {}
    void test(GlooRequest&) {}
    void start(GlooRequest&) {}

private:
    std::shared_ptr<gloo::Context> context_;
};

static_assert(CollectiveBackend<GlooBackend>);

}  // namespace tutti::bench
