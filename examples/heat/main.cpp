// Heat in a plate: a five-point stencil in two dimensions. Every rank has a rectangle of the plate's cells,
// and needs in each step the outermost cells of its four neighbours.
//
//     tuttirun -n 4 heat [--rows N] [--columns N] [--steps N]
//
// Runs twice, fetching the neighbours' cells before computing, and while computing the cells that do not need
// them; prints the times of both, how much of the exchange was hidden, and whether the temperatures are
// bitwise those that one rank computes alone.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "../command_line.hpp"
#include "plate.hpp"

namespace {

constexpr std::size_t kMostCells = 100'000'000;

struct Options {
    std::size_t rows = 1000;
    std::size_t columns = 1000;
    int steps = 100;
};

struct Run {
    double seconds;  // the slowest rank's, as the others
    double compute_seconds;
    double exchange_seconds;
    std::vector<double> temperatures;  // of the whole plate, at rank 0
};

// The plate's cells at rank 0, whose order there is that of ranks, put into rows.
std::vector<double> in_rows(const tutti::CartesianCommunicator& grid, const Options& options,
                            const std::vector<double>& by_rank)
{
    std::vector<double> plate(options.rows * options.columns);
    auto next = by_rank.begin();
    for (int rank = 0; rank < grid.size() && !by_rank.empty(); ++rank) {
        const std::vector<int> place = grid.coordinates(rank);
        const heat::Part rows = heat::part_of(options.rows, grid.dims()[0], place[0]);
        const heat::Part columns = heat::part_of(options.columns, grid.dims()[1], place[1]);
        for (std::size_t row = rows.first; row < rows.first + rows.count; ++row) {
            std::copy_n(next, columns.count,
                        plate.begin() + static_cast<std::ptrdiff_t>(row * options.columns + columns.first));
            next += static_cast<std::ptrdiff_t>(columns.count);
        }
    }
    return plate;
}

std::vector<double> gathered(const tutti::CartesianCommunicator& grid, const Options& options,
                             heat::Plate& plate)
{
    std::vector<std::size_t> counts;
    for (int rank = 0; rank < grid.size(); ++rank) {
        const std::vector<int> place = grid.coordinates(rank);
        counts.push_back(heat::part_of(options.rows, grid.dims()[0], place[0]).count *
                         heat::part_of(options.columns, grid.dims()[1], place[1]).count);
    }
    std::vector<double> by_rank(grid.rank() == 0 ? options.rows * options.columns : 0);
    grid.gatherv(plate.own_cells(), by_rank, counts);
    return in_rows(grid, options, by_rank);
}

Run run(const tutti::CartesianCommunicator& grid, const Options& options, heat::When when)
{
    heat::Plate plate(grid, options.rows, options.columns);
    grid.barrier();
    for (int step = 0; step < options.steps; ++step)
        plate.step(when);
    Run result{plate.compute_seconds() + plate.exchange_seconds(), plate.compute_seconds(),
               plate.exchange_seconds(), gathered(grid, options, plate)};
    for (double* const seconds : {&result.seconds, &result.compute_seconds, &result.exchange_seconds})
        *seconds = tutti::allreduce(grid, *seconds, tutti::max);
    return result;
}

void print(const char* name, const Run& result)
{
    fmt::print("{:32} {:10.4f} {:10.4f} {:10.4f}\n", name, result.seconds, result.compute_seconds,
               result.exchange_seconds);
}

// Prints the outcome; true when all is as it should be. At rank 0.
bool judge(const tutti::CartesianCommunicator& grid, const Run& before, const Run& beside,
           const std::vector<double>& alone)
{
    print("exchange, then computing", before);
    print("exchange beside computing", beside);
    if (grid.size() > 1)
        fmt::print("{:.0f} % of the exchange hidden: {:.4f} s of {:.4f} s remain\n",
                   100 * std::max(0.0, 1 - beside.exchange_seconds / before.exchange_seconds),
                   beside.exchange_seconds, before.exchange_seconds);
    const bool equal = before.temperatures == alone && beside.temperatures == alone;
    fmt::print("the temperatures {} those that one rank computes\n",
               equal ? "are bitwise equal to" : "DIFFER FROM");
    return equal;
}

}  // namespace

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    const bool speaker = world.rank() == 0;

    Options options;
    example::CommandLine line("Heat in a plate, with its cells dealt to ranks in two dimensions");
    line.number("--rows", options.rows, 1, kMostCells, "cells from top to bottom");
    line.number("--columns", options.columns, 1, kMostCells, "cells from left to right");
    line.number("--steps", options.steps, 1, 1'000'000, "steps of time");
    const std::vector<int> dims = tutti::balanced_dims(world.size(), 2);
    line.check("--rows, --columns", [&]() -> std::string {
        if (options.rows < static_cast<std::size_t>(dims[0]) ||
            options.columns < static_cast<std::size_t>(dims[1]))
            return fmt::format("{} ranks in a grid of {} x {} need a cell each", world.size(), dims[0],
                               dims[1]);
        if (options.rows * options.columns > kMostCells)
            return fmt::format(
                "{} cells are too many for the comparison with one rank; {} at most, which take 1.6 GB",
                options.rows * options.columns, kMostCells);
        return {};
    });
    if (const auto status = line.read(argc, argv, world))
        return *status;

    const tutti::CartesianCommunicator grid = *world.create_cartesian(dims);
    if (speaker)
        fmt::print(
            "{} x {} cells, {} steps, {} rank{} in a grid of {} x {}; seconds of the slowest rank\n"
            "{:32} {:>10} {:>10} {:>10}\n",
            options.rows, options.columns, options.steps, grid.size(), grid.size() == 1 ? "" : "s",
            grid.dims()[0], grid.dims()[1], "", "all", "computing", "exchange");
    // The first exchange connects neighbours: outside of the times.
    heat::Plate(grid, options.rows, options.columns).step(heat::When::before_computing);
    const Run before = run(grid, options, heat::When::before_computing);
    const Run beside = run(grid, options, heat::When::beside_computing);

    // Ranks of a communicator of their own work alone.
    int good = 1;
    if (speaker) {
        const tutti::CartesianCommunicator one = *environment.self().create_cartesian({1, 1});
        const Run alone = run(one, options, heat::When::before_computing);
        good = judge(grid, before, beside, alone.temperatures) ? 1 : 0;
    }
    return tutti::broadcast(world, good) == 1 ? 0 : 1;
}
