#include "benchmarks/suite/library/neighborhood.hpp"

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

namespace tutti::bench {

namespace {

// Steps to the next offset, if any: all dimensions count from -radius to radius, the last one fastest.
bool advance(std::vector<int>& displacement, int radius)
{
    for (auto one = displacement.rbegin(); one != displacement.rend(); ++one) {
        if (++*one <= radius)
            return true;
        *one = -radius;
    }
    return false;
}

// Writes factors up to `most` whose product is `ranks`, descending, each as small as possible; false if there
// are none.
bool factorise(int ranks, std::span<int> factors, int most)
{
    if (factors.empty())
        return ranks == 1;
    for (int factor = 1; factor <= std::min(ranks, most); ++factor) {
        factors.front() = factor;
        if (ranks % factor == 0 && factorise(ranks / factor, factors.subspan(1), factor))
            return true;
    }
    return false;
}

std::vector<int> around(const std::vector<int>& dims, int rank, int radius)
{
    std::vector<int> displacement(dims.size(), -radius);
    std::vector<int> found;
    do {
        if (std::ranges::all_of(displacement, [](int one) { return one == 0; }))
            continue;
        int other = 0;
        int stride = 1;
        for (std::size_t i = dims.size(); i-- > 0; stride *= dims[i]) {
            const int place = (rank / stride + displacement[i]) % dims[i];
            other += stride * ((place + dims[i]) % dims[i]);
        }
        found.push_back(other);
    } while (advance(displacement, radius));
    return found;
}

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlanks = " \t\r";
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// The rank in a text that is only a number.
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
    std::vector<int> dims(static_cast<std::size_t>(dimensions));
    factorise(ranks, dims, ranks);
    const bool ring = dimensions == 1 && radius == 1;
    if (!ring && radius > (*std::ranges::min_element(dims) - 1) / 2)
        throw UnsuitableJob(fmt::format(
            "-N cart:{}:{}: this job's grid is {}, and neighbours within {} need {:.0f} ranks in "
            "each dimension: start it with -n {:.0f}, or choose fewer dimensions or a smaller radius",
            dimensions, radius, fmt::join(dims, " x "), radius, 2.0 * radius + 1.0,
            std::pow(2.0 * radius + 1.0, dimensions)));
    Neighborhood neighborhood;
    for (int rank = 0; rank < ranks; ++rank) {
        NeighborRanks neighbors{around(dims, rank, radius), {}};
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
        text.error = EIO;  // opening a folder succeeds, reading it fails
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
