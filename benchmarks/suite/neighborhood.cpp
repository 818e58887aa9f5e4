#include "benchmarks/suite/neighborhood.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

#include "collectives/grid.hpp"

namespace tutti::bench {

namespace {

// The next one, if any: all dimensions count from -radius to radius, the last one fastest.
bool advance(std::vector<int>& displacement, int radius)
{
    for (auto one = displacement.rbegin(); one != displacement.rend(); ++one) {
        if (++*one <= radius)
            return true;
        *one = -radius;
    }
    return false;
}

std::vector<int> around(const collectives::Grid& grid, int rank, int radius)
{
    const std::vector<int> place = grid.coordinates(rank);
    std::vector<int> displacement(place.size(), -radius);
    std::vector<int> found;
    do {
        if (std::ranges::all_of(displacement, [](int one) { return one == 0; }))
            continue;
        std::vector<int> other = place;
        for (std::size_t i = 0; i < other.size(); ++i)
            other[i] += displacement[i];
        found.push_back(grid.rank_at(other));
    } while (advance(displacement, radius));
    return found;
}

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlanks = " \t\r";
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// A number and nothing else.
std::optional<int> rank_in(std::string_view text)
{
    text = trimmed(text);
    int rank = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
    if (error != std::errc{} || end != text.data() + text.size() || rank < 0)
        return std::nullopt;
    return rank;
}

}  // namespace

Neighborhood grid_neighborhood(int ranks, int dimensions, int radius)
{
    const std::vector<int> dims = collectives::balanced_dims(ranks, dimensions);
    const bool ring = dimensions == 1 && radius == 1;
    if (!ring && radius > (*std::ranges::min_element(dims) - 1) / 2)
        throw UnsuitableJob(fmt::format(
            "-N cart:{}:{}: this job's grid is {}, and neighbours within {} need {:.0f} ranks in "
            "each dimension: start it with -n {:.0f}, or choose fewer dimensions or a smaller radius",
            dimensions, radius, fmt::join(dims, " x "), radius, 2.0 * radius + 1.0,
            std::pow(2.0 * radius + 1.0, dimensions)));
    const collectives::Grid grid(dims, std::vector<bool>(dims.size(), true));
    Neighborhood neighborhood;
    for (int rank = 0; rank < ranks; ++rank) {
        NeighborRanks neighbors{around(grid, rank, radius), {}};
        neighbors.destinations = neighbors.sources;
        neighborhood.push_back(std::move(neighbors));
    }
    return neighborhood;
}

FileText read_text(const std::string& file)
{
    std::ifstream stream(file);
    if (!stream)
        return {{}, errno};
    FileText text;
    std::getline(stream, text.content, '\0');
    if (stream.bad())
        text.error = EIO;  // a folder opens, and cannot be read
    return text;
}

Neighborhood graph_neighborhood(const FileText& text, int ranks, const std::string& file)
{
    if (text.error != 0)
        throw UnsuitableJob(
            fmt::format("-N graph:{}: the file cannot be read: {}", file, std::strerror(text.error)));
    Neighborhood neighborhood(static_cast<std::size_t>(ranks));
    int number = 0;
    for (std::string_view rest = text.content; !rest.empty();) {
        std::string_view line = trimmed(rest.substr(0, rest.find('\n')));
        rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
        ++number;
        if (line.empty() || line.front() == '#')
            continue;
        const std::size_t comma = std::min(line.find(','), line.size() - 1);
        const std::optional<int> source = rank_in(line.substr(0, comma));
        const std::optional<int> destination = rank_in(line.substr(comma + 1));
        if (!source || !destination)
            throw UnsuitableJob(fmt::format("-N graph:{}: line {}: '{}' is no edge: write for example 0, 1",
                                            file, number, line));
        if (std::max(*source, *destination) >= ranks)
            throw UnsuitableJob(fmt::format(
                "-N graph:{}: line {}: there is no rank {} in a job of {}: start "
                "it with -n {} or more",
                file, number, std::max(*source, *destination), ranks, std::max(*source, *destination) + 1));
        neighborhood[static_cast<std::size_t>(*source)].destinations.push_back(*destination);
        neighborhood[static_cast<std::size_t>(*destination)].sources.push_back(*source);
    }
    if (most_neighbors(neighborhood) == 0)
        throw UnsuitableJob(fmt::format(
            "-N graph:{}: there is no edge in the file: write a line 'SOURCE, DESTINATION' for each", file));
    return neighborhood;
}

std::string description_of(const NeighborhoodChoice& choice, const Neighborhood& neighborhood)
{
    const std::string shape = choice.graph_file.empty()
                                  ? fmt::format("cart:{}:{}", choice.dimensions, choice.radius)
                                  : fmt::format("graph:{}", choice.graph_file);
    return fmt::format("[ neighborhood: {} ] [ neighbors: {} ]", shape, most_neighbors(neighborhood));
}

std::size_t most_neighbors(const Neighborhood& neighborhood)
{
    std::size_t most = 0;
    for (const NeighborRanks& rank : neighborhood)
        most = std::max({most, rank.sources.size(), rank.destinations.size()});
    return most;
}

}  // namespace tutti::bench
