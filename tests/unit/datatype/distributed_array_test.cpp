// A rank's part of a distributed array, against the rule that says whose each element is.
#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <vector>

#include "lib/foundation/datatype/build.hpp"
#include "lib/foundation/datatype/transfer.hpp"
#include "tutti/error.hpp"

namespace {

using namespace tutti::datatype;
using tutti::DataType;
using Dimensions = std::vector<DistributedDimension>;

bool is_of(const DistributedDimension& dimension, std::size_t process, std::size_t index)
{
    const auto& [size, distribution, block, processes] = dimension;
    const std::size_t length = block != 0                            ? block
                               : distribution == Distribution::block ? (size + processes - 1) / processes
                                                                     : 1;
    return distribution == Distribution::none || index / length % processes == process;
}

// The numbers of the place's elements, in the order of memory.
std::vector<std::int32_t> elements_of(const Dimensions& dimensions, std::size_t place, Order order)
{
    std::size_t all = 1;
    std::vector<std::size_t> processes(dimensions.size());
    for (std::size_t i = dimensions.size(); i-- > 0;) {
        processes[i] = place % dimensions[i].processes;
        place /= dimensions[i].processes;
        all *= dimensions[i].size;
    }
    std::vector<std::int32_t> found;
    for (std::size_t element = 0; element < all; ++element) {
        bool mine = true;
        std::size_t rest = element;
        for (std::size_t turn = 0; turn < dimensions.size(); ++turn) {
            const std::size_t i = order == Order::fortran ? turn : dimensions.size() - 1 - turn;
            mine = mine && is_of(dimensions[i], processes[i], rest % dimensions[i].size);
            rest /= dimensions[i].size;
        }
        if (mine)
            found.push_back(static_cast<std::int32_t>(element));
    }
    return found;
}

void check_refused(const Dimensions& dimensions, std::size_t place)
{
    const TypemapRef number = basic(DataType::int32);
    CHECK_THROWS_AS(distributed_array(dimensions, place, Order::c, *number), tutti::Error);
}

}  // namespace

TEST_CASE("a distributed array: every place has its elements, in the bounds of the whole")
{
    using enum Distribution;
    const Order order = GENERATE(Order::c, Order::fortran);
    const Dimensions dimensions = GENERATE(
        Dimensions{{10, block, 0, 3}}, Dimensions{{10, cyclic, 0, 3}}, Dimensions{{10, cyclic, 4, 2}},
        Dimensions{{10, block, 6, 3}}, Dimensions{{2, block, 0, 4}}, Dimensions{{7, none, 0, 1}},
        Dimensions{{5, block, 0, 2}, {7, cyclic, 2, 3}}, Dimensions{{4, cyclic, 0, 2}, {3, none, 0, 1}},
        Dimensions{{3, none, 0, 1}, {8, block, 3, 3}, {5, cyclic, 2, 2}}, Dimensions{{0, block, 0, 2}});
    std::size_t all = 1;
    std::size_t places = 1;
    for (const DistributedDimension& dimension : dimensions) {
        all *= dimension.size;
        places *= dimension.processes;
    }
    std::vector<std::int32_t> memory(2 * all);
    std::iota(memory.begin(), memory.end(), 0);
    const TypemapRef number = basic(DataType::int32);
    for (std::size_t place = 0; place < places; ++place) {
        CAPTURE(static_cast<int>(order), dimensions.size(), all, place);
        const TypemapRef part = distributed_array(dimensions, place, order, *number);
        std::vector<std::int32_t> expected = elements_of(dimensions, place, order);
        CHECK(part->lower_bound() == 0);
        CHECK(part->extent_bytes() == static_cast<std::ptrdiff_t>(4 * all));
        REQUIRE(part->size_bytes() == 4 * expected.size());
        CHECK(part->signature().elements == expected.size());
        if (!expected.empty()) {
            CHECK(part->true_lower_bound() == 4 * expected.front());
            CHECK(part->true_extent_bytes() == 4 * (expected.back() - expected.front() + 1));
        }
        // Two arrays, one behind the other.
        const std::size_t one = expected.size();
        for (std::size_t i = 0; i < one; ++i)
            expected.push_back(expected[i] + static_cast<std::int32_t>(all));
        std::vector<std::int32_t> packed(expected.size());
        pack(*part, 2, reinterpret_cast<const std::byte*>(memory.data()), 0,
             std::as_writable_bytes(std::span(packed)));
        CHECK(packed == expected);
    }
}

TEST_CASE("a large array in blocks takes little memory")
{
    const TypemapRef number = basic(DataType::float64);
    const DistributedDimension row{std::size_t{1} << 28, Distribution::block, 0, 4};
    const std::array rows{row, row};
    const TypemapRef part = distributed_array(rows, 5, Order::c, *number);
    CHECK(part->size_bytes() == std::size_t{8} << 52);
    CHECK(part->placed().shape->levels == 1);
}

TEST_CASE("arrays that cannot be distributed")
{
    using enum Distribution;
    check_refused({{10, none, 0, 2}}, 0);
    check_refused({{10, block, 3, 3}}, 0);
    check_refused({{10, block, 0, 0}}, 0);
    check_refused({{10, block, 0, 2}, {10, cyclic, 0, 3}}, 6);
}
