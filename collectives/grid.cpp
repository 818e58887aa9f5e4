#include "collectives/grid.hpp"

#include <functional>
#include <numeric>
#include <utility>

namespace tutti::collectives {

namespace {

// Ascending.
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

// Writes factors of at most `most` whose product is `ranks`; false where there are none. The first factor
// that works is the smallest, and no later choice can make it smaller.
bool factorise(int ranks, std::span<int> factors, int most, std::span<const int> candidates)
{
    if (factors.empty())
        return ranks == 1;
    for (const int factor : candidates) {
        if (factor > most)
            break;
        if (ranks % factor != 0)
            continue;
        factors.front() = factor;
        if (factorise(ranks / factor, factors.subspan(1), factor, candidates))
            return true;
    }
    return false;
}

}  // namespace

Grid::Grid(std::vector<int> dims, std::vector<bool> periodic)
    : dims_(std::move(dims)), periodic_(std::move(periodic))
{
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

int Grid::shifted(int rank, std::size_t dimension, int displacement) const
{
    std::vector<int> to = coordinates(rank);
    // Within the grid first, so that no displacement overflows.
    if (periodic_[dimension])
        displacement %= dims_[dimension];
    else if (displacement <= -dims_[dimension] || displacement >= dims_[dimension])
        return -1;
    to[dimension] += displacement;
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

std::vector<int> balanced_dims(int ranks, int dimensions)
{
    std::vector<int> factors(static_cast<std::size_t>(dimensions), 1);
    factorise(ranks, factors, ranks, divisors_of(ranks));
    return factors;
}

}  // namespace tutti::collectives
