// A rank's part of an array that is distributed over a grid of ranks (MPI's darray).
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "lib/foundation/datatype/arithmetic.hpp"
#include "lib/foundation/datatype/build.hpp"
#include "tutti/error.hpp"

namespace tutti::datatype {

namespace {

[[noreturn]] void refuse_distribution(std::string_view why)
{
    throw Error(ErrorCode::invalid_argument, "layout", why);
}

std::size_t block_of(const DistributedDimension& dimension)
{
    const auto& [size, distribution, block, processes] = dimension;
    if (processes == 0)
        refuse_distribution("a dimension of a distributed array has no processes; give at least one");
    if (distribution == Distribution::none) {
        if (processes != 1)
            refuse_distribution(
                fmt::format("a dimension that is not distributed has {} processes; give one, "
                            "or distribute it",
                            processes));
        return std::max<std::size_t>(size, 1);
    }
    if (block != 0) {
        if (distribution == Distribution::block && size_product(block, processes) < size)
            refuse_distribution(
                fmt::format("{} blocks of {} elements do not hold a dimension of {}; make the "
                            "blocks longer",
                            processes, block, size));
        return block;
    }
    return distribution == Distribution::cyclic
               ? 1
               : std::max<std::size_t>((size + processes - 1) / processes, 1);
}

// The elements of this dimension that the process has. `line` is one of them, with the distance of the next
// as its extent.
TypemapRef part_of(const DistributedDimension& dimension, std::size_t process, const Typemap& line)
{
    const std::size_t length = block_of(dimension);
    std::vector<Block> blocks;
    if (process < (dimension.size + length - 1) / length)
        for (std::size_t first = process * length; first < dimension.size;) {
            blocks.push_back({product(first, line.extent_bytes()), std::min(length, dimension.size - first)});
            const std::size_t turn = size_product(length, dimension.processes);
            if (turn >= dimension.size - first)
                break;
            first += turn;
        }
    return hindexed(std::move(blocks), line);
}

}  // namespace

TypemapRef distributed_array(std::span<const DistributedDimension> dimensions, std::size_t place, Order order,
                             const Typemap& of)
{
    std::size_t places = 1;
    std::vector<std::size_t> processes(dimensions.size());
    for (std::size_t i = dimensions.size(); i-- > 0;) {
        block_of(dimensions[i]);  // checks it
        processes[i] = place / places % dimensions[i].processes;
        places = size_product(places, dimensions[i].processes);
    }
    if (place >= places)
        refuse_distribution(fmt::format("there is no place {} in a grid of {} processes", place, places));

    TypemapRef part(&of);
    std::ptrdiff_t stride_bytes = of.extent_bytes();
    for (std::size_t turn = 0; turn < dimensions.size(); ++turn) {
        const std::size_t i = order == Order::fortran ? turn : dimensions.size() - 1 - turn;
        part = resized(0, stride_bytes, *part);
        part = part_of(dimensions[i], processes[i], *part);
        stride_bytes = product(dimensions[i].size, stride_bytes);
    }
    return resized(0, stride_bytes, *part);
}

}  // namespace tutti::datatype
