#include "split_block.hpp"

#include <algorithm>
#include <cmath>

#include "part.hpp"

namespace training {
namespace {

Matrix some_columns(const Matrix& whole, Part part)
{
    Matrix result(whole.rows, part.size());
    for (std::size_t i = 0; i < whole.rows; ++i)
        std::copy(whole.row(i) + part.begin, whole.row(i) + part.end, result.row(i));
    return result;
}

Matrix some_rows(const Matrix& whole, Part part)
{
    Matrix result(part.size(), whole.columns);
    std::copy(whole.row(part.begin), whole.row(part.end), result.row(0));
    return result;
}

}  // namespace

SplitBlock::SplitBlock(const tutti::Communicator& team, const Matrix& whole_up, const Matrix& whole_down)
    : up(some_columns(whole_up, Part(kInner, team))),
      down(some_rows(whole_down, Part(kInner, team))),
      team_(team)
{
}

Matrix SplitBlock::forward(const Matrix& inputs)
{
    Matrix hidden = up.forward(inputs);
    for (float& unit : hidden.values)
        unit = std::tanh(unit);
    Matrix outputs = down.forward(hidden);
    team_.allreduce(outputs.values, tutti::sum);  // g
    add(inputs, outputs);
    kept_.push_back({inputs, std::move(hidden)});
    return outputs;
}

Matrix SplitBlock::backward(const Matrix& slopes)
{
    const Kept kept = std::move(kept_.front());
    kept_.pop_front();
    Matrix hidden_slopes = down.backward(kept.hidden, slopes);
    for (std::size_t i = 0; i < hidden_slopes.values.size(); ++i)
        hidden_slopes.values[i] *=
            1.0f - kept.hidden.values[i] * kept.hidden.values[i];  // tanh' = 1 - tanh^2
    Matrix input_slopes = up.backward(kept.inputs, hidden_slopes);
    team_.allreduce(input_slopes.values, tutti::sum);  // f
    add(slopes, input_slopes);
    return input_slopes;
}

double SplitBlock::difference(const SplitBlock& whole) const
{
    const Part mine(kInner, team_);
    return std::max(largest_difference(up.weights.values, some_columns(whole.up.weights, mine).values),
                    largest_difference(down.weights.values, some_rows(whole.down.weights, mine).values));
}

}  // namespace training
