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

enum class Side { sent, received };

// What this rank sends all others, or receives from them, at its places in `count` elements.
std::vector<int> pair_numbers(const Communicator& world, const Counts& counts, const Counts& displacements,
                              std::size_t count, Side side)
{
    std::vector<int> all = untouched(count);
    for (int peer = 0; peer < world.size(); ++peer) {
        const auto index = static_cast<std::size_t>(peer);
        const std::vector<int> block = side == Side::sent ? numbers(world.rank(), peer, counts[index])
                                                          : numbers(peer, world.rank(), counts[index]);
        std::copy(block.begin(), block.end(),
                  all.begin() + static_cast<std::ptrdiff_t>(displacements[index]));
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

                std::vector<int> data = is_root ? only_own(all, world, counts, packed(counts)) : in;
                world.gather(data, {.root = root});
                expect(data == (is_root ? all : in));
                data = is_root ? only_own(all, world, counts, packed(counts)) : in;
                world.igather(data, {.root = root}).wait();
                expect(data == (is_root ? all : in));
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
            std::vector<int> data = is_root ? only_own(all, world, counts, places) : in;
            world.gatherv(data, {counts, places}, {.root = root});
            expect(data == (is_root ? all : in));
            data = is_root ? only_own(all, world, counts, places) : in;
            world.igatherv(data, {counts, places}, {.root = root}).wait();
            expect(data == (is_root ? all : in));
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

                std::vector<int> data = is_root ? all : untouched(count);
                world.scatter(data, {.root = root});
                expect(data == (is_root ? all : expected));
                data = is_root ? all : untouched(count);
                world.iscatter(data, {.root = root}).wait();
                expect(data == (is_root ? all : expected));
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
            std::vector<int> data = is_root ? all : untouched(expected.size());
            world.scatterv(data, {counts, places}, {.root = root});
            expect(data == (is_root ? all : expected));
            data = is_root ? all : untouched(expected.size());
            world.iscatterv(data, {counts, places}, {.root = root}).wait();
            expect(data == (is_root ? all : expected));
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

TEST_CASE("alltoall, in two buffers and in place")
{
    at_all_sizes([](const Communicator& world) {
        for (const std::size_t count : kCounts) {
            std::vector<int> in;
            std::vector<int> expected;
            for (int peer = 0; peer < world.size(); ++peer) {
                const std::vector<int> sent = numbers(world.rank(), peer, count);
                const std::vector<int> received = numbers(peer, world.rank(), count);
                in.insert(in.end(), sent.begin(), sent.end());
                expected.insert(expected.end(), received.begin(), received.end());
            }
            std::vector<int> out = untouched(in.size());
            world.alltoall(in, out);
            expect(out == expected);
            std::vector<int> later = untouched(in.size());
            world.ialltoall(in, later).wait();
            expect(later == expected);
            std::vector<int> data = in;
            world.alltoall(data);
            expect(data == expected);
            data = in;
            world.ialltoall(data).wait();
            expect(data == expected);
        }
    });
}

TEST_CASE("alltoallv, packed, with displacements, and in place")
{
    at_all_sizes([](const Communicator& world) {
        const auto count = [](int from, int to) {
            return to == 1 ? std::size_t{4000} : static_cast<std::size_t>((from * 5 + to * 3) % 4);
        };
        const auto both = [](int a, int b) { return static_cast<std::size_t>((a + b) % 5 * 700); };
        Counts sent, received, exchanged;
        for (int peer = 0; peer < world.size(); ++peer) {
            sent.push_back(count(world.rank(), peer));
            received.push_back(count(peer, world.rank()));
            exchanged.push_back(both(world.rank(), peer));
        }
        const std::vector<int> in = pair_numbers(world, sent, packed(sent), total(sent), Side::sent);
        std::vector<int> out = untouched(total(received));
        world.alltoallv(in, sent, out, received);
        expect(out == pair_numbers(world, received, packed(received), out.size(), Side::received));

        const Counts from = backwards(sent);
        const Counts to = backwards(received);
        const std::size_t in_size = total(sent) + sent.size() + 1;
        const std::size_t out_size = total(received) + sent.size() + 1;
        const std::vector<int> spread = pair_numbers(world, sent, from, in_size, Side::sent);
        std::vector<int> later = untouched(out_size);
        Request request = [&, dies = Counts(sent)] {
            return world.ialltoallv(spread, {dies, Counts(from)}, later, {Counts(received), Counts(to)});
        }();
        request.wait();
        expect(later == pair_numbers(world, received, to, out_size, Side::received));

        const Counts places = backwards(exchanged);
        const std::size_t size = total(exchanged) + exchanged.size() + 1;
        std::vector<int> data = pair_numbers(world, exchanged, places, size, Side::sent);
        world.alltoallv(data, {exchanged, places});
        expect(data == pair_numbers(world, exchanged, places, size, Side::received));
        data = pair_numbers(world, exchanged, packed(exchanged), total(exchanged), Side::sent);
        world.ialltoallv(data, exchanged).wait();
        expect(data == pair_numbers(world, exchanged, packed(exchanged), data.size(), Side::received));
    });
}

TEST_CASE("alltoall refuses what does not fit")
{
    at_size(2, [](const Communicator& world) {
        const auto refused = [](const std::string& text, auto&& call) {
            expect_error(ErrorCode::invalid_argument, text, call);
        };
        std::vector<int> in(4);
        std::vector<int> out(6);
        std::vector<int> odd(5);
        refused(
            "alltoall: invalid argument: the input has 4 elements (16 bytes), the output 6 (24 bytes); both "
            "must have one block for each rank",
            [&] { world.alltoall(in, out); });
        refused("5 elements, which 2 ranks cannot divide into equal blocks",
                [&] { world.ialltoall(odd).wait(); });
        refused("input and output overlap", [&] { world.alltoall(out, out); });
        refused("the block of rank 1, 3 elements from 2 on, does not fit into the input of 4 elements", [&] {
            world.alltoallv(in, Counts{2, 3}, out, Counts{2, 2});
        });
        refused("in the output the blocks of ranks 0 (2 elements from 0) and 1 (from 1) overlap", [&] {
            world.alltoallv(in, Counts{2, 2}, out, {Counts{2, 2}, Counts{0, 1}});
        });
        refused("sends itself 8 bytes, but receives 4 from itself", [&] {
            world.alltoallv(in, Counts{2, 2}, out, Counts{1, 1});
        });
    });
}

TEST_CASE("null buffers are refused at every rank, and those of no elements are not")
{
    at_size(2, [](const Communicator& world) {
        const std::span<int> null(static_cast<int*>(nullptr), 4);
        std::vector<int> data(8);
        const Counts counts{2, 2};
        const auto refused = [](const std::string& text, auto&& call) {
            expect_error(ErrorCode::invalid_argument, text, call);
        };
        refused("the input is a null pointer to 4 elements", [&] { world.allgather(null, data); });
        refused("the buffer is a null pointer to 4 elements", [&] { world.allgather(null); });
        refused("the output is a null pointer to 4 elements", [&] { world.allgatherv(data, null, counts); });
        refused("gather: invalid argument: the input is a null", [&] { world.gather(null, data); });
        refused("the input is a null", [&] { world.gatherv(null, data, Counts{4, 4}); });
        refused("scatter: invalid argument: the output is a null", [&] { world.scatter(data, null); });
        refused("the output is a null", [&] { world.scatterv(data, Counts{4, 4}, null); });
        refused("the input is a null", [&] { world.alltoall(null, std::span(data).first(4)); });
        refused("the output is a null", [&] { world.alltoallv(data, counts, null, counts); });
        const std::span<int> nothing;
        world.allgather(nothing, nothing);
        world.gather(nothing, nothing, {.root = 1});
        world.scatterv(nothing, Counts{0, 0}, nothing);
        world.alltoallv(nothing, Counts{0, 0}, nothing, Counts{0, 0});
        world.alltoall(nothing);
    });
}

TEST_CASE("ranks whose counts differ get an error, and no rank hangs")
{
    for (const int ranks : {2, 4}) {
        CHECK_THROWS_WITH(run_threads(ranks,
                                      [](Environment& environment) {
                                          const Communicator world = environment.world();
                                          std::vector<int> data(world.rank() == 0 ? 8 : 16);
                                          world.allgather(data);
                                      }),
                          Catch::Contains("with the same sizes"));
    }
}

TEST_CASE("gather and scatter refuse at root what does not fit")
{
    at_size(1, [](const Communicator& world) {
        const auto refused = [](const std::string& text, auto&& call) {
            expect_error(ErrorCode::invalid_argument, text, call);
        };
        std::vector<int> three(3);
        std::vector<int> four(4);
        refused(
            "gather: invalid argument: the input has 3 elements (12 bytes), the output 4 (16 bytes); over 1 "
            "ranks the output must have 12 bytes",
            [&] { world.gather(three, four); });
        refused(
            "scatter: invalid argument: the output has 4 elements (16 bytes), the input 3 (12 bytes); over 1 "
            "ranks the input must have 16 bytes",
            [&] { world.iscatter(three, four).wait(); });
        refused(
            "gatherv: invalid argument: the block of rank 0, 5 elements from 0 on, does not fit into the "
            "output of 4 elements",
            [&] { world.gatherv(three, four, Counts{5}); });
        refused(
            "scatterv: invalid argument: the block of rank 0, 2 elements from 2 on, does not fit into the "
            "input of 3 elements",
            [&] {
                world.scatterv(three, {Counts{2}, Counts{2}}, four);
            });
        refused("the output of rank 0 has 4 elements (16 bytes), but the counts give this rank 12 bytes",
                [&] { world.scatterv(three, Counts{3}, four); });
        refused("input and output overlap", [&] { world.gather(four, four); });
        refused("input and output overlap", [&] { world.scatterv(four, Counts{4}, four); });
        refused("the output has 0 counts, but the communicator 1 ranks",
                [&] { world.gatherv(three, four, {}, {.root = 0}); });
        expect_error(ErrorCode::invalid_rank,
                     "gather: invalid rank: the root 1 is no rank of this communicator",
                     [&] { world.gather(three, {.root = 1}); });
        expect_error(ErrorCode::invalid_rank, "the root -1",
                     [&] { world.scatterv(three, Counts{3}, {.root = -1}); });
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
