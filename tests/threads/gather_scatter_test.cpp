// gather, gatherv, scatter and scatterv on real ranks.
#include <array>

#include "tests/threads/blocks_support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

// A call in place, blocking and not.
void check_in_place(const std::vector<int>& given, const std::vector<int>& expected, auto&& call,
                    auto&& start)
{
    std::vector<int> data = given;
    call(data);
    expect(data == expected);
    data = given;
    start(data).wait();
    expect(data == expected);
}

}  // namespace

TEST_CASE("gather to every root, in two buffers and in place")
{
    at_all_sizes([](const Communicator& world) {
        for (int root = 0; root < world.size(); ++root) {
            const bool is_root = world.rank() == root;
            for (const std::size_t count : kCounts) {
                const Counts counts = equal(world, count);
                const std::vector<int> in = numbers(world.rank(), root, count);
                const std::vector<int> all = all_numbers(root, counts);
                std::vector<int> out = untouched(is_root ? all.size() : 3);
                world.gather(in, out, {.root = root});
                expect(out == (is_root ? all : untouched(3)));
                std::vector<int> later = untouched(out.size());
                world.igather(in, later, {.root = root}).wait();
                expect(later == out);

                check_in_place(
                    is_root ? only_own(all, world, counts, packed(counts)) : in, is_root ? all : in,
                    [&](std::vector<int>& data) { world.gather(data, {.root = root}); },
                    [&](std::vector<int>& data) { return world.igather(data, {.root = root}); });
            }
        }
    });
}

TEST_CASE("gatherv to every root, packed and with displacements")
{
    at_all_sizes([](const Communicator& world) {
        const Counts counts = counts_of(world);
        const Counts places = backwards(counts);
        const std::size_t size = total(counts) + counts.size() + 1;
        for (int root = 0; root < world.size(); ++root) {
            const bool is_root = world.rank() == root;
            const std::vector<int> in = numbers(world.rank(), root, count_of(world.rank()));
            std::vector<int> out = untouched(is_root ? total(counts) : 0);
            world.gatherv(in, out, is_root ? BlockCounts(counts) : BlockCounts(), {.root = root});
            expect(!is_root || out == all_numbers(root, counts));

            const std::vector<int> all = all_numbers(root, counts, places, size);
            check_in_place(
                is_root ? only_own(all, world, counts, places) : in, is_root ? all : in,
                [&](std::vector<int>& data) {
                    world.gatherv(data, {counts, places}, {.root = root});
                },
                [&](std::vector<int>& data) {
                    return world.igatherv(data, {counts, places}, {.root = root});
                });
            std::vector<int> later = untouched(size);
            world.igatherv(in, later, {counts, places}, {.root = root}).wait();
            expect(later == (is_root ? all : untouched(size)));
        }
    });
}

TEST_CASE("scatter from every root, in two buffers and in place")
{
    at_all_sizes([](const Communicator& world) {
        for (int root = 0; root < world.size(); ++root) {
            const bool is_root = world.rank() == root;
            for (const std::size_t count : kCounts) {
                const std::vector<int> all = all_numbers(root, equal(world, count));
                const std::vector<int> in = is_root ? all : std::vector<int>();
                const std::vector<int> expected = numbers(world.rank(), root, count);
                std::vector<int> out = untouched(count);
                world.scatter(in, out, {.root = root});
                expect(out == expected);
                std::vector<int> later = untouched(count);
                world.iscatter(in, later, {.root = root}).wait();
                expect(later == expected);

                check_in_place(
                    is_root ? all : untouched(count), is_root ? all : expected,
                    [&](std::vector<int>& data) { world.scatter(data, {.root = root}); },
                    [&](std::vector<int>& data) { return world.iscatter(data, {.root = root}); });
            }
        }
    });
}

TEST_CASE("scatterv from every root, packed, with displacements, and of blocks that overlap")
{
    at_all_sizes([](const Communicator& world) {
        const Counts counts = counts_of(world);
        const Counts places = backwards(counts);
        const std::size_t size = total(counts) + counts.size() + 1;
        for (int root = 0; root < world.size(); ++root) {
            const bool is_root = world.rank() == root;
            const std::vector<int> expected = numbers(world.rank(), root, count_of(world.rank()));
            std::vector<int> out = untouched(expected.size());
            world.scatterv(all_numbers(root, counts), counts, out, {.root = root});
            expect(out == expected);

            const std::vector<int> all = all_numbers(root, counts, places, size);
            check_in_place(
                is_root ? all : untouched(expected.size()), is_root ? all : expected,
                [&](std::vector<int>& data) {
                    world.scatterv(data, {counts, places}, {.root = root});
                },
                [&](std::vector<int>& data) {
                    return world.iscatterv(data, {counts, places}, {.root = root});
                });
            std::vector<int> later = untouched(expected.size());
            world.iscatterv(all, {counts, places}, later, {.root = root}).wait();
            expect(later == expected);

            const Counts same(counts.size(), 2);
            std::array<int, 2> pair{};
            world.scatterv(std::array<int, 3>{4, 5, 6}, {same, Counts(counts.size(), 1)}, pair,
                           {.root = root});
            expect(pair == std::array<int, 2>{5, 6});
        }
    });
}
