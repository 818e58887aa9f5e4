// Requests: waiting for and testing one, any, some and all; cancelling; starting again; destroying.
#include <algorithm>
#include <array>

#include "tests/threads/support.hpp"

using namespace tutti;
using namespace tutti::test;

TEST_CASE("no request at all, and inactive ones")
{
    Request none;
    CHECK_FALSE(none.active());
    CHECK(none.test());
    CHECK_FALSE(none.cancel());
    CHECK(none.wait().source == null_rank);
    std::array<Request, 3> requests;
    std::array<std::size_t, 3> indices{};
    CHECK_FALSE(wait_any(requests).has_value());
    CHECK(wait_some(requests, indices) == 0);
    CHECK(test_all(requests));
    CHECK_FALSE(test_any(requests).has_value());
    CHECK(test_some(requests, indices) == 0);
    wait_all(requests);
    wait_all(std::span<Request>());
    CHECK_FALSE(wait_any({}).has_value());
}

TEST_CASE("wait_any, wait_some and the tests give each finished request once")
{
    at_all_sizes([](const Communicator& world) {
        for (int how = 0; how < 4; ++how) {
            constexpr std::size_t kRequests = 12;
            std::array<int, kRequests> in{};
            std::vector<Request> requests;
            for (std::size_t i = 0; i < kRequests; ++i)
                requests.push_back(world.irecv(in[i], left_of(world), static_cast<int>(i)));
            std::vector<Request> sent;
            for (std::size_t i = kRequests; i-- > 0;)
                sent.push_back(world.isend(std::vector{static_cast<int>(i) + 100}, right_of(world),
                                           static_cast<int>(i)));
            std::vector<int> seen(kRequests);
            std::array<std::size_t, 5> indices{};
            std::size_t total = 0;
            while (total < kRequests) {
                std::size_t count = 0;
                if (how == 0) {
                    indices[0] = *wait_any(requests);
                    count = 1;
                } else if (how == 1) {
                    count = wait_some(requests, indices);
                    expect(count >= 1);
                } else if (how == 2) {
                    const auto found = test_any(requests);
                    indices[0] = found.value_or(0);
                    count = found.has_value();
                } else {
                    count = test_some(requests, indices);
                }
                for (std::size_t i = 0; i < count; ++i) {
                    ++seen[indices[i]];
                    expect(!requests[indices[i]].active());
                    expect(in[indices[i]] == static_cast<int>(indices[i]) + 100);
                    expect(requests[indices[i]].status().tag == static_cast<int>(indices[i]));
                }
                total += count;
            }
            expect(std::ranges::all_of(seen, [](int times) { return times == 1; }));
            expect(!wait_any(requests).has_value());
            wait_all(sent);
        }
    });
}

TEST_CASE("test and test_all say no until it is so")
{
    at_size(2, [](const Communicator& world) {
        int values[2] = {0, 0};
        if (world.rank() == 1) {
            world.recv(values[0], 0, 9);
            world.send(1, 0, 1);
            world.recv(values[0], 0, 9);
            world.send(2, 0, 2);
            return;
        }
        std::array<Request, 2> requests{world.irecv(values[0], 1, 1), world.irecv(values[1], 1, 2)};
        for (int i = 0; i < 50; ++i)
            expect(!requests[0].test() && !test_all(requests) && !test_any(requests));
        world.send(0, 1, 9);
        while (!requests[0].test()) {
        }
        for (int i = 0; i < 50; ++i)
            expect(!test_all(requests));
        expect(requests[0].test() && requests[0].wait().tag == 1);
        world.send(0, 1, 9);
        while (!test_all(requests)) {
        }
        expect(values[0] == 1 && values[1] == 2);
    });
}

TEST_CASE("wait_all completes every request before it throws the first error")
{
    at_size(2, [](const Communicator& world) {
        if (world.rank() == 1) {
            for (int i = 0; i < 4; ++i)
                world.send(numbers(1, i, 8), 0, i);
            return;
        }
        std::vector<std::vector<int>> in{std::vector<int>(8), std::vector<int>(2), std::vector<int>(4),
                                         std::vector<int>(8)};
        std::vector<Request> requests;
        for (int i = 0; i < 4; ++i)
            requests.push_back(world.irecv(in[static_cast<std::size_t>(i)], 1, i));
        expect_error(ErrorCode::truncated, "tag 1", [&] { wait_all(requests); });
        for (const Request& request : requests)
            expect(!request.active());
        expect(in[3] == numbers(1, 3, 8));
        expect(requests[2].status().code == ErrorCode::truncated);
    });
}

TEST_CASE("a posted receive can be cancelled, and then takes nothing")
{
    at_all_sizes([](const Communicator& world) {
        int value = 1;
        Request posted = world.irecv(value, any_source, 44);
        expect(posted.cancel());
        const Status status = posted.wait();
        expect(status.cancelled && status.code == ErrorCode::success && !posted.active());
        expect(!posted.cancel());
        world.barrier();  // nobody's message may meet the receive before it is withdrawn
        world.send(5, right_of(world), 44);
        int other = 0;
        world.recv(other, any_source, 44);
        expect(value == 1 && other == 5);

        // Too late: the message is here, or on its way.
        world.send(6, right_of(world), 45);
        world.probe(left_of(world), 45);
        Request matched = world.irecv(value, left_of(world), 45);
        expect(!matched.cancel());
        expect(!matched.wait().cancelled && value == 6);
        Request send = world.issend(value, right_of(world), 46);
        expect(!send.cancel());
        world.recv(other, left_of(world), 46);
        send.wait();
    });
}

TEST_CASE("persistent requests start again and again with what the buffer then holds")
{
    at_all_sizes([](const Communicator& world) {
        std::vector<int> out(5000);
        std::vector<int> synchronous_out(3);
        std::vector<int> in(5000);
        std::vector<int> synchronous_in(3);
        PersistentRequest sender = world.send_init(out, right_of(world), 1);
        PersistentRequest synchronous = world.ssend_init(synchronous_out, right_of(world), 2);
        PersistentRequest receiver = world.recv_init(in, left_of(world), 1);
        PersistentRequest synchronous_receiver = world.recv_init(synchronous_in);
        for (int round = 0; round < 10; ++round) {
            std::ranges::copy(numbers(world.rank(), round, 5000), out.begin());
            std::ranges::copy(numbers(world.rank(), round + 100, 3), synchronous_out.begin());
            receiver.start();
            expect(receiver.active());
            expect_error(ErrorCode::invalid_argument, "under way", [&] { receiver.start(); });
            sender.start();
            expect(receiver.wait().tag == 1);
            sender.wait();
            synchronous_receiver.start();
            synchronous.start();
            while (!synchronous_receiver.test()) {
            }
            synchronous.wait();
            expect(synchronous_receiver.status().source == left_of(world));
            expect(in == numbers(left_of(world), round, 5000));
            expect(synchronous_in == numbers(left_of(world), round + 100, 3));
            world.barrier();
        }
        PersistentRequest unused = world.recv_init(in, left_of(world), 3);
        expect(!unused.active() && unused.wait().source == null_rank);
        unused.start();
        expect(unused.cancel() && unused.wait().cancelled);
    });
}

TEST_CASE("destroying or overwriting an active request waits for it")
{
    at_size(2, [](const Communicator& world) {
        std::vector<int> in(50'000);
        if (world.rank() == 0) {
            {
                Request received = world.irecv(in, 1, 1);
            }
            expect(in == numbers(1, 1, 50'000));
            Request received = world.irecv(in, 1, 2);
            received = Request();
            expect(in == numbers(1, 2, 50'000));
            received = world.irecv(in, 1, 3);
            Request moved(std::move(received));
            moved.wait();
            expect(in == numbers(1, 3, 50'000));
        } else {
            for (int i = 1; i <= 3; ++i)
                static_cast<void>(world.issend(numbers(1, i, 50'000), 0, i));
        }
    });
}
