// allgather and allgatherv on real ranks.
#include <array>

#include "tests/threads/blocks_support.hpp"

using namespace tutti;
using namespace tutti::test;

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
