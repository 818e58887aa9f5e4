// Images of hand-written digits: reading them, and giving every rank a copy.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <tutti/tutti.hpp>
#include <vector>

namespace sgd {

inline constexpr std::size_t kPixels = 64;
inline constexpr std::size_t kDigits = 10;

struct Dataset {
    std::vector<float> pixels;  // kPixels an image, 0 (white) to 1 (black)
    std::vector<int> labels;    // 0 to 9

    std::size_t size() const { return labels.size(); }
    std::span<const float, kPixels> image(std::size_t index) const
    {
        return std::span<const float, kPixels>(&pixels[index * kPixels], kPixels);
    }
};

struct Split {
    Dataset train;
    Dataset test;
};

/// Reads lines of 64 numbers from 0 to 16 and a label, separated by commas. Throws std::runtime_error that
/// names the file and line.
Dataset load_dataset(const std::string& path);

/// Every fifth image is for the test, the others are for training.
Split split_dataset(const Dataset& dataset);

/// Rank 0's `dataset`, on every rank.
Dataset broadcast_dataset(const tutti::Communicator& world, Dataset dataset);

}  // namespace sgd
