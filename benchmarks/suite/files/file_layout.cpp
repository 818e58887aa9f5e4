#include "benchmarks/suite/files/file_layout.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

namespace tutti::bench {

namespace {

std::size_t product(std::span<const std::size_t> factors)
{
    return std::accumulate(factors.begin(), factors.end(), std::size_t{1}, std::multiplies<>());
}

std::vector<std::size_t> primes_descending(std::size_t number)
{
    std::vector<std::size_t> primes;
    for (std::size_t divisor = 2; number > 1; ++divisor)
        for (; number % divisor == 0; number /= divisor)
            primes.push_back(divisor);
    std::ranges::reverse(primes);
    return primes;
}

// As equal as can be, the greater one last.
std::vector<std::size_t> two_factors(std::size_t number)
{
    std::size_t less = 1;
    for (std::size_t divisor = 2; divisor * divisor <= number; ++divisor)
        less = number % divisor == 0 ? divisor : less;
    return {less, number / less};
}

}  // namespace

const char* to_string(FileLayout layout) noexcept
{
    switch (layout) {
        case FileLayout::contiguous:
            return "contiguous";
        case FileLayout::blocks:
            return "blocks";
        case FileLayout::grid2:
            return "2-D";
        case FileLayout::grid3:
            return "3-D";
    }
    return "";
}

std::vector<std::size_t> grid_of(std::size_t ranks, std::size_t dimensions)
{
    if (dimensions == 2)
        return two_factors(ranks);
    std::vector<std::size_t> grid(dimensions, 1);
    constexpr std::size_t kOrder[] = {1, 2, 0};
    for (const std::size_t prime : primes_descending(ranks))
        grid[*std::ranges::min_element(kOrder, {}, [&](std::size_t which) { return grid[which]; })] *= prime;
    return grid;
}

FilePart part_of(FileLayout layout, std::size_t rank_bytes, std::size_t block_bytes, std::size_t rank,
                 std::size_t ranks)
{
    const std::size_t lines = rank_bytes / block_bytes;
    if (layout == FileLayout::contiguous)
        return {{ranks * rank_bytes}, {rank_bytes}, {rank * rank_bytes}};
    if (layout == FileLayout::blocks)
        return {{ranks * block_bytes}, {block_bytes}, {rank * block_bytes}};
    std::vector<std::size_t> counts{lines};
    if (layout == FileLayout::grid3)
        counts = two_factors(lines);
    counts.push_back(block_bytes);
    const std::vector<std::size_t> grid = grid_of(ranks, counts.size());
    FilePart part{counts, counts, counts};
    for (std::size_t i = counts.size(); i-- > 0; rank /= grid[i]) {
        part.sizes[i] *= grid[i];
        part.starts[i] *= rank % grid[i];
    }
    return part;
}

std::size_t place_of(const FilePart& part, std::size_t index)
{
    const std::size_t block = product(part.counts);
    std::size_t place = 0;
    std::size_t stride = 1;
    std::size_t rest = index % block;
    for (std::size_t i = part.counts.size(); i-- > 0; rest /= part.counts[i]) {
        place += (part.starts[i] + rest % part.counts[i]) * stride;
        stride *= part.sizes[i];
    }
    return place + index / block * stride;  // whole arrays before it
}

std::size_t run_bytes(const FilePart& part)
{
    std::size_t run = 1;
    for (std::size_t i = part.counts.size(); i-- > 0;) {
        run *= part.counts[i];
        if (part.counts[i] != part.sizes[i])
            break;
    }
    return run;
}

}  // namespace tutti::bench
