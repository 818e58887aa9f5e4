// Which message a receive gets: order, wildcards, communicators.
#include <map>

#include "tests/threads/support.hpp"

using namespace tutti;
using namespace tutti::test;

TEST_CASE("messages of one sender and tag come in order, mixed sizes and modes")
{
    at_all_sizes([](const Communicator& world) {
        constexpr int kMessages = 200;
        const auto size_of = [](int i) { return static_cast<std::size_t>(i % 10 == 0 ? i * 200 : i % 50); };
        std::vector<Request> sent;
        for (int i = 0; i < kMessages; ++i) {
            auto data = numbers(world.rank(), i, size_of(i));
            if (i % 3 == 0)
                sent.push_back(world.issend(std::move(data), right_of(world), 1));
            else
                sent.push_back(world.isend(std::move(data), right_of(world), 1));
        }
        for (int i = 0; i < kMessages; ++i) {
            std::vector<int> in(size_of(i));
            world.recv(in, i % 2 == 0 ? any_source : left_of(world), i % 3 == 0 ? any_tag : 1);
            expect(in == numbers(left_of(world), i, size_of(i)), "message " + std::to_string(i));
        }
        wait_all(sent);
    });
}

TEST_CASE("receives from any source: each sender's messages in order, none lost or doubled")
{
    at_all_sizes([](const Communicator& world) {
        constexpr int kMessages = 100;
        std::vector<Request> sent;
        for (int i = 0; i < kMessages; ++i) {
            for (int peer = 0; peer < world.size(); ++peer)
                sent.push_back(world.isend(std::vector{world.rank(), i}, peer, i % 5));
        }
        std::map<int, int> next;
        for (int i = 0; i < kMessages * world.size(); ++i) {
            int in[2] = {-1, -1};
            const Status status = world.recv(in);
            expect(status.source == in[0] && status.size_bytes == sizeof in);
            expect(status.tag == in[1] % 5);
            expect(in[1] == next[in[0]]++, "message of " + std::to_string(in[0]));
        }
        wait_all(sent);
        for (const auto& [source, count] : next)
            expect(count == kMessages);
    });
}

TEST_CASE("tags and sources select, in whatever order things come")
{
    at_size(4, [](const Communicator& world) {
        if (world.rank() != 0) {
            for (int tag = 0; tag < 5; ++tag)
                world.send(world.rank() * 10 + tag, 0, tag);
            return;
        }
        int value = -1;
        for (const int tag : {4, 2, 0}) {
            for (const int source : {2, 3, 1}) {
                world.recv(value, source, tag);
                expect(value == source * 10 + tag);
            }
        }
        for (int i = 0; i < 3; ++i) {
            const Status status = world.recv(value, any_source, 3);
            expect(value == status.source * 10 + 3);
        }
        for (const int source : {3, 1, 2}) {
            expect(world.recv(value, source, any_tag).tag == 1);
            expect(value == source * 10 + 1);
        }
        expect(!world.iprobe().has_value());
    });
}

TEST_CASE("posted wildcards and exact receives match in the order of posting")
{
    at_size(2, [](const Communicator& world) {
        if (world.rank() == 1) {
            world.barrier();
            for (int i = 0; i < 4; ++i)
                world.send(i, 0, 7);
            return;
        }
        int got[4] = {-1, -1, -1, -1};
        std::vector<Request> requests;
        requests.push_back(world.irecv(got[0], any_source, 7));
        requests.push_back(world.irecv(got[1], 1, any_tag));
        requests.push_back(world.irecv(got[2], 1, 7));
        requests.push_back(world.irecv(got[3], any_source, any_tag));
        world.barrier();
        wait_all(requests);
        for (int i = 0; i < 4; ++i)
            expect(got[i] == i);
    });
}

TEST_CASE("communicators do not see each other's messages")
{
    at_all_sizes([](const Communicator& world) {
        const Communicator other = world.dup();
        const Communicator third = world.dup();
        world.send(1, right_of(world), 5);
        other.send(2, right_of(world), 5);
        third.send(3, right_of(world), 5);
        int value = 0;
        third.recv(value, any_source, any_tag);
        expect(value == 3);
        world.recv(value, any_source, any_tag);
        expect(value == 1);
        other.recv(value, any_source, any_tag);
        expect(value == 2);
        expect(!(world == other) && world == Communicator(world));
    });
}
