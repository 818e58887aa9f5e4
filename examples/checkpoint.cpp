// Checkpoints of a grid whose cells are dealt to the ranks. Each is a file that takes the place of the one before as a
// whole, so a crash leaves the old one or the new one. Then fewer ranks read it, and check what they find.
//
//     tuttirun -n 4 build/examples/checkpoint /tmp/grid
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <tutti/tutti.hpp>
#include <vector>

namespace {

constexpr std::array<std::size_t, 2> kSizes = {600, 450};  // rows and columns of the grid

// A rectangle of the grid, in the memory of a rank.
struct Part {
    std::array<std::size_t, 2> sizes;
    std::array<std::size_t, 2> starts;
    std::vector<double> cells;

    tutti::Layout in_file() const
    {
        return tutti::Layout::subarray(kSizes, sizes, starts, sizeof(double));
    }
};

// The ranks stand in rows and columns, as square as their number allows.
Part part_of(const tutti::Communicator& ranks)
{
    const auto count = static_cast<std::size_t>(ranks.size());
    auto rows = static_cast<std::size_t>(std::sqrt(static_cast<double>(count)));
    while (count % rows != 0)
        --rows;
    const std::array<std::size_t, 2> shape = {rows, count / rows};
    const auto rank = static_cast<std::size_t>(ranks.rank());
    const std::array<std::size_t, 2> at = {rank / shape[1], rank % shape[1]};
    Part part;
    for (std::size_t i = 0; i < 2; ++i) {
        part.starts[i] = kSizes[i] * at[i] / shape[i];
        part.sizes[i] = kSizes[i] * (at[i] + 1) / shape[i] - part.starts[i];
    }
    part.cells.resize(part.sizes[0] * part.sizes[1]);
    return part;
}

// What a cell is after a step.
double value_of(std::size_t row, std::size_t column, int step)
{
    return static_cast<double>(row * kSizes[1] + column) + 0.5 * step;
}

template <class Visit>
void for_each_cell(Part& part, Visit&& visit)
{
    for (std::size_t i = 0; i < part.sizes[0]; ++i)
        for (std::size_t j = 0; j < part.sizes[1]; ++j)
            visit(part.cells[i * part.sizes[1] + j], part.starts[0] + i, part.starts[1] + j);
}

void save(const tutti::Communicator& ranks, const std::string& path, const Part& part)
{
    tutti::File::replace(ranks, path, [&](tutti::File& file) {
        file.set_view<double>(0, part.in_file());
        file.write_all(part.cells);
    });
}

// Whether the file has all cells of this rank's part, as they were after `step`.
bool has(const tutti::Communicator& ranks, const std::string& path, int step)
{
    Part part = part_of(ranks);
    tutti::File file(ranks, path, tutti::FileMode::read);
    file.set_view<double>(0, part.in_file());
    bool right = file.read_all(part.cells) == part.cells.size() * sizeof(double);
    file.close();
    for_each_cell(part, [&](double cell, std::size_t row, std::size_t column) {
        right = right && cell == value_of(row, column, step);
    });
    return right;
}

}  // namespace

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    const std::string path = argc > 1 ? argv[1] : "checkpoint.grid";
    constexpr int kSteps = 3;

    Part part = part_of(world);
    for (int step = 1; step <= kSteps; ++step) {
        for_each_cell(part, [&](double& cell, std::size_t row, std::size_t column) {
            cell = value_of(row, column, step);
        });
        save(world, path, part);
    }

    // The file does not know how many ranks have written it.
    const int readers = std::max(1, world.size() - 1);
    const auto group = world.split(world.rank() < readers ? std::optional(0) : std::nullopt);
    bool right = !group || has(*group, path, kSteps);
    right = tutti::allreduce(world, right ? 1 : 0, tutti::min) == 1;
    if (world.rank() == 0) {
        std::printf("%s, written by %d ranks and read by %d: %s\n", path.c_str(), world.size(), readers,
                    right ? "right" : "WRONG");
        tutti::File::remove(path);
    }
    return right ? 0 : 1;
}
