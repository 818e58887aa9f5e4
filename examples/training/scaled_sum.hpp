// Gradients on the wire as float16, half the bytes, with a scale that finds itself (Micikevicius et al.,
// Mixed Precision Training, 2018).
//
// Small gradients are zero as float16 (from 2^-25 down), so they are multiplied by a scale before they are
// rounded, and divided by it behind the sum. The scale doubles after some good steps. Where the sum has an
// infinity or a NaN the scale halves, and the step is to be left out. An all-reduce gives all ranks the same
// bits: without a message more they agree on that.
//
// bfloat16 has the range of a float, and needs no scale; but it has fewer bits: data_parallel_sgd --gradients
// bf16.
#pragma once

#include <cstddef>
#include <span>
#include <tutti/tutti.hpp>
#include <vector>

namespace training {

class ScaledSum {
public:
    explicit ScaledSum(const tutti::Communicator& ranks) : ranks_(ranks) {}

    /// `gradient` becomes the sum over all ranks. False, and the gradient is as before, where the step is to
    /// be left out: on all ranks or on none. Called by all ranks.
    bool add_up(std::span<float> gradient);

    float scale() const { return scale_; }

    /// Of this rank's gradients that are not zero: those that were zero on the wire, and would be without a
    /// scale.
    struct Lost {
        std::size_t of = 0;
        std::size_t with_scale = 0;
        std::size_t without_scale = 0;
    };
    const Lost& lost() const { return lost_; }

private:
    static constexpr int kStepsToGrow = 50;

    tutti::Communicator ranks_;
    float scale_ = 1 << 24;  // too large at first; powers of two only: multiplying by them rounds nothing
    int good_steps_ = 0;
    Lost lost_;
    std::vector<tutti::float16> wire_;
};

}  // namespace training
