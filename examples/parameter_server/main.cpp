// Asynchronous training by a parameter server that is no process: the weights are a table over the memory of
// all ranks, from which each pulls what it needs and to which it pushes its steps. Beside it the all-reduce
// version, in which all ranks wait for each other. Then a model of many rows, of which a step needs few.
//
//     tuttirun -n 4 build/examples/parameter_server
//     tuttirun -n 4 build/examples/parameter_server --rows 10000000 --steps 3000
#include <fmt/format.h>

#include <string>
#include <tutti/tutti.hpp>

#include "../command_line.hpp"
#include "../sgd/dataset.hpp"
#include "../sgd/exchange.hpp"
#include "../sgd/training.hpp"
#include "asynchronous.hpp"

namespace {

constexpr double kLeastAccuracy = 0.9;
constexpr double kMostOfFirstLoss = 0.9;
constexpr std::size_t kFewRows = 100'000;

void print(const char* name, const std::vector<parameter_server::Progress>& parts)
{
    fmt::print("\n{}\n part     loss  seconds  staleness\n", name);
    for (std::size_t i = 0; i < parts.size(); ++i)
        fmt::print("{:5} {:8.4f} {:8.4f} {:10.2f}\n", i + 1, parts[i].loss, parts[i].seconds,
                   parts[i].staleness);
}

// Nobody's gradient is stale: all ranks make a step together.
std::vector<parameter_server::Progress> progress_of(const sgd::TrainingResult& run)
{
    std::vector<parameter_server::Progress> parts;
    double seconds = 0;
    for (const sgd::EpochReport& epoch : run.epochs) {
        seconds += epoch.compute_seconds + epoch.communication_seconds;
        parts.push_back({epoch.loss, seconds, 0.0});
    }
    return parts;
}

}  // namespace

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    const bool speaker = world.rank() == 0;
    std::string data_path = EXAMPLE_DATA;
    sgd::TrainingOptions training;
    parameter_server::SparseOptions sparse;
    example::CommandLine line("Asynchronous training by push and pull, beside all-reduce");
    line.text("--data", data_path, "optdigits.csv");
    line.number("--epochs", training.epochs, 1, 10'000, "passes over the training images");
    line.number("--batch", training.batch, 1, 1'000'000,
                "images a step: of one rank, and of all together with all-reduce");
    line.number("--rows", sparse.rows, 1, 10'000'000, "of the sparse model");
    line.number("--width", sparse.width, 1, 64, "numbers a row");
    line.number("--steps", sparse.steps, 10, 1'000'000, "of each rank with the sparse model");
    if (const auto status = line.read(argc, argv, world))
        return *status;

    sgd::Dataset dataset;
    if (speaker)
        dataset = sgd::load_dataset(data_path);
    const sgd::Split data = sgd::split_dataset(sgd::broadcast_dataset(world, std::move(dataset)));
    sgd::AllReduce all_reduce(world, sgd::Precision::float32, sgd::When::after_backward);
    const sgd::TrainingResult reduced = sgd::train(world, data, training, all_reduce);
    const parameter_server::DigitsResult digits = parameter_server::train_digits(world, data, training);
    const std::vector<parameter_server::Progress> rows = parameter_server::train_sparse(world, sparse);

    const bool accurate = digits.accuracy >= kLeastAccuracy;
    // Of many rows most are seen too seldom for few steps to show.
    const bool learned = sparse.rows > kFewRows || rows.back().loss <= kMostOfFirstLoss * rows.front().loss;
    if (speaker) {
        print("Digits, all-reduce, epoch by epoch", progress_of(reduced));
        print("Digits, push and pull, epoch by epoch", digits.epochs);
        print(fmt::format("{} rows of {}, push and pull, in tenths", sparse.rows, sparse.width).c_str(),
              rows);
        fmt::print(
            "\ntest accuracy {:.2f} % by all-reduce, {:.2f} % by push and pull{}; "
            "sparse loss {:.4f} to {:.4f}{}\n",
            100 * reduced.epochs.back().accuracy, 100 * digits.accuracy,
            accurate ? "" : ", which is BELOW 90 %", rows.front().loss, rows.back().loss,
            learned ? "" : ", which is TOO MUCH");
    }
    return accurate && learned ? 0 : 1;
}
