#include "dataset.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <stdexcept>
#include <string_view>

namespace sgd {
namespace {

constexpr float kBlack = 16.0f;

void append_image(Dataset& dataset, std::string_view line)
{
    for (std::size_t column = 0; column <= kPixels; ++column) {
        const std::size_t length = std::min(line.find(','), line.size());
        int value = -1;
        const auto [end, error] = std::from_chars(line.data(), line.data() + length, value);
        const int largest = column < kPixels ? 16 : 9;
        if (error != std::errc() || end != line.data() + length || value < 0 || value > largest)
            throw std::runtime_error("column " + std::to_string(column + 1) + " is no number from 0 to " +
                                     std::to_string(largest));
        if (column < kPixels)
            dataset.pixels.push_back(static_cast<float>(value) / kBlack);
        else
            dataset.labels.push_back(value);
        line.remove_prefix(std::min(length + 1, line.size()));
    }
    if (!line.empty())
        throw std::runtime_error("more than 65 columns");
}

}  // namespace

Dataset load_dataset(const std::string& path)
{
    std::ifstream file(path);
    if (!file)
        throw std::runtime_error("cannot read " + path + "; say where the data set is with --data FILE");
    Dataset dataset;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        try {
            append_image(dataset, line);
        } catch (const std::runtime_error& error) {
            throw std::runtime_error(path + ", line " + std::to_string(number) + ": " + error.what());
        }
    }
    if (dataset.size() < 5)
        throw std::runtime_error(path + " holds only " + std::to_string(dataset.size()) +
                                 " images, too few to train and test with");
    return dataset;
}

Split split_dataset(const Dataset& dataset)
{
    Split split;
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        Dataset& part = i % 5 == 4 ? split.test : split.train;
        const auto image = dataset.image(i);
        part.pixels.insert(part.pixels.end(), image.begin(), image.end());
        part.labels.push_back(dataset.labels[i]);
    }
    return split;
}

Dataset broadcast_dataset(const tutti::Communicator& world, Dataset dataset)
{
    // First the size, so that the other ranks can make room.
    const std::size_t size = tutti::broadcast(world, dataset.size());
    dataset.pixels.resize(size * kPixels);
    dataset.labels.resize(size);
    world.broadcast(dataset.pixels);
    world.broadcast(dataset.labels);
    return dataset;
}

}  // namespace sgd
