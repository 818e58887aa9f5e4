// Two ways in which ranks that each know a part of the gradient come to the same new weights.
#pragma once

#include <span>
#include <tutti/tutti.hpp>
#include <vector>

namespace sgd {

class Exchange {
public:
    virtual ~Exchange() = default;

    /// `gradient` is this rank's part of the sum over the global batch, and may be overwritten. On return
    /// weights -= step * (sum over all ranks), on every rank. Called by all ranks.
    virtual void update(std::span<float> weights, std::span<float> gradient, float step) = 0;
};

/// Every rank gets the sum, and takes the same step.
class AllReduce : public Exchange {
public:
    explicit AllReduce(const tutti::Communicator& communicator) : communicator_(communicator) {}
    void update(std::span<float> weights, std::span<float> gradient, float step) override;

private:
    tutti::Communicator communicator_;
};

/// Rank 0 has the weights and works too; the others push their gradients to it and pull the new weights.
/// Synchronous: it waits for all, and adds in the order of ranks, so that a run can be repeated exactly.
class ParameterServer : public Exchange {
public:
    explicit ParameterServer(const tutti::Communicator& communicator);
    void update(std::span<float> weights, std::span<float> gradient, float step) override;

private:
    void serve(std::span<float> weights, std::span<float> gradient, float step);

    tutti::Communicator communicator_;
    std::vector<std::vector<float>> pushed_;  // server: a gradient a worker
    std::vector<tutti::Request> requests_;    // server: one a worker
};

}  // namespace sgd
