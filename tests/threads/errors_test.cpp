// Errors of arguments and of messages: code, peer, and a sentence that helps.
#include <array>
#include <limits>

#include "tests/threads/support.hpp"

using namespace tutti;
using namespace tutti::test;

TEST_CASE("ranks out of range")
{
    at_size(3, [](const Communicator& world) {
        int value = 0;
        for (const int rank : {3, 4, -2, 1'000'000, -1'000'000}) {
            const std::string text = "there is no rank " + std::to_string(rank) + " in this communicator";
            expect_error(ErrorCode::invalid_rank, text, [&] { world.send(value, rank); });
            expect_error(ErrorCode::invalid_rank, text, [&] { world.ssend(value, rank); });
            expect_error(ErrorCode::invalid_rank, text, [&] { world.rsend(value, rank); });
            expect_error(ErrorCode::invalid_rank, text, [&] { world.isend(value, rank).wait(); });
            expect_error(ErrorCode::invalid_rank, text, [&] { world.isend(std::vector{1}, rank).wait(); });
            expect_error(ErrorCode::invalid_rank, text, [&] { world.recv(value, rank); });
            expect_error(ErrorCode::invalid_rank, text, [&] { world.irecv(value, rank).wait(); });
            expect_error(ErrorCode::invalid_rank, text, [&] { world.probe(rank); });
            expect_error(ErrorCode::invalid_rank, text, [&] { world.iprobe(rank); });
            expect_error(ErrorCode::invalid_rank, text, [&] { static_cast<void>(world.mprobe(rank)); });
            expect_error(ErrorCode::invalid_rank, text, [&] { world.improbe(rank); });
            expect_error(ErrorCode::invalid_rank, text, [&] { world.world_rank(rank); });
        }
        expect_error(ErrorCode::invalid_rank, "ranks are 0 to 2", [&] { world.send(value, any_source); });
        expect_error(ErrorCode::invalid_rank, "root 3", [&] { world.broadcast(value, {.root = 3}); });
        expect_error(ErrorCode::invalid_rank, "root -1", [&] { world.reduce(value, sum, {.root = -1}); });
        expect_error(ErrorCode::invalid_rank, "root 7", [&] { world.ibroadcast(value, {.root = 7}).wait(); });
    });
}

TEST_CASE("tags out of range")
{
    at_size(2, [](const Communicator& world) {
        int value = 0;
        for (const int tag : {-1, -2, std::numeric_limits<int>::min()}) {
            expect_error(ErrorCode::invalid_tag, "tag " + std::to_string(tag),
                         [&] { world.send(value, 0, tag); });
            expect_error(ErrorCode::invalid_tag, "tag " + std::to_string(tag),
                         [&] { world.issend(value, 0, tag).wait(); });
        }
        expect_error(ErrorCode::invalid_tag, "tag -3", [&] { world.recv(value, 0, -3); });
        expect_error(ErrorCode::invalid_tag, "tag -3", [&] { world.improbe(0, -3); });
        PersistentRequest untagged = world.send_init(value, 0, -1);
        expect_error(ErrorCode::invalid_tag, "tag -1", [&] { untagged.start(); });
        for (const int tag : {-1, 1 << 30})
            expect_error(ErrorCode::invalid_tag,
                         "tag " + std::to_string(tag) + " is out of range; tags are 0 to 1073741823", [&] {
                             static_cast<void>(world.create_from(std::array{0, 1}, tag));
                         });
        // The largest tag is one.
        world.send(world.rank(), right_of(world), std::numeric_limits<int>::max());
        world.recv(value, any_source, std::numeric_limits<int>::max());
        expect(value == left_of(world));
    });
}

TEST_CASE("a message that is too long fills the buffer, tells its size, and does no harm to the next")
{
    at_size(2, [](const Communicator& world) {
        for (const std::size_t count : {2u, 1000u, 10'000u, 50'000u}) {
            if (world.rank() == 0) {
                world.send(numbers(0, 1, count), 1, 6);
                world.send(numbers(0, 2, count), 1, 6);
                continue;
            }
            std::vector<int> in(count + 1, -7);
            const std::span<int> shorter(in.data(), count - 1);
            try {
                world.recv(shorter, 0, 6);
                expect(false, "no error");
            } catch (const Error& error) {
                expect(error.code() == ErrorCode::truncated && error.peer() == 0 &&
                       error.operation() == "recv");
                const std::string text = error.what();
                expect(text.find(std::to_string(count * 4) + " bytes") != std::string::npos, text);
                expect(text.find("the buffer " + std::to_string(count * 4 - 4)) != std::string::npos, text);
            }
            expect(std::equal(shorter.begin(), shorter.end(), numbers(0, 1, count).begin()));
            expect(in[count - 1] == -7 && in[count] == -7);
            const Status whole = world.recv(in, 0, 6);
            expect(whole.count<int>() == count && in[count] == -7);
        }
    });
}

TEST_CASE("arguments of collectives and of communicators")
{
    at_size(2, [](const Communicator& world) {
        std::array<double, 4> in{};
        std::array<double, 3> out{};
        expect_error(ErrorCode::invalid_argument, "4 elements", [&] { world.allreduce(in, out, sum); });
        std::array<double, 6> both{};
        expect_error(ErrorCode::invalid_argument, "overlap",
                     [&] { world.allreduce(std::span(both).first(4), std::span(both).subspan(2, 4), sum); });
        const std::array<int, 2> outside{world.rank(), 2};
        expect_error(ErrorCode::invalid_rank, "0 to 1", [&] { world.create_from(outside); });
        const std::array<int, 1> not_me{1 - world.rank()};
        expect_error(ErrorCode::invalid_rank, "this one", [&] { world.create_from(not_me); });
        const std::array<int, 2> twice{world.rank(), world.rank()};
        expect_error(ErrorCode::invalid_rank, "different", [&] { world.create_from(twice); });
        const std::array<int, 1> me{world.rank()};
        expect_error(ErrorCode::invalid_tag, "tag -1", [&] { world.create_from(me, -1); });
        expect_error(ErrorCode::invalid_rank, "different ranks", [&] { world.create_from({}); });
        world.barrier();  // all of this has left the ranks in step
    });
    CHECK_THROWS_AS(run_threads(0, [](Environment&) {}), Error);
    CHECK_THROWS_AS(run_threads(5000, [](Environment&) {}), Error);
}

TEST_CASE("ranks that disagree about a collective's size are reported, not left with rubbish")
{
    try {
        run_threads(2, [](Environment& environment) {
            std::vector<int> data(environment.world().rank() == 0 ? 10 : 4);
            environment.world().broadcast(data);
        });
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == ErrorCode::invalid_argument);
        CHECK_THAT(error.what(), Catch::Contains("broadcast with root 0 of 16 bytes"));
        CHECK_THAT(error.what(), Catch::Contains(" of 40 bytes"));
    }
}

TEST_CASE("a send that fails names the bytes of the program, also where --check adds some")
{
    const std::string checks = GENERATE("", "types,report");
    setenv("TUTTI_CHECK", checks.c_str(), 1);
    const auto send = [] {
        run_threads(2, [](Environment& environment) {
            if (environment.world().rank() == 0)
                environment.world().send(std::vector<char>(1'000'000), 1, 3);
        });
    };
    expect_error(ErrorCode::peer_lost, "1000000 bytes with tag 3 to rank 1 of the job did not arrive", send);
    unsetenv("TUTTI_CHECK");
}
