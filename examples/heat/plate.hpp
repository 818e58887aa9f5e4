// The part of a heated plate that a rank has, with a rim of its neighbours' cells around it.
#pragma once

#include <cstddef>
#include <tutti/tutti.hpp>
#include <vector>

namespace heat {

/// How the cells of one dimension are dealt to ranks.
struct Part {
    std::size_t first;
    std::size_t count;
};

/// The part of the `index`'th of `ranks` ranks; parts differ by at most one cell.
Part part_of(std::size_t cells, int ranks, int index);

/// Cells in rows and columns, one more all around (the rim): row 0 and column 0 are of it.
class Cells {
public:
    Cells(std::size_t rows, std::size_t columns)
        : rows_(rows), columns_(columns), values_((rows + 2) * (columns + 2))
    {
    }

    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }
    std::size_t stride() const { return columns_ + 2; }
    double* at(std::size_t row, std::size_t column) { return &values_[row * stride() + column]; }
    const double* at(std::size_t row, std::size_t column) const { return &values_[row * stride() + column]; }

private:
    std::size_t rows_;
    std::size_t columns_;
    std::vector<double> values_;
};

/// When the neighbours' cells are fetched in a step.
enum class When { before_computing, beside_computing };

class Plate {
public:
    /// The part of this rank in a plate of `rows` by `columns` cells, at its first temperatures. Around the
    /// plate lies a frame of fixed temperature, hot above.
    Plate(const tutti::CartesianCommunicator& grid, std::size_t rows, std::size_t columns);

    /// The next temperatures of all cells. Called by all ranks.
    void step(When when);

    /// Without the rim.
    tutti::LayoutView<double> own_cells();
    /// In step() so far.
    double compute_seconds() const { return compute_seconds_; }
    double exchange_seconds() const { return exchange_seconds_; }

private:
    struct Area {
        std::size_t first_row, end_row, first_column, end_column;
    };
    void compute(const Area& area);
    void compute_inside();
    void compute_edges();

    Cells cells_[2];
    int now_ = 0;  // which of both the temperatures are in
    tutti::PersistentRequest exchange_[2];
    double compute_seconds_ = 0;
    double exchange_seconds_ = 0;
};

}  // namespace heat
