// Ways in which ranks that each know a part of the gradient come to the same new weights.
#pragma once

#include <span>
#include <tutti/tutti.hpp>
#include <vector>

#include "bucket_sum.hpp"
#include "network.hpp"

namespace sgd {

class Exchange {
public:
    virtual ~Exchange() = default;

    /// This rank's part of a bucket of the gradient is complete, and stays as it is until update(). Called by
    /// all ranks, bucket after bucket, between which they compute.
    virtual void ready(const Bucket&, std::span<float>) {}

    /// `gradient` is this rank's part of the sum over the global batch, and may be overwritten. On return
    /// weights -= step * (sum over all ranks), on every rank. Called by all ranks.
    virtual void update(std::span<float> weights, std::span<float> gradient, float step) = 0;
};

/// When the sums over all ranks are under way.
enum class When { after_backward, beside_backward };

/// Every rank gets the sum, and takes the same step.
class AllReduce : public Exchange {
public:
    AllReduce(const tutti::Communicator& communicator, Precision precision, When when)
        : communicator_(communicator), precision_(precision), when_(when)
    {
    }
    void ready(const Bucket& bucket, std::span<float> gradient) override;
    void update(std::span<float> weights, std::span<float> gradient, float step) override;

private:
    void start(std::size_t index);

    tutti::Communicator communicator_;
    Precision precision_;
    When when_;
    // One a bucket, from the first step on.
    std::vector<BucketSum> sums_;
    std::vector<std::span<float>> parts_;
    std::size_t known_ = 0;  // buckets that are complete in this step
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
