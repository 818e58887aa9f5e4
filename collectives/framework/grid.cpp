#include "collectives/framework/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <ranges>
#include <utility>

namespace tutti::collectives {

namespace {

// The divisors in ascending order.
std::vector<int> divisors_of(int value)
{
    std::vector<int> low;
    std::vector<int> high;
    for (int divisor = 1; divisor <= value / divisor; ++divisor) {
        if (value % divisor != 0)
            continue;
        low.push_back(divisor);
        if (divisor != value / divisor)
            high.push_back(value / divisor);
    }
    low.insert(low.end(), high.rbegin(), high.rend());
    return low;
}

// `factor` to the power of `times`, or something above `limit` where that is above it.
std::int64_t power(int factor, std::size_t times, int limit)
{
    std::int64_t product = 1;
    for (; times > 0 && product <= limit; --times)
        product *= factor;
    return product;
}

std::vector<int> primes_of(int value)
{
    std::vector<int> primes;
    for (int factor = 2; factor <= value / factor; ++factor)
        for (; value % factor == 0; value /= factor)
            primes.push_back(factor);
    if (value > 1)
        primes.push_back(value);
    return primes;
}

// Writes factors from `least` to `most` whose product is `ranks`, in descending order; returns false if there
// are none. `candidates` has them all.
bool factorise(int ranks, std::span<int> factors, int least, int most, std::span<const int> candidates)
{
    if (factors.empty())
        return ranks == 1;
    if (power(least, factors.size(), ranks) > ranks)
        return false;
    for (const int factor : candidates) {
        if (factor > most)
            break;
        if (ranks % factor != 0 || power(factor, factors.size(), ranks) < ranks)
            continue;
        factors.front() = factor;
        if (factorise(ranks / factor, factors.subspan(1), least, factor, candidates))
            return true;
    }
    return false;
}

// The possible blocks of `ranks` ranks: each side divides the grid's dimension.
void for_each_block(std::span<const int> dims, int ranks, std::vector<int>& block, auto&& use)
{
    const std::size_t dimension = block.size();
    if (dimension == dims.size()) {
        if (ranks == 1)
            use(block);
        return;
    }
    for (const int side : divisors_of(dims[dimension])) {
        if (ranks % side != 0)
            continue;
        block.push_back(side);
        for_each_block(dims, ranks / side, block, use);
        block.pop_back();
    }
}

// Number of neighbours in different blocks, over the whole grid.
int cut_edges(const Grid& grid, std::span<const int> block)
{
    int edges = 0;
    for (std::size_t i = 0; i < block.size(); ++i) {
        const int blocks = grid.dims()[i] / block[i];
        const int cuts = blocks > 1 && grid.periodic()[i] ? blocks : blocks - 1;
        edges += cuts * (grid.size() / grid.dims()[i]);
    }
    return edges;
}

// The sides of the best block; empty if there is none.
std::vector<int> best_block(const Grid& grid, int ranks)
{
    std::vector<int> best;
    std::vector<int> block;
    for_each_block(grid.dims(), ranks, block, [&](const std::vector<int>& found) {
        if (best.empty() || cut_edges(grid, found) < cut_edges(grid, best))
            best = found;
    });
    return best;
}

}  // namespace

Grid::Grid(std::vector<int> dims, std::vector<bool> periodic)
    : dims_(std::move(dims)), periodic_(std::move(periodic))
{
}

std::string Grid::fault_in(std::span<const int> dims, int ranks, std::string_view finder)
{
    std::int64_t product = 1;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (dims[i] < 1)
            return fmt::format("dimension {} has {} ranks; each needs at least one ({} finds dimensions)", i,
                               dims[i], finder);
        product *= dims[i];
        if (product > ranks)
            return fmt::format(
                "a grid of {} has more ranks than the communicator, which has {}; make it "
                "smaller ({} finds dimensions)",
                fmt::join(dims, " x "), ranks, finder);
    }
    return {};
}

int Grid::size() const noexcept
{
    return std::accumulate(dims_.begin(), dims_.end(), 1, std::multiplies<>());
}

std::vector<int> Grid::coordinates(int rank) const
{
    std::vector<int> found(dims_.size());
    for (std::size_t i = dims_.size(); i-- > 0; rank /= dims_[i])
        found[i] = rank % dims_[i];
    return found;
}

int Grid::rank_at(std::span<const int> coordinates) const
{
    int rank = 0;
    for (std::size_t i = 0; i < dims_.size(); ++i) {
        int coordinate = coordinates[i];
        if (coordinate < 0 || coordinate >= dims_[i]) {
            if (!periodic_[i])
                return -1;
            coordinate = (coordinate % dims_[i] + dims_[i]) % dims_[i];
        }
        rank = rank * dims_[i] + coordinate;
    }
    return rank;
}

int Grid::shifted(int rank, std::size_t dimension, std::int64_t displacement) const
{
    std::vector<int> to = coordinates(rank);
    // First reduced to the grid, so that no displacement overflows.
    if (periodic_[dimension])
        displacement %= dims_[dimension];
    else if (displacement <= -dims_[dimension] || displacement >= dims_[dimension])
        return -1;
    to[dimension] += static_cast<int>(displacement);
    return rank_at(to);
}

std::vector<int> Grid::neighbors(int rank) const
{
    std::vector<int> found;
    for (std::size_t dimension = 0; dimension < dims_.size(); ++dimension) {
        found.push_back(shifted(rank, dimension, -1));
        found.push_back(shifted(rank, dimension, 1));
    }
    return found;
}

Grid Grid::reduced_to(const std::vector<bool>& kept) const
{
    std::vector<int> dims;
    std::vector<bool> periodic;
    for (std::size_t i = 0; i < dims_.size(); ++i) {
        if (kept[i]) {
            dims.push_back(dims_[i]);
            periodic.push_back(periodic_[i]);
        }
    }
    return Grid(std::move(dims), std::move(periodic));
}

std::vector<int> places_by_node(const Grid& grid, const NodeMap& nodes)
{
    const std::span<const int> order = nodes.by_node();
    std::vector<int> places(order.size());
    const auto of_a_node = static_cast<int>(nodes.members(0).size());
    const std::vector<int> block = nodes.equal() ? best_block(grid, of_a_node) : std::vector<int>();
    if (block.empty()) {
        for (std::size_t index = 0; index < order.size(); ++index)
            places[static_cast<std::size_t>(order[index])] = static_cast<int>(index);
        return places;
    }
    std::vector<int> blocks(grid.dims());
    for (std::size_t i = 0; i < blocks.size(); ++i)
        blocks[i] /= block[i];
    const Grid of_blocks(std::move(blocks), grid.periodic());
    const Grid of_ranks(block, grid.periodic());
    for (std::size_t index = 0; index < order.size(); ++index) {
        std::vector<int> at = of_blocks.coordinates(static_cast<int>(index) / of_a_node);
        const std::vector<int> within = of_ranks.coordinates(static_cast<int>(index) % of_a_node);
        for (std::size_t i = 0; i < at.size(); ++i)
            at[i] = at[i] * block[i] + within[i];
        places[static_cast<std::size_t>(order[index])] = grid.rank_at(at);
    }
    return places;
}

std::vector<int> balanced_dims(int ranks, int dimensions)
{
    std::vector<int> best(static_cast<std::size_t>(dimensions), 1);
    best.front() = ranks;
    std::vector<int> factors(best.size());
    const std::vector<int> divisors = divisors_of(ranks);
    const std::vector<int> primes = primes_of(ranks);
    // The largest factor is not below the root, nor below the largest prime; without a prime for each factor
    // the least is 1.
    const int largest_prime = primes.empty() ? 1 : primes.back();
    const std::span larger(
        std::ranges::find_if(
            divisors,
            [&](int most) { return most >= largest_prime && power(most, best.size(), ranks) >= ranks; }),
        divisors.end());
    const std::span smaller(divisors.begin(), primes.size() < best.size() ? 1 : divisors.size());
    // Takes the narrowest range that has such factors; of equally narrow ones the highest.
    for (const int least : std::views::reverse(smaller)) {
        if (power(least, best.size(), ranks) > ranks)
            continue;
        const std::span candidates(std::ranges::lower_bound(divisors, least), divisors.end());
        for (const int most : larger) {
            if (most - least >= best.front() - best.back())
                break;
            if (!factorise(ranks, factors, least, most, candidates))
                continue;
            best = factors;
            break;
        }
    }
    return best;
}

}  // namespace tutti::collectives
