// A parameter server: weights by rows, and a loop that answers messages.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <tutti/tutti.hpp>
#include <vector>

#include "../sgd/network.hpp"
#include "rows.hpp"

namespace training {

class Server {
public:
    /// Serves all other ranks of `world`.
    Server(const tutti::Communicator& world, const Plan& plan);

    /// Until all workers have pushed so many steps.
    void run(std::size_t steps);

    const std::vector<float>& weights() const { return weights_; }
    /// The steps that a worker was ahead of the slowest when it got weights, at most.
    std::size_t most_ahead() const { return most_ahead_; }

private:
    struct Worker {
        std::size_t steps = 0;     // that it has pushed
        std::optional<Rows> pull;  // that is not answered yet
        Rows pushed;               // with its last gradient
        std::vector<float> gradient = std::vector<float>(sgd::kWeights);
    };

    void take_push(tutti::Message& message, Worker& worker);
    void answer_pulls();
    void apply(std::span<const Worker> pushes);
    std::size_t slowest() const;
    std::size_t most_allowed() const;

    tutti::Communicator world_;
    Plan plan_;
    std::vector<float> weights_ = sgd::initial_weights(1);
    std::vector<Worker> workers_;  // by rank, from 1
    std::size_t most_ahead_ = 0;
};

}  // namespace training
