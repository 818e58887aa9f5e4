// Tensor parallel: a block of two layers whose matrices are split over the ranks of a team, forward and
// backward (Shoeybi et al., Megatron-LM, 2019).
//
//     outputs = inputs + tanh(inputs * up) * down
//
// A rank has some columns of `up` and the same rows of `down`, here one of two:
//
//                      up 0 | up 1             down 0
//     inputs  --f-->        |         --tanh-> ------  --g-->  + inputs = outputs
//                           |                  down 1
//
// A column of `up` gives a hidden unit, which only its row of `down` needs: between the two matrices nothing
// is exchanged. Around them two operators are each other's mirror:
//
//          forward                                   backward
//     f    nothing: all ranks have the inputs        all-reduce: each rank knows the slopes of its units only
//     g    all-reduce: each has a part of the sum    nothing: all ranks have the slopes
#pragma once

#include <cstddef>
#include <deque>
#include <tutti/tutti.hpp>

#include "matrix.hpp"

namespace training {

inline constexpr std::size_t kWidth = 64;   // numbers that go into a block and come out
inline constexpr std::size_t kInner = 128;  // hidden units

class SplitBlock {
public:
    /// Cuts this rank's part out of matrices that are the same on all ranks of the team.
    SplitBlock(const tutti::Communicator& team, const Matrix& up, const Matrix& down);

    /// Called by all ranks of the team, with the same inputs: a row an image.
    Matrix forward(const Matrix& inputs);
    /// The backward pass of the oldest forward pass that has had none. Likewise.
    Matrix backward(const Matrix& slopes);

    /// How far the weights are from this rank's part of a whole block's.
    double difference(const SplitBlock& whole) const;

    Linear up;
    Linear down;

private:
    // What a forward pass leaves for its backward pass.
    struct Kept {
        Matrix inputs;
        Matrix hidden;
    };

    tutti::Communicator team_;
    std::deque<Kept> kept_;
};

}  // namespace training
