// Arguments that the collectives that move blocks refuse.
#include "tests/threads/blocks_support.hpp"

using namespace tutti;
using namespace tutti::test;

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
        refused("broadcast: invalid argument: the buffer is a null pointer to 4",
                [&] { world.broadcast(null); });
        refused("the buffer is a null pointer to 4", [&] { world.ibroadcast(null, {.root = 1}).wait(); });
        refused("send: invalid argument: the buffer is a null pointer to 16 bytes",
                [&] { world.send(null, 0); });
        refused("the buffer is a null pointer to 16 bytes", [&] { world.isend(null, 0).wait(); });
        refused("recv: invalid argument: the buffer is a null pointer to 16 bytes",
                [&] { world.recv(null, 0); });
        refused("the buffer is a null pointer to 16 bytes", [&] { world.irecv(null, 0).wait(); });
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
