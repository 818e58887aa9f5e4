#include "plate.hpp"

#include <array>
#include <chrono>

namespace heat {

namespace {

constexpr double kHot = 100;
constexpr double kConduction = 0.2;

// Adds the time of its life to a sum.
class Timer {
public:
    explicit Timer(double& seconds) : seconds_(seconds), start_(Clock::now()) {}
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    ~Timer() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }

private:
    using Clock = std::chrono::steady_clock;
    double& seconds_;
    Clock::time_point start_;
};

// Four lines of cells as one message buffer: a row above, one below, a column left and one right.
tutti::LayoutView<double> lines(Cells& cells, std::size_t above, std::size_t below, std::size_t left,
                                std::size_t right)
{
    std::vector<std::ptrdiff_t> offsets;
    std::vector<std::size_t> lengths;
    const auto add = [&](std::size_t row, std::size_t column, std::size_t length) {
        offsets.push_back(static_cast<std::ptrdiff_t>(row * cells.stride() + column));
        lengths.push_back(length);
    };
    add(above, 1, cells.columns());
    add(below, 1, cells.columns());
    for (const std::size_t column : {left, right}) {
        for (std::size_t row = 1; row <= cells.rows(); ++row)
            add(row, column, 1);
    }
    return tutti::indexed(cells.at(0, 0), offsets, lengths);
}

// The outermost of the own cells go to the neighbours, and theirs come into the rim.
tutti::PersistentRequest exchange_of(const tutti::CartesianCommunicator& grid, Cells& cells)
{
    tutti::LayoutView<double> edges = lines(cells, 1, cells.rows(), 1, cells.columns());
    tutti::LayoutView<double> rim = lines(cells, 0, cells.rows() + 1, 0, cells.columns() + 1);
    const std::array counts{cells.columns(), cells.columns(), cells.rows(), cells.rows()};
    return grid.neighbor_alltoallv_init(edges, counts, rim, counts);
}

Cells cells_of(const tutti::CartesianCommunicator& grid, std::size_t rows, std::size_t columns)
{
    const std::vector<int> place = grid.coordinates();
    const Part own_rows = part_of(rows, grid.dims()[0], place[0]);
    const Part own_columns = part_of(columns, grid.dims()[1], place[1]);
    Cells cells(own_rows.count, own_columns.count);
    for (std::size_t row = 1; row <= cells.rows(); ++row) {
        for (std::size_t column = 1; column <= cells.columns(); ++column)
            *cells.at(row, column) =
                static_cast<double>(((own_rows.first + row) * 31 + (own_columns.first + column) * 17) % 101);
    }
    // The rim is the frame where there is no neighbour; elsewhere the first exchange overwrites it.
    for (std::size_t column = 0; column < cells.stride() && place[0] == 0; ++column)
        *cells.at(0, column) = kHot;
    return cells;
}

}  // namespace

Part part_of(std::size_t cells, int ranks, int index)
{
    const auto first = [&](int rank) {
        return cells * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks);
    };
    return {first(index), first(index + 1) - first(index)};
}

Plate::Plate(const tutti::CartesianCommunicator& grid, std::size_t rows, std::size_t columns)
    : cells_{cells_of(grid, rows, columns), cells_of(grid, rows, columns)},
      exchange_{exchange_of(grid, cells_[0]), exchange_of(grid, cells_[1])}
{
}

void Plate::step(When when)
{
    tutti::PersistentRequest& exchange = exchange_[now_];
    {
        const Timer timer(exchange_seconds_);
        exchange.start();
        if (when == When::before_computing)
            exchange.wait();
    }
    {
        const Timer timer(compute_seconds_);
        compute_inside();
    }
    {
        const Timer timer(exchange_seconds_);
        exchange.wait();
    }
    {
        const Timer timer(compute_seconds_);
        compute_edges();
    }
    now_ = 1 - now_;
}

tutti::LayoutView<double> Plate::own_cells()
{
    Cells& cells = cells_[now_];
    return tutti::strided(cells.at(1, 1), cells.rows(), cells.columns(),
                          static_cast<std::ptrdiff_t>(cells.stride()));
}

// What can be computed without the neighbours.
void Plate::compute_inside()
{
    const Cells& cells = cells_[now_];
    compute({2, cells.rows(), 2, cells.columns()});
}

void Plate::compute_edges()
{
    const std::size_t rows = cells_[now_].rows();
    const std::size_t columns = cells_[now_].columns();
    compute({1, 2, 1, columns + 1});
    compute({rows, rows + 1, 1, columns + 1});
    compute({2, rows, 1, 2});
    compute({2, rows, columns, columns + 1});
}

// The five-point stencil. Each cell takes the same operations in the same order, however the plate is cut.
void Plate::compute(const Area& area)
{
    const Cells& from = cells_[now_];
    Cells& to = cells_[1 - now_];
    for (std::size_t row = area.first_row; row < area.end_row; ++row) {
        const double* const above = from.at(row - 1, 0);
        const double* const here = from.at(row, 0);
        const double* const below = from.at(row + 1, 0);
        double* const next = to.at(row, 0);
        for (std::size_t column = area.first_column; column < area.end_column; ++column)
            next[column] = here[column] + kConduction * (above[column] + below[column] + here[column - 1] +
                                                         here[column + 1] - 4 * here[column]);
    }
}

}  // namespace heat
