// Probing for messages, and taking them out of the queue.
#include "tests/threads/support.hpp"

using namespace tutti;
using namespace tutti::test;

TEST_CASE("probe waits for a message and tells its size, source and tag")
{
    at_all_sizes([](const Communicator& world) {
        for (const std::size_t count : {0u, 5u, 10'000u, 50'000u}) {
            Request sent = world.isend(numbers(world.rank(), 0, count), right_of(world), 3);
            const Status probed = world.probe(any_source, any_tag);
            expect(probed.source == left_of(world) && probed.tag == 3 && probed.count<int>() == count);
            expect(world.iprobe(probed.source, probed.tag)->size_bytes == probed.size_bytes);
            std::vector<int> in(probed.count<int>());
            world.recv(in, probed.source, probed.tag);
            expect(in == numbers(left_of(world), 0, count));
            sent.wait();
        }
        world.barrier();
        expect(!world.iprobe().has_value());
        expect(!world.improbe().has_value());
    });
}

TEST_CASE("a matched probe takes the message out: nobody else gets it")
{
    at_all_sizes([](const Communicator& world) {
        for (const std::size_t count : {1u, 50'000u}) {
            Request first = world.isend(numbers(world.rank(), 1, count), right_of(world), 3);
            Request second = world.isend(numbers(world.rank(), 2, count), right_of(world), 3);
            Message message = world.mprobe(left_of(world), 3);
            std::vector<int> in(count);
            world.recv(in, left_of(world), 3);
            expect(in == numbers(left_of(world), 2, count));
            Request received = message.irecv(in);
            expect(received.wait().size_bytes == count * sizeof(int));
            expect(in == numbers(left_of(world), 1, count));
            expect_error(ErrorCode::invalid_argument, "received before", [&] { message.recv(in); });
            first.wait();
            second.wait();
        }
    });
}

TEST_CASE("improbe, moved messages, and messages that are dropped")
{
    at_size(2, [](const Communicator& world) {
        for (const std::size_t count : {1u, 50'000u}) {
            if (world.rank() == 0) {
                Request dropped = world.issend(numbers(0, 1, count), 1, 3);
                Request received = world.issend(numbers(0, 2, count), 1, 3);
                dropped.wait();  // a synchronous send to whom nobody listens: dropping ends it
                received.wait();
                continue;
            }
            std::optional<Message> found;
            while (!(found = world.improbe(0, 3))) {
            }
            expect(found->status().count<int>() == count);
            found.reset();
            Message second = world.mprobe(any_source, any_tag);
            Message moved = std::move(second);
            std::vector<int> in(count);
            moved.recv(in);
            expect(in == numbers(0, 2, count));
        }
    });
}

TEST_CASE("a matched message may be truncated")
{
    at_size(2, [](const Communicator& world) {
        for (const std::size_t count : {10u, 50'000u}) {
            if (world.rank() == 0) {
                world.send(numbers(0, 1, count), 1, 3);
                continue;
            }
            Message message = world.mprobe(0, 3);
            std::vector<int> in(4);
            expect_error(ErrorCode::truncated, "the buffer 16", [&] { message.recv(in); });
            expect(in == std::vector<int>(numbers(0, 1, 4)));
        }
    });
}
