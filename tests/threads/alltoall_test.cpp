// alltoall and alltoallv on real ranks.
#include "tests/threads/blocks_support.hpp"

using namespace tutti;
using namespace tutti::test;

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
