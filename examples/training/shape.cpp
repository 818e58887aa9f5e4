#include "shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "part.hpp"
#include "pipeline_step.hpp"

namespace training {
namespace {

constexpr double kMostLoss = 0.5;  // ten digits that are guessed: 2.3

// The micro-batches of a step that this replica takes.
std::vector<Images> micro_batches_of(Images batch, const Shape& shape, const Options& options)
{
    std::vector<Images> mine;
    const Part numbers(options.micro_batches, shape.replicas);
    for (std::size_t i = numbers.begin; i < numbers.end; ++i) {
        const Part part(batch.size(), i, options.micro_batches);
        mine.push_back(batch.subspan(part.begin, part.size()));
    }
    return mine;
}

double run_epoch(const Shape& shape, Stage& stage, const sgd::Dataset& images, Images order,
                 const Options& options)
{
    double loss = 0;
    for (std::size_t begin = 0; begin < order.size(); begin += options.batch) {
        const Images batch = order.subspan(begin, std::min(options.batch, order.size() - begin));
        loss += run_step(shape.pipe, stage, images, micro_batches_of(batch, shape, options));
        for (Linear* layer : stage.layers()) {
            shape.replicas.allreduce(layer->gradient.values, tutti::sum);
            layer->step(options.learning_rate / static_cast<float>(batch.size()));
        }
    }
    return loss;
}

}  // namespace

void add_options(example::CommandLine& line, Options& options)
{
    options.data_path = EXAMPLE_DATA;
    line.text("--data", options.data_path, "optdigits.csv");
    line.number("--epochs", options.epochs, 1, 10'000, "passes over the training images");
    line.number("--batch", options.batch, 1, 1'000'000, "images a step");
    line.number("--micro-batches", options.micro_batches, 1, 10'000, "that a step's images are cut into");
    line.number("--learning-rate", options.learning_rate, 1e-6f, 1e3f, "of a step");
}

Result train(const Shape& shape, const sgd::Dataset& images, const Options& options)
{
    Result result{Stage(shape.pipe, shape.team)};
    std::vector<std::size_t> order(images.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937 random(1);  // the same order on every rank
    for (int epoch = 0; epoch < options.epochs; ++epoch) {
        std::ranges::shuffle(order, random);
        result.loss = run_epoch(shape, result.stage, images, order, options);
    }
    // The last stage of each replica has a part of it.
    shape.pipe.allreduce(result.loss, tutti::sum);
    shape.replicas.allreduce(result.loss, tutti::sum);
    result.loss /= static_cast<double>(images.size());
    return result;
}

int train_and_check(const tutti::Environment& environment, const Shape& shape, const Options& options,
                    double tolerance)
{
    const tutti::Communicator world = environment.world();
    const tutti::Communicator self = environment.self();
    const bool speaker = world.rank() == 0;
    sgd::Dataset all;
    if (speaker)
        all = sgd::load_dataset(options.data_path);
    const sgd::Dataset images = sgd::split_dataset(sgd::broadcast_dataset(world, std::move(all))).train;

    const double start = tutti::wall_time();
    const Result trained = train(shape, images, options);
    const double seconds = tutti::allreduce(world, tutti::wall_time() - start, tutti::max);

    // One rank trains the whole network, and all look how far their part is from it.
    const Shape alone{self, self, self};
    Result whole{Stage(self, self)};
    if (speaker)
        whole = train(alone, images, options);
    for (Linear* layer : whole.stage.layers())
        world.broadcast(layer->weights.values);
    const double difference = tutti::allreduce(world, trained.stage.difference(whole.stage), tutti::max);

    const auto kept = static_cast<int>(trained.stage.most_kept());
    const bool kept_few = tutti::allreduce(world, kept <= shape.pipe.size() - shape.pipe.rank(), tutti::land);
    const int most_kept = tutti::allreduce(world, kept, tutti::max);

    const bool equal = difference <= tolerance;  // false for NaN as well
    const bool learned = trained.loss <= kMostLoss;
    if (speaker)
        fmt::print(
            "{} epochs in {:.2f} s; loss {:.4f}{}, one rank's {:.4f}\n"
            "micro-batches that a rank keeps at a time: at most {}{}\n"
            "{} one rank's weights (largest difference {:.1e}, tolerance {:.0e})\n",
            options.epochs, seconds, trained.loss, learned ? "" : ", which is TOO MUCH", whole.loss,
            most_kept, kept_few ? "" : ", which is TOO MANY for some stage",
            equal ? "equals" : "DIFFERS FROM", difference, tolerance);
    return equal && learned && kept_few ? 0 : 1;
}

}  // namespace training
