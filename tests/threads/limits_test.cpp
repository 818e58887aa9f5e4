// Waits with a time limit, collectives that are given up, and requests that are let go.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>

#include "tests/threads/support.hpp"

using namespace std::chrono_literals;
using namespace tutti;
using namespace tutti::test;

TEST_CASE("a wait with a limit ends, and the operation goes on")
{
    at_all_sizes([](const Communicator& world) {
        int in = -1;
        Request receive = world.irecv(in, left_of(world), 7);
        expect(!receive.wait_for(2ms));
        expect(receive.active());
        expect(!receive.wait_for(0ns));
        world.barrier();  // nobody has sent
        const int out = world.rank() + 100;
        Request send = world.issend(out, right_of(world), 7);
        expect(receive.wait_for(std::chrono::nanoseconds::max()));
        expect(!receive.active());
        expect(in == left_of(world) + 100);
        expect(receive.status().source == left_of(world));
        send.wait();
        expect(send.wait_for(0ns));
    });
}

TEST_CASE("of several requests, those that end in time are taken over")
{
    at_all_sizes([](const Communicator& world) {
        std::array<int, 3> in{};
        std::array<Request, 3> requests = {world.irecv(in[0], left_of(world), 0), Request(),
                                           world.irecv(in[2], left_of(world), 2)};
        expect(!wait_any_for(requests, 1ms));
        expect(!wait_all_for(requests, 1ms));
        world.barrier();
        world.send(world.rank(), right_of(world), 2);
        expect(wait_any_for(requests, std::chrono::hours(1)) == 2u);
        expect(in[2] == left_of(world));
        expect(!wait_all_for(requests, 1ms));
        expect(requests[0].active());
        expect(!requests[2].active());
        world.barrier();
        world.send(world.rank(), right_of(world), 0);
        expect(wait_all_for(requests, std::chrono::hours(1)));
        expect(in[0] == left_of(world));
        expect(wait_all_for(requests, 0ns));
        expect(!wait_any_for(requests, 0ns));
    });
}

TEST_CASE("a collective that some ranks do not come to is given up, and all else goes on")
{
    const int ranks = GENERATE(2, 3, 5);
    at_size(ranks, [](const Communicator& world) {
        const Communicator doomed = world.dup();
        const int last = world.size() - 1;
        for (const std::size_t count : {1u, 100'000u}) {
            std::vector<double> data(count, 1.0);
            const auto give_up = [&] {
                Request request = doomed.iallreduce(data, sum);
                const bool ended = request.wait_for(5ms);
                if (!ended)
                    request.give_up();
                expect(!request.active());
                expect(request.status().code == (ended ? ErrorCode::success : ErrorCode::cancelled));
                std::ranges::fill(data, 7.0);  // the caller's again
            };
            if (world.rank() != last)
                give_up();
            int value = world.rank();
            world.allreduce(value, sum);
            expect(value == world.size() * last / 2);
            // What the others have sent before is for a call that this rank gives up, too.
            if (world.rank() == last)
                give_up();
            world.barrier();
            int in = -1;
            world.sendrecv(world.rank(), right_of(world), 1, in, left_of(world), 1);
            expect(in == left_of(world));
            expect(std::ranges::all_of(data, [](double element) { return element == 7.0; }));
        }
    });
}

TEST_CASE("only collectives are given up")
{
    at_size(2, [](const Communicator& world) {
        int in = 0;
        Request none;
        none.give_up();
        Request receive = world.irecv(in, 1 - world.rank(), 3);
        expect_error(ErrorCode::invalid_argument, "cancel() a receive", [&] { receive.give_up(); });
        expect(receive.active());
        expect(receive.cancel());
        receive.wait();
    });
}

TEST_CASE("a function is called once, when its operation is complete")
{
    at_all_sizes([](const Communicator& world) {
        int calls = 0;
        Request().then([&](const Status&, std::exception_ptr error) { calls += error == nullptr; });
        expect(calls == 1);

        std::vector<int> in(3, -1);
        int answer = -1;
        world.irecv(in, left_of(world), 4).then([&](const Status& status, std::exception_ptr error) {
            expect(error == nullptr);
            expect(status.source == left_of(world));
            expect(status.size_bytes == 3 * sizeof(int));
            ++calls;
            // It may call Tutti.
            world.isend(in[0], left_of(world), 5).detach();
            world.irecv(answer, right_of(world), 5).then([&](const Status&, std::exception_ptr) { ++calls; });
        });
        expect(calls == 1);
        world.isend(std::vector{world.rank(), 1, 2}, right_of(world), 4).wait();
        while (calls != 3)
            expect(!world.iprobe(left_of(world), 99));
        expect(in == std::vector{left_of(world), 1, 2});
        expect(answer == world.rank());

        std::vector<float> sums(5000, 1.0f);
        world.iallreduce(sums, sum).then([&](const Status&, std::exception_ptr error) {
            expect(error == nullptr);
            ++calls;
        });
        world.barrier();
        while (calls != 4)
            expect(!world.iprobe(left_of(world), 99));
        expect(std::ranges::all_of(sums, [&](float x) { return x == static_cast<float>(world.size()); }));
        world.barrier();
    });
}

TEST_CASE("a function hears of its operation's error")
{
    at_size(2, [](const Communicator& world) {
        int one = 0;
        bool received = false;
        world.irecv(one, 1 - world.rank(), 1).then([&](const Status& status, std::exception_ptr error) {
            expect(status.code == ErrorCode::truncated);
            expect_error(ErrorCode::truncated, "8 bytes", [&] { std::rethrow_exception(error); });
            received = true;
        });
        world.send(std::array{1, 2}, 1 - world.rank(), 1);
        while (!received)
            expect(!world.iprobe(1 - world.rank(), 99));
    });
}

TEST_CASE("operations that were let go end with the Environment at the latest")
{
    std::atomic<int> ended{0};
    std::atomic<int> withdrawn{0};
    at_size(3, [&](const Communicator& world) {
        static thread_local std::vector<int> out;
        static thread_local int in;
        out.assign(300'000, world.rank());
        // Synchronous, and matched only by who is about to leave, too.
        world.issend(out, right_of(world), 2).then([&](const Status&, std::exception_ptr error) {
            ended += error == nullptr;
        });
        world.irecv(in, any_source, 6).then([&](const Status& status, std::exception_ptr error) {
            withdrawn += status.cancelled && error == nullptr;
        });
        std::vector<int> received(300'000, -1);
        world.recv(received, left_of(world), 2);
        expect(received.back() == left_of(world));
    });
    CHECK(ended == 3);
    CHECK(withdrawn == 3);
}
