// The sum of one bucket of the gradient over all ranks, as an operation that goes on beside computing.
#pragma once

#include <span>
#include <tutti/tutti.hpp>
#include <vector>

namespace sgd {

/// What gradients travel as. They are always computed and added as float.
enum class Precision { float32, bf16 };

/// float32: an all-reduce, in place.
///
/// bf16: half the bytes. Each rank sends every other the block that it is to add (all-to-all), adds what it
/// got as floats in the order of ranks, and sends the sum to all (all-gather). So a gradient is rounded to
/// bf16 twice, however many ranks there are, where an all-reduce of bf16 would round in each of its steps.
class BucketSum {
public:
    BucketSum(const tutti::Communicator& communicator, Precision precision)
        : communicator_(communicator), precision_(precision)
    {
    }

    /// `part` is this rank's, and borrowed until finish() has returned. All ranks start their sums in the
    /// same order, and advance and finish them in it.
    void start(std::span<float> part);
    /// Waits for the first half of a sum in bf16 and starts the second; else does nothing.
    void advance();
    /// Waits for the sum, which is then where the part was.
    void finish();

private:
    tutti::Communicator communicator_;
    Precision precision_;
    std::span<float> part_;
    tutti::Request request_;
    // bf16: a block a rank of both, of which the last may be filled up with zeros.
    std::vector<tutti::bfloat16> out_;
    std::vector<tutti::bfloat16> in_;
};

}  // namespace sgd
