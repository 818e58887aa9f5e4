// Training of one network in any shape: data x tensor x pipeline.
#pragma once

#include <string>
#include <tutti/tutti.hpp>

#include "../command_line.hpp"
#include "../sgd/dataset.hpp"
#include "stage.hpp"

namespace training {

/// A rank's three groups. With a group of one rank nothing is sent in it.
struct Shape {
    tutti::Communicator team;      // have the same images and split each block: tensor parallel
    tutti::Communicator pipe;      // have the same images and different blocks: pipeline parallel
    tutti::Communicator replicas;  // have the same weights and different images: data parallel
};

struct Options {
    std::string data_path;
    int epochs = 3;
    std::size_t batch = 64;         // images a step
    std::size_t micro_batches = 8;  // that a step's images are cut into
    float learning_rate = 0.05f;
};

void add_options(example::CommandLine& line, Options& options);

struct Result {
    Stage stage;
    double loss = 0;  // mean over the last epoch's images, each seen before the step it took part in
};

/// Called by all ranks of a job. Whatever the shape, the same images make the same steps.
Result train(const Shape& shape, const sgd::Dataset& images, const Options& options);

/// Trains in this shape, and by one rank alone; prints how they compare. Weights may differ by `tolerance`.
/// Returns the status for main.
int train_and_check(const tutti::Environment& environment, const Shape& shape, const Options& options,
                    double tolerance);

}  // namespace training
