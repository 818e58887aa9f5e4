// The collectives that move blocks, on real ranks: values, blocking and not, and refused arguments.
#include <array>
#include <numeric>

#include "tests/threads/support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

using Counts = std::vector<std::size_t>;

const std::size_t kCounts[] = {0, 1, 7, 1000, 20'001};

// Some ranks have nothing, one has much.
std::size_t count_of(int rank)
{
    return rank == 1 ? 5000 : static_cast<std::size_t>(rank) * 3 % 7;
}

Counts counts_of(const Communicator& world)
{
    Counts counts;
    for (int rank = 0; rank < world.size(); ++rank)
        counts.push_back(count_of(rank));
    return counts;
}

std::size_t total(const Counts& counts)
{
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

// The last rank's block first, with an element of nobody's before each block.
Counts backwards(const Counts& counts)
{
    Counts displacements(counts.size());
    std::size_t next = 0;
    for (std::size_t i = counts.size(); i-- > 0;) {
        displacements[i] = ++next;
        next += counts[i];
    }
    return displacements;
}

constexpr int kUntouched = -1;

std::vector<int> untouched(std::size_t count)
{
    return std::vector<int>(count, kUntouched);
}

// The numbers of all ranks, at their places in `count` elements.
std::vector<int> all_numbers(int message, const Counts& counts, const Counts& displacements,
                             std::size_t count)
{
    std::vector<int> all = untouched(count);
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
        const std::vector<int> block = numbers(static_cast<int>(rank), message, counts[rank]);
        std::copy(block.begin(), block.end(), all.begin() + static_cast<std::ptrdiff_t>(displacements[rank]));
    }
    return all;
}

Counts packed(const Counts& counts)
{
    Counts displacements(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), displacements.begin(), std::size_t{0});
    return displacements;
}

std::vector<int> all_numbers(int message, const Counts& counts)
{
    return all_numbers(message, counts, packed(counts), total(counts));
}

Counts equal(const Communicator& world, std::size_t count)
{
    return Counts(static_cast<std::size_t>(world.size()), count);
}

// `all` with only the block of this rank in it.
std::vector<int> only_own(std::vector<int> all, const Communicator& world, const Counts& counts,
                          const Counts& displacements)
{
    const auto rank = static_cast<std::size_t>(world.rank());
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i < displacements[rank] || i >= displacements[rank] + counts[rank])
            all[i] = kUntouched;
    }
    return all;
}

}  // namespace

TEST_CASE("allgather, in two buffers and in place")
{
    at_all_sizes([](const Communicator& world) {
        for (const std::size_t count : kCounts) {
            const Counts counts = equal(world, count);
            const std::vector<int> in = numbers(world.rank(), 1, count);
            std::vector<int> out = untouched(total(counts));
            world.allgather(in, out);
            expect(out == all_numbers(1, counts));
            std::vector<int> later = untouched(total(counts));
            world.iallgather(in, later).wait();
            expect(later == out);

            std::vector<int> data = only_own(out, world, counts, packed(counts));
            world.allgather(data);
            expect(data == out);
            data = only_own(out, world, counts, packed(counts));
            world.iallgather(data).wait();
            expect(data == out);
        }
        std::vector<int> ranks(static_cast<std::size_t>(world.size()));
        world.allgather(world.rank(), ranks);
        for (int rank = 0; rank < world.size(); ++rank)
            expect(ranks[static_cast<std::size_t>(rank)] == rank);
        std::vector<std::array<short, 3>> triples(ranks.size());
        const short own = static_cast<short>(world.rank());
        world.allgather(std::array<short, 3>{own, 7, own}, triples);
        expect(triples.back() == std::array<short, 3>{static_cast<short>(world.size() - 1), 7,
                                                      static_cast<short>(world.size() - 1)});
    });
}

TEST_CASE("allgatherv, packed and with displacements")
{
    at_all_sizes([](const Communicator& world) {
        const Counts counts = counts_of(world);
        const std::vector<int> in = numbers(world.rank(), 2, count_of(world.rank()));
        std::vector<int> out = untouched(total(counts));
        world.allgatherv(in, out, counts);
        expect(out == all_numbers(2, counts));
        std::vector<int> data = only_own(out, world, counts, packed(counts));
        world.allgatherv(data, counts);
        expect(data == out);

        const Counts places = backwards(counts);
        const std::size_t size = total(counts) + counts.size() + 1;
        std::vector<int> spread = untouched(size);
        world.allgatherv(in, spread, {counts, places});
        expect(spread == all_numbers(2, counts, places, size));
        std::vector<int> later = only_own(spread, world, counts, places);
        Request request = [&] {
            const Counts dies = counts;
            const Counts dies_too = places;
            return world.iallgatherv(later, {dies, dies_too});
        }();
        request.wait();
        expect(later == spread);
        std::fill(later.begin(), later.end(), kUntouched);
        world.iallgatherv(in, later, {counts, places}).wait();
        expect(later == spread);
    });
}

TEST_CASE("allgather refuses sizes that do not fit, and buffers that overlap")
{
    at_size(2, [](const Communicator& world) {
        const auto refused = [](const std::string& text, auto&& call) {
            expect_error(ErrorCode::invalid_argument, text, call);
        };
        std::vector<int> in(3);
        std::vector<int> out(7);
        refused(
            "allgather: invalid argument: the input has 3 elements (12 bytes), the output 7 (28 bytes); "
            "over 2 ranks the output must have 24 bytes",
            [&] { world.allgather(in, out); });
        refused(
            "7 elements, which 2 ranks cannot divide into equal blocks; resize it to a multiple, or use "
            "allgatherv",
            [&] { world.iallgather(out).wait(); });
        refused("input and output overlap",
                [&] { world.allgather(std::span(out).first(3), std::span(out).first(6)); });

        refused("the output has 3 counts, but the communicator 2 ranks", [&] {
            world.allgatherv(in, out, Counts{3, 3, 3});
        });
        refused("the output has 1 displacements", [&] {
            world.allgatherv(in, out, {Counts{3, 3}, Counts{0}});
        });
        refused("the block of rank 1, 5 elements from 3 on, does not fit into the output of 7 elements", [&] {
            world.allgatherv(in, out, Counts{3, 5});
        });
        refused("the block of rank 0, 18446744073709551615 elements from 0 on, does not fit", [&] {
            world.allgatherv(in, out, Counts{~std::size_t{0}, 5});
        });
        refused("the blocks of ranks 1 (3 elements from 0) and 0 (from 2) overlap", [&] {
            world.allgatherv(in, out, {Counts{3, 3}, Counts{2, 0}});
        });
        refused("has 3 elements (12 bytes), but the counts give this rank 8 bytes", [&] {
            world.iallgatherv(in, out, Counts{2, 2}).wait();
        });
    });
}
