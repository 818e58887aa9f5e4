#include "stage.hpp"

#include <algorithm>
#include <cmath>

#include "part.hpp"

namespace training {

Stage::Stage(const tutti::Communicator& pipe, const tutti::Communicator& team)
{
    const Part mine(kBlocks, pipe);
    first_block_ = mine.begin;
    for (std::size_t block = mine.begin; block < mine.end; ++block) {
        const auto seed = static_cast<unsigned>(2 * block + 1);
        blocks_.emplace_back(team, random_matrix(kWidth, kInner, seed),
                             random_matrix(kInner, kWidth, seed + 1));
    }
    if (mine.end == kBlocks && pipe.rank() == pipe.size() - 1)
        scores_.emplace(random_matrix(kWidth, sgd::kDigits, 0));
}

Matrix Stage::forward(Matrix inputs)
{
    most_kept_ = std::max(most_kept_, ++kept_);
    for (SplitBlock& block : blocks_)
        inputs = block.forward(inputs);
    if (!scores_)
        return inputs;
    score_inputs_.push_back(std::move(inputs));
    return scores_->forward(score_inputs_.back());
}

Matrix Stage::backward(Matrix slopes)
{
    --kept_;
    if (scores_) {
        slopes = scores_->backward(score_inputs_.front(), slopes);
        score_inputs_.pop_front();
    }
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block)
        slopes = block->backward(slopes);
    return slopes;
}

std::vector<Linear*> Stage::layers()
{
    std::vector<Linear*> layers;
    for (SplitBlock& block : blocks_)
        layers.insert(layers.end(), {&block.up, &block.down});
    if (scores_)
        layers.push_back(&*scores_);
    return layers;
}

double Stage::difference(const Stage& whole) const
{
    double largest =
        scores_ ? largest_difference(scores_->weights.values, whole.scores_->weights.values) : 0.0;
    for (std::size_t i = 0; i < blocks_.size(); ++i)
        largest = std::max(largest, blocks_[i].difference(whole.blocks_[first_block_ + i]));
    return largest;
}

double loss_and_slopes(Matrix& scores, std::span<const int> labels)
{
    double loss = 0;
    for (std::size_t n = 0; n < scores.rows; ++n) {
        const std::span row(scores.row(n), scores.columns);
        const float largest = *std::ranges::max_element(row);
        float sum = 0;
        for (float& score : row)
            sum += score = std::exp(score - largest);
        for (float& score : row)
            score /= sum;
        // The slope of cross entropy after softmax is the probability less the truth.
        float& right = row[static_cast<std::size_t>(labels[n])];
        loss -= std::log(std::max(right, 1e-30f));
        right -= 1.0f;
    }
    return loss;
}

}  // namespace training
