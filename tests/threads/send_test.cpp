// Sends of every mode and receives, round a ring at all sizes.
#include <array>
#include <span>

#include "tests/threads/support.hpp"

using namespace tutti;
using namespace tutti::test;

TEST_CASE("every mode of blocking send, of sizes around each switch of protocol")
{
    at_all_sizes([](const Communicator& world) {
        // Frames of 32 KiB, eager up to 64 KiB, in bytes; an int has four.
        for (const std::size_t count : {0u, 1u, 3u, 8191u, 8192u, 8193u, 16384u, 16385u, 100'000u}) {
            for (int mode = 0; mode < 3; ++mode) {
                const auto out = numbers(world.rank(), mode, count);
                std::vector<int> in(count, -1);
                Request received = world.irecv(in, left_of(world), mode);
                if (mode == 2)
                    world.barrier();  // a ready send's receive is posted
                if (mode == 0)
                    world.send(out, right_of(world), mode);
                else if (mode == 1)
                    world.issend(out, right_of(world), mode).wait();
                else
                    world.rsend(out, right_of(world), mode);
                const Status status = received.wait();
                expect(status.source == left_of(world) && status.tag == mode);
                expect(status.count<int>() == count && status.size_bytes == 4 * count);
                expect(in == numbers(left_of(world), mode, count));
            }
        }
    });
}

TEST_CASE("a synchronous send waits for its receive, a standard one does not")
{
    at_size(2, [](const Communicator& world) {
        int value = 0;
        if (world.rank() == 0) {
            value = 5;
            world.send(value, 1, 1);
            Request synchronous = world.issend(value, 1, 2);
            int go = 0;
            world.recv(go, 1, 3);
            for (int i = 0; i < 20; ++i)
                expect(!synchronous.test());
            world.send(go, 1, 4);
            synchronous.wait();
        } else {
            world.send(value, 0, 3);
            world.recv(value, 0, 4);
            world.recv(value, 0, 2);
            expect(value == 5);
            world.recv(value, 0, 1);
        }
    });
}

TEST_CASE("many requests at once, to and from everybody")
{
    at_all_sizes([](const Communicator& world) {
        constexpr int kMessages = 20;
        std::vector<std::vector<int>> out;
        std::vector<std::vector<int>> in;
        std::vector<Request> requests;
        for (int peer = 0; peer < world.size(); ++peer) {
            for (int i = 0; i < kMessages; ++i)
                in.emplace_back(static_cast<std::size_t>(i * i * 30));
        }
        std::size_t next = 0;
        for (int peer = 0; peer < world.size(); ++peer) {
            for (int i = 0; i < kMessages; ++i)
                requests.push_back(world.irecv(in[next++], peer, i));
        }
        for (int peer = 0; peer < world.size(); ++peer) {
            for (int i = kMessages - 1; i >= 0; --i)
                requests.push_back(
                    world.isend(numbers(world.rank(), i, static_cast<std::size_t>(i * i * 30)), peer, i));
        }
        wait_all(requests);
        next = 0;
        for (int peer = 0; peer < world.size(); ++peer) {
            for (int i = 0; i < kMessages; ++i)
                expect(in[next++] == numbers(peer, i, static_cast<std::size_t>(i * i * 30)));
        }
    });
}

TEST_CASE("owned buffers live in the request and come back")
{
    at_all_sizes([](const Communicator& world) {
        for (const std::size_t count : {3u, 50'000u}) {
            auto received = world.irecv(std::vector<int>(count), left_of(world), 7);
            auto sent = world.isend(numbers(world.rank(), 0, count), right_of(world), 7);
            expect(received.wait() == numbers(left_of(world), 0, count));
            expect(received.status().source == left_of(world));
            expect(sent.wait() == numbers(world.rank(), 0, count));
        }
        // The type may be forgotten: the buffer still lives.
        Request sent = world.issend(numbers(world.rank(), 1, 50'000), right_of(world), 8);
        std::vector<int> in(50'000);
        world.recv(in, left_of(world), 8);
        sent.wait();
        expect(in == numbers(left_of(world), 1, 50'000));
    });
}

TEST_CASE("sendrecv round a ring, large enough to deadlock if it sent first")
{
    at_all_sizes([](const Communicator& world) {
        const auto out = numbers(world.rank(), 2, 60'000);
        std::vector<int> in(60'000);
        const Status status = world.sendrecv(out, right_of(world), 1, in, left_of(world), 1);
        expect(status.source == left_of(world));
        expect(in == numbers(left_of(world), 2, 60'000));
    });
}

TEST_CASE("single objects, aggregates, arrays and spans")
{
    struct Particle {
        double position[3];
        int charge;
    };
    at_size(3, [](const Communicator& world) {
        const Particle out{{1.0, 2.0, 3.0 + world.rank()}, world.rank()};
        Particle in{};
        world.sendrecv(out, right_of(world), 0, in, left_of(world), 0);
        expect(in.charge == left_of(world) && in.position[2] == 3.0 + left_of(world));
        const std::array<short, 5> shorts{1, 2, 3, 4, static_cast<short>(world.rank())};
        short received[5] = {};
        world.sendrecv(shorts, right_of(world), 1, received, left_of(world), 1);
        expect(received[3] == 4 && received[4] == left_of(world));
        std::vector<double> large(10);
        world.sendrecv(std::string("four"), right_of(world), 2, std::span(large).subspan(2, 1),
                       left_of(world), 2);
        expect(std::string(reinterpret_cast<const char*>(&large[2]), 4) == "four" && large[3] == 0);
    });
}

TEST_CASE("the null rank takes and gives nothing, at once")
{
    at_size(1, [](const Communicator& world) {
        int value = 9;
        world.send(value, null_rank, 1);
        world.ssend(value, null_rank, 1);
        world.isend(value, null_rank, 1).wait();
        const Status status = world.recv(value, null_rank, 1);
        expect(value == 9 && status.source == null_rank && status.tag == any_tag && status.size_bytes == 0);
        expect(world.irecv(value, null_rank, 1).wait().source == null_rank);
        expect(world.probe(null_rank, 1).source == null_rank);
        expect(world.iprobe(null_rank, 1).has_value());
        expect(world.mprobe(null_rank, 1).recv(value).source == null_rank);
        expect(world.improbe(null_rank, 1)->recv(value).size_bytes == 0);
        expect(world.sendrecv(value, null_rank, 0, value, null_rank, 0).source == null_rank);
        PersistentRequest sender = world.send_init(value, null_rank, 1);
        PersistentRequest receiver = world.recv_init(value, null_rank, 1);
        for (int i = 0; i < 2; ++i) {
            sender.start();
            receiver.start();
            sender.wait();
            expect(receiver.wait().source == null_rank);
        }
        expect(value == 9);
    });
}

TEST_CASE("a rank sends to itself, before and after the receive, large and small")
{
    at_size(2, [](const Communicator& world) {
        for (const std::size_t count : {0u, 10u, 20'000u, 300'000u}) {
            const auto out = numbers(world.rank(), 1, count);
            std::vector<int> in(count);
            Request sent = world.isend(out, world.rank(), 1);
            world.recv(in, world.rank(), 1);
            sent.wait();
            expect(in == out);
            std::vector<int> second(count);
            Request received = world.irecv(second, any_source, 2);
            world.ssend(out, world.rank(), 2);
            received.wait();
            expect(second == out);
        }
    });
}
