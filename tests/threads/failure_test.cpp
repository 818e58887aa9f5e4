// A rank that fails ends all ranks, with its own error, whatever the others are doing.
#include <chrono>
#include <thread>

#include "tests/threads/support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

// What rank 1 of `ranks` throws must come out, soon, while the others are in `meanwhile`.
void check_failure(int ranks, const std::function<void(const Communicator&)>& meanwhile,
                   ThreadLevel threads = ThreadLevel::funneled)
{
    const auto start = std::chrono::steady_clock::now();
    try {
        run_threads(ranks,
                    [&](Environment& environment) {
                        const Communicator world = environment.world();
                        if (world.rank() == 1)
                            throw std::runtime_error("rank 1 has had enough");
                        meanwhile(world);
                    },
                    {.threads = threads});
        FAIL("no exception");
    } catch (const std::exception& error) {
        CHECK(std::string(error.what()) == "rank 1 has had enough");
    }
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

}  // namespace

TEST_CASE("others wait in a receive, a probe, a synchronous send, a barrier, a split")
{
    const int ranks = GENERATE(2, 3, 7, 16);
    CAPTURE(ranks);
    int value = 0;
    check_failure(ranks, [](const Communicator& world) {
        int in = 0;
        world.recv(in);
    });
    check_failure(ranks, [](const Communicator& world) { world.probe(); });
    check_failure(ranks, [](const Communicator& world) { static_cast<void>(world.mprobe()); });
    check_failure(ranks, [&](const Communicator& world) { world.ssend(value, 1); });
    check_failure(ranks, [](const Communicator& world) { world.send(std::vector<char>(1'000'000), 1); });
    check_failure(ranks, [](const Communicator& world) { world.barrier(); });
    check_failure(ranks, [](const Communicator& world) { world.ibarrier().wait(); });
    check_failure(ranks, [](const Communicator& world) {
        std::vector<double> data(50'000);
        world.allreduce(data, sum);
    });
    check_failure(ranks, [](const Communicator& world) { world.dup(); });
    check_failure(
        ranks,
        [](const Communicator& world) {
            int in = 0;
            world.recv(in);
        },
        ThreadLevel::multiple);
}

TEST_CASE("others compute, and notice at their next call")
{
    check_failure(3, [](const Communicator& world) {
        int in = 0;
        for (;;)
            world.iprobe(any_source, in);
    });
}

TEST_CASE("others have requests under way when their wait throws")
{
    check_failure(3, [](const Communicator& world) {
        int in[3] = {};
        std::vector<char> large(500'000);
        Request received = world.irecv(in[0], any_source, 1);
        Request sent = world.issend(large, 1, 2);
        Request behind = world.irecv(in[1], 1, any_tag);
        Request collective = world.ibarrier();
        Request owned = world.isend(std::vector<char>(200'000), 1, 3);
        world.recv(in[2], any_source, 1);
    });
}

TEST_CASE("a request that is destroyed while waiting is no reason to lose the error")
{
    check_failure(2, [](const Communicator& world) {
        int in = 0;
        Request received = world.irecv(in, 1, 1);
        Request sent = world.issend(in, 1, 2);
    });
}

TEST_CASE("calls after the job has ended throw as well, without damage")
{
    check_failure(2, [](const Communicator& world) {
        int in = 0;
        Request first = world.irecv(in, 1, 1);
        for (int i = 0; i < 3; ++i) {
            expect_error(ErrorCode::peer_lost, "aborted", [&] { world.recv(in, 1, 1); });
            expect_error(ErrorCode::peer_lost, "aborted", [&] { world.ssend(in, 1, 1); });
            expect_error(ErrorCode::peer_lost, "aborted",
                         [&] { world.send(std::vector<char>(300'000), 1, 1); });
            expect_error(ErrorCode::peer_lost, "aborted", [&] { world.barrier(); });
            expect_error(ErrorCode::peer_lost, "aborted", [&] { world.probe(1, 1); });
        }
        Request last = world.irecv(in, 1, 1);
        Request send = world.issend(in, 1, 1);
        throw std::logic_error("only the first error counts");
    });
}

TEST_CASE("the rank that fails has requests under way itself")
{
    for (const bool large : {false, true}) {
        CHECK_THROWS_WITH(run_threads(3,
                                      [large](Environment& environment) {
                                          const Communicator world = environment.world();
                                          int in = 0;
                                          if (world.rank() != 2)
                                              world.recv(in, 2, 9);
                                          std::vector<char> data(large ? 400'000 : 4);
                                          Request received = world.irecv(in);
                                          Request sent = world.issend(data, 0, 1);
                                          throw std::runtime_error("while two requests are under way");
                                      }),
                          "while two requests are under way");
    }
}

TEST_CASE("an exception that a rank catches, but that destroyed a request, is told to all")
{
    try {
        run_threads(2, [](Environment& environment) {
            const Communicator world = environment.world();
            std::vector<char> data(400'000);
            if (world.rank() == 0) {
                world.recv(data, 1, 1);
                return;
            }
            try {
                Request sent = world.issend(data, 0, 2);
                throw std::runtime_error("caught below");
            } catch (const std::runtime_error&) {
            }
            world.barrier();
        });
        FAIL("no exception");
    } catch (const Error& error) {
        CHECK(std::string(error.what()).find("destroyed an active request") != std::string::npos);
    }
}

TEST_CASE("operations with a rank that has left end with an error, not never")
{
    at_size(3, [](const Communicator& world) {
        if (world.rank() != 0)
            return;
        int value = 0;
        int attempts = 0;
        try {
            while (++attempts < 1'000'000)
                world.send(value, 1, 1);
            expect(false, "no error");
        } catch (const Error& error) {
            expect(error.code() == ErrorCode::peer_lost && error.peer() == 1, error.what());
        }
        const auto lost = [](const auto& call) { expect_error(ErrorCode::peer_lost, "rank 1", call); };
        lost([&] { world.send(value, 1, 1); });
        lost([&] { world.ssend(value, 1, 1); });
        lost([&] { world.isend(value, 1, 1).wait(); });
        lost([&] { world.recv(value, 1, 1); });
        lost([&] { world.irecv(value, 1, 1).wait(); });
        lost([&] { world.probe(1, 1); });
        lost([&] { static_cast<void>(world.mprobe(1, 1)); });
        lost([&] { static_cast<void>(world.iprobe(1, 1)); });
        lost([&] { static_cast<void>(world.improbe(1, 1)); });
    });
}

TEST_CASE("a wait for any source ends once nobody of its communicator is left, whoever else there is")
{
    at_size(4, [](const Communicator& world) {
        const Communicator pair = *world.split(world.rank() / 2);
        const Communicator turned = *world.split(world.rank() / 2, {.key = -world.rank()});
        const Communicator alone = *world.split(world.rank());
        int value = 0;
        if (world.rank() == 1)
            return;
        if (world.rank() != 0) {
            world.recv(value, any_source, 3);  // while others are there it waits
            return;
        }
        const auto hopeless = [](const std::string& words, const auto& call) {
            expect_error(ErrorCode::peer_lost, words, call);
        };
        const std::string gone = " in a communicator of 2 ranks, and all others of it are gone: rank 1: ";
        hopeless("recv: peer lost: rank 0 waits for a message from any source with tag 9" + gone,
                 [&] { pair.recv(value, any_source, 9); });
        hopeless("from any source with any tag" + gone, [&] { pair.irecv(value).wait(); });
        hopeless("mprobe: peer lost: rank 0 waits", [&] { static_cast<void>(pair.mprobe()); });
        hopeless("are gone: rank 0 (rank 1 of the job): ", [&] { turned.recv(value, any_source); });
        hopeless("in which it is alone", [&] { alone.recv(value); });

        // What it sends itself comes all the same, also while it polls.
        Request sent = pair.isend(int{5}, 0, 1);
        pair.recv(value, any_source, 1);
        expect(value == 5);
        Request received = pair.irecv(value, any_source, 2);
        const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(400);
        while (std::chrono::steady_clock::now() < until)
            expect(!received.test());
        pair.send(int{6}, 0, 2);
        received.wait();
        expect(value == 6);
        world.send(value, 2, 3);
        world.send(value, 3, 3);
    });
}

TEST_CASE("abort ends all ranks with its message")
{
    try {
        run_threads(3, [](Environment& environment) {
            if (environment.world().rank() == 2)
                environment.abort(7, "no more data");
            int in = 0;
            environment.world().recv(in);
        });
        FAIL("no exception");
    } catch (const Error& error) {
        CHECK(std::string(error.what()).find("no more data") != std::string::npos);
    }
}

TEST_CASE("one job after another, and two at once, do not disturb each other")
{
    for (int i = 0; i < 3; ++i) {
        check_failure(2, [](const Communicator& world) { world.barrier(); });
        at_size(2, [](const Communicator& world) { world.barrier(); });
    }
    std::jthread beside([] {
        run_threads(3, [](Environment& environment) {
            for (int i = 0; i < 200; ++i)
                environment.world().barrier();
        });
    });
    check_failure(2, [](const Communicator& world) { world.barrier(); });
}
