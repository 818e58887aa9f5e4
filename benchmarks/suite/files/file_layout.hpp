// How ranks share a file: which bytes are whose.
#pragma once

#include <cstddef>
#include <vector>

#include "benchmarks/suite/library/file_under_test.hpp"

namespace tutti::bench {

enum class FileLayout {
    contiguous,  // one rank's bytes after the other's
    blocks,      // a block of each rank by turns
    grid2,       // the ranks' parts of a matrix, whose lines are blocks
    grid3,       // the same of three dimensions
};

const char* to_string(FileLayout layout) noexcept;

/// `ranks` as a product of so many numbers, as equal as can be; the last two dimensions have the greater
/// ones, of three the middle one before the last.
std::vector<std::size_t> grid_of(std::size_t ranks, std::size_t dimensions);

/// The part of `rank`, of `rank_bytes` in blocks of `block_bytes`, of which they are a multiple.
FilePart part_of(FileLayout layout, std::size_t rank_bytes, std::size_t block_bytes, std::size_t rank,
                 std::size_t ranks);

/// Where byte number `index` of the rank's data lies in the file.
std::size_t place_of(const FilePart& part, std::size_t index);

/// So many of the rank's bytes lie together everywhere.
std::size_t run_bytes(const FilePart& part);

}  // namespace tutti::bench
