// Where Gloo's ranks find each other: the launcher's store for the job, which ends with the job.
#pragma once

#include <gloo/rendezvous/store.h>

#include <chrono>
#include <string>
#include <vector>

#include "lib/engine/bootstrap/job_bootstrap.hpp"

namespace tutti::bench {

/// Holds what Gloo's full mesh puts there: each rank's host and addresses, by keys that end in its number.
class JobStore : public gloo::rendezvous::Store {
public:
    /// `bootstrap` must live longer.
    explicit JobStore(bootstrap::Bootstrap& bootstrap) : bootstrap_(bootstrap) {}

    void set(const std::string& key, const std::vector<char>& data) override;
    /// Blocks until the rank has set it. Throws std::runtime_error when `key` names no rank.
    std::vector<char> get(const std::string& key) override;
    /// get() waits.
    void wait(const std::vector<std::string>&) override {}
    void wait(const std::vector<std::string>&, const std::chrono::milliseconds&) override {}

private:
    bootstrap::Bootstrap& bootstrap_;
};

}  // namespace tutti::bench
