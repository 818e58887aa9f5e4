#include "pipeline_step.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace training {
namespace {

constexpr int kForward = 1;
constexpr int kBackward = 2;

class Step {
public:
    Step(const tutti::Communicator& pipe, Stage& stage, const sgd::Dataset& data)
        : pipe_(pipe), stage_(stage), data_(data)
    {
    }

    void forward(Images images)
    {
        Matrix inputs(images.size(), kWidth);
        if (is_first())
            copy_pixels(images, inputs);
        else
            pipe_.recv(inputs.values, pipe_.rank() - 1, kForward);
        outputs_ = stage_.forward(std::move(inputs));
        if (!is_last())
            send(outputs_, pipe_.rank() + 1, kForward);
    }

    // In the last stage: of the forward pass right before.
    void backward(Images images)
    {
        Matrix slopes(images.size(), kWidth);
        if (is_last()) {
            slopes = std::move(outputs_);
            loss_ += loss_and_slopes(slopes, labels_of(images));
        } else {
            pipe_.recv(slopes.values, pipe_.rank() + 1, kBackward);
        }
        slopes = stage_.backward(std::move(slopes));
        if (!is_first())
            send(slopes, pipe_.rank() - 1, kBackward);
    }

    double finish()
    {
        tutti::wait_all(sent_);
        return loss_;
    }

private:
    bool is_first() const { return pipe_.rank() == 0; }
    bool is_last() const { return pipe_.rank() == pipe_.size() - 1; }

    void copy_pixels(Images images, Matrix& inputs) const
    {
        for (std::size_t n = 0; n < images.size(); ++n)
            std::ranges::copy(data_.image(images[n]), inputs.row(n));
    }

    std::vector<int> labels_of(Images images) const
    {
        std::vector<int> labels;
        for (const std::size_t image : images)
            labels.push_back(data_.labels[image]);
        return labels;
    }

    // A blocking send could wait for a neighbour that sends, too: one sends forward while the other sends
    // back.
    void send(Matrix& values, int to, int tag)
    {
        sent_.push_back(pipe_.isend(std::move(values.values), to, tag));
    }

    const tutti::Communicator& pipe_;
    Stage& stage_;
    const sgd::Dataset& data_;
    Matrix outputs_;
    double loss_ = 0;
    std::vector<tutti::Request> sent_;
};

}  // namespace

double run_step(const tutti::Communicator& pipe, Stage& stage, const sgd::Dataset& data,
                std::span<const Images> micro_batches)
{
    const std::size_t count = micro_batches.size();
    const auto behind = static_cast<std::size_t>(pipe.size() - 1 - pipe.rank());
    const std::size_t ahead = std::min(behind, count);
    Step step(pipe, stage, data);
    for (std::size_t i = 0; i < ahead; ++i)
        step.forward(micro_batches[i]);
    for (std::size_t i = ahead; i < count; ++i) {
        step.forward(micro_batches[i]);
        step.backward(micro_batches[i - ahead]);
    }
    for (std::size_t i = count - ahead; i < count; ++i)
        step.backward(micro_batches[i]);
    return step.finish();
}

}  // namespace training
