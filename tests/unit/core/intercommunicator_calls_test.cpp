// The collectives of intercommunicators, in all forms: what one group gives, the other gets.
#include <algorithm>
#include <functional>
#include <numeric>

#include "lib/core/calls/intercommunicator_calls.hpp"
#include "tests/unit/core/sides.hpp"

using namespace tutti;
using namespace tutti::test;
using namespace tutti::detail;

namespace {

void finish(const CallHandle& call, Form form)
{
    if (form == Form::nonblocking)
        call.request().wait();
    if (form == Form::persistent) {
        PersistentRequest request = call.persistent();
        for (int round = 0; round < 2; ++round) {
            request.start();
            request.wait();
        }
    }
}

using Numbers = std::vector<int>;

ConstElements input(const Numbers& values)
{
    return {reinterpret_cast<const std::byte*>(values.data()), values.size(), sizeof(int)};
}
Elements output(Numbers& values)
{
    return {reinterpret_cast<std::byte*>(values.data()), values.size(), sizeof(int)};
}
BlockBuffers buffers(const Numbers& in, Numbers& out)
{
    return {input(in), output(out), false};
}

// What the rank with this number in the job gives.
Numbers given(int world_rank, std::size_t count)
{
    Numbers values(count);
    std::iota(values.begin(), values.end(), world_rank * 100'000);
    return values;
}

// The same of all ranks of a group, one behind the other.
Numbers given_by(const std::vector<int>& ranks, std::size_t count)
{
    Numbers all;
    for (const int rank : ranks) {
        const Numbers values = given(rank, count);
        all.insert(all.end(), values.begin(), values.end());
    }
    return all;
}

Numbers summed(const std::vector<int>& ranks, std::size_t count)
{
    Numbers sums(count);
    for (const int rank : ranks)
        std::ranges::transform(sums, given(rank, count), sums.begin(), std::plus<>());
    return sums;
}

const Operator kSumOfInts{Op::sum, DataType::int32, {}};

void at_all(const std::function<void(const Sides&, Form, std::size_t)>& body)
{
    const Form form = GENERATE(Form::blocking, Form::nonblocking, Form::persistent);
    for (const int ranks : {2, 3, 8})
        at_ranks(ranks, [&](const Communicator& world) {
            const Sides sides(world);
            for (const std::size_t count : {0u, 3u, 1100u})
                body(sides, form, count);
        });
}

// Calls body(root) for a root in each group: its rank in the other group, or what its own group gives.
void for_roots(const Sides& sides, const std::function<void(int root, int root_world_rank)>& body)
{
    const StatePointer& state = sides.state;
    for (const bool in_third : {true, false}) {
        const bool own = in_third == sides.third;
        const int root = own ? state->size() - 1 : static_cast<int>(state->peers().size()) - 1;
        if (own)
            body(state->rank() == root ? kRootHere : kRootBeside, state->world_rank(root));
        else
            body(root, state->peer_rank(root));
    }
}

}  // namespace

TEST_CASE("intercommunicator: broadcast and reduce")
{
    at_all([](const Sides& sides, Form form, std::size_t count) {
        const int me = sides.world.rank();
        for_roots(sides, [&](int root, int root_rank) {
            Numbers data = root == kRootHere ? given(me, count) : Numbers(count, -1);
            finish(call_inter_broadcast(sides.state, form, {{}, output(data), false}, root), form);
            expect(data == (root == kRootBeside ? Numbers(count, -1) : given(root_rank, count)));

            Numbers out(count, -1);
            const Numbers in = given(me, count);
            finish(call_inter_reduce(sides.state, form, {input(in), output(out)}, kSumOfInts, root), form);
            expect(out == (root == kRootHere ? summed(sides.state->peers(), count) : Numbers(count, -1)));
        });
    });
}

TEST_CASE("intercommunicator: gather and scatter")
{
    at_all([](const Sides& sides, Form form, std::size_t count) {
        const StatePointer& state = sides.state;
        const std::size_t peers = state->peers().size();
        const Numbers mine = given(sides.world.rank(), count);
        for_roots(sides, [&](int root, int root_rank) {
            const bool here = root == kRootHere;
            Numbers all(here ? count * peers : 0);
            finish(call_inter_gather(state, form, buffers(mine, all), root), form);
            expect(all == (here ? given_by(state->peers(), count) : Numbers()));

            // Blocks of 0, 1, 2 ... elements, the last rank's first.
            const auto length = [&](int rank) { return count == 0 ? 0 : static_cast<std::size_t>(rank); };
            std::vector<std::size_t> counts;
            std::vector<std::size_t> places;
            for (std::size_t rank = 0; rank < peers; ++rank)
                counts.push_back(length(static_cast<int>(rank)));
            const std::size_t total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
            for (std::size_t rank = 0, end = total; rank < peers; ++rank)
                places.push_back(end -= counts[rank]);
            Numbers unequal(here ? total : 0);
            const Numbers own = given(sides.world.rank(), length(state->rank()));
            finish(call_inter_gatherv(state, form, buffers(own, unequal), {counts, places}, root), form);
            for (std::size_t rank = 0; here && rank < peers; ++rank) {
                const auto from = unequal.begin() + static_cast<std::ptrdiff_t>(places[rank]);
                const Numbers block(from, from + static_cast<std::ptrdiff_t>(counts[rank]));
                expect(block == given(state->peer_rank(static_cast<int>(rank)), counts[rank]));
            }

            // Back: every rank gets its part of what the root gives.
            Numbers part(root >= 0 ? count : 0);
            const Numbers whole = given(sides.world.rank(), here ? count * peers : 0);
            finish(call_inter_scatter(state, form, buffers(whole, part), root), form);
            Numbers back(root >= 0 ? length(state->rank()) : 0);
            const Numbers wholes = given(sides.world.rank(), total);
            finish(call_inter_scatterv(state, form, buffers(here ? wholes : Numbers(), back),
                                       {counts, places}, root),
                   form);
            if (root < 0)
                return;
            Numbers expected(count);
            std::iota(expected.begin(), expected.end(),
                      root_rank * 100'000 + state->rank() * static_cast<int>(count));
            expect(part == expected);
            // In the order of places, the ranks after this one come first.
            int first = 0;
            for (int rank = state->rank() + 1; rank < state->size(); ++rank)
                first += static_cast<int>(length(rank));
            Numbers expected_back(back.size());
            std::iota(expected_back.begin(), expected_back.end(), root_rank * 100'000 + first);
            expect(back == expected_back);
        });
    });
}

TEST_CASE("intercommunicator: allgather, allreduce and reduce_scatter")
{
    at_all([](const Sides& sides, Form form, std::size_t count) {
        const StatePointer& state = sides.state;
        const std::size_t peers = state->peers().size();
        const int me = sides.world.rank();
        // One group gives twice as many.
        const std::size_t gives = sides.third ? 2 * count : count;
        const std::size_t gets = sides.third ? count : 2 * count;
        Numbers all(gets * peers, -1);
        finish(call_inter_allgather(state, form, buffers(given(me, gives), all)), form);
        expect(all == given_by(state->peers(), gets));

        std::vector<std::size_t> counts(peers);
        std::vector<std::size_t> places(peers);
        for (std::size_t rank = 0; rank < peers; ++rank) {
            counts[rank] = count == 0 ? 0 : rank;
            places[rank] = 2 * peers * rank;  // with gaps
        }
        Numbers unequal(2 * peers * peers, -1);
        const Numbers own = given(me, count == 0 ? 0 : static_cast<std::size_t>(state->rank()));
        finish(call_inter_allgatherv(state, form, buffers(own, unequal), {counts, places}), form);
        for (std::size_t rank = 0; rank < peers; ++rank) {
            const auto from = unequal.begin() + static_cast<std::ptrdiff_t>(places[rank]);
            const auto to = from + static_cast<std::ptrdiff_t>(counts[rank]);
            expect(Numbers(from, to) == given(state->peer_rank(static_cast<int>(rank)), counts[rank]));
            expect(*to == -1);
        }

        Numbers sums(count);
        const Numbers mine = given(me, count);
        finish(call_inter_allreduce(state, form, {input(mine), output(sums)}, kSumOfInts), form);
        expect(sums == summed(state->peers(), count));

        // As many elements in both groups, so that they divide among either.
        const std::size_t elements = count * peers * static_cast<std::size_t>(state->size());
        const std::size_t block = count * peers;
        const Numbers many = given(me, elements);
        const Numbers expected = summed(state->peers(), elements);
        const auto check_part = [&](const Numbers& part, std::size_t first) {
            const auto from = expected.begin() + static_cast<std::ptrdiff_t>(first);
            expect(std::equal(part.begin(), part.end(), from));
        };
        Numbers part(block);
        finish(call_inter_reduce_scatter(state, form, {input(many), output(part)}, kSumOfInts), form);
        check_part(part, block * static_cast<std::size_t>(state->rank()));
        // The first rank gets all.
        std::vector<std::size_t> first_all(static_cast<std::size_t>(state->size()));
        first_all[0] = elements;
        Numbers whole(state->rank() == 0 ? elements : 0);
        finish(call_inter_reduce_scatterv(state, form, {input(many), output(whole)}, first_all, kSumOfInts),
               form);
        check_part(whole, 0);
    });
}

TEST_CASE("intercommunicator: alltoall, and a barrier of both groups")
{
    at_all([](const Sides& sides, Form form, std::size_t count) {
        const StatePointer& state = sides.state;
        const std::size_t peers = state->peers().size();
        const Numbers out_of = given(sides.world.rank(), count * peers);
        Numbers into(count * peers);
        finish(call_inter_alltoall(state, form, buffers(out_of, into)), form);
        Numbers expected;
        for (std::size_t rank = 0; rank < peers; ++rank)
            for (std::size_t i = 0; i < count; ++i)
                expected.push_back(state->peer_rank(static_cast<int>(rank)) * 100'000 +
                                   state->rank() * static_cast<int>(count) + static_cast<int>(i));
        expect(into == expected);

        // Rank a of one group and b of the other exchange a + b elements.
        std::vector<std::size_t> counts(peers);
        for (std::size_t rank = 0; rank < peers; ++rank)
            counts[rank] = count == 0 ? 0 : rank + static_cast<std::size_t>(state->rank());
        const std::size_t total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
        const Numbers sent(total, sides.world.rank());
        Numbers received(total, -1);
        finish(call_inter_alltoallv(state, form, buffers(sent, received), counts, counts), form);
        Numbers expected_ranks;
        for (std::size_t rank = 0; rank < peers; ++rank)
            expected_ranks.insert(expected_ranks.end(), counts[rank],
                                  state->peer_rank(static_cast<int>(rank)));
        expect(received == expected_ranks);
        finish(call_barrier(all_ranks(state), form, {}), form);
    });
}

TEST_CASE("intercommunicator: a reduction keeps the order of ranks; calls that differ are named")
{
    at_ranks(5, [](const Communicator& world) {
        const Sides sides(world);  // 3, 0 and 1, 2, 4
        const auto left = user_op([](int a, int) { return a; }, non_commutative);
        const auto right = user_op([](int, int b) { return b; }, non_commutative);
        const Numbers in{world.rank()};
        Numbers first(1);
        Numbers last(1);
        static_cast<void>(call_inter_allreduce(sides.state, Form::blocking, {input(in), output(first)},
                                               operator_of<int>(left)));
        static_cast<void>(call_inter_allreduce(sides.state, Form::blocking, {input(in), output(last)},
                                               operator_of<int>(right)));
        expect(first[0] == (sides.third ? 1 : 3) && last[0] == (sides.third ? 4 : 0));
    });
    try {
        run_threads(3, [](Environment& environment) {
            const Sides sides(environment.world());
            Numbers data(2);
            if (sides.third)
                static_cast<void>(call_inter_allgather(sides.state, Form::blocking, buffers({1, 2}, data)));
            else
                static_cast<void>(call_inter_allreduce(sides.state, Form::blocking,
                                                       {input({1, 2}), output(data)}, kSumOfInts));
            environment.world().barrier();
        });
        FAIL("no error");
    } catch (const Error& error) {
        CHECK_THAT(error.what(), Catch::Matchers::Contains("allgather") &&
                                     Catch::Matchers::Contains("allreduce of 8 bytes, sum of int32"));
    }
}
