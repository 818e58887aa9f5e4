// Exchanges in which every block has a datatype of its own.
#include <array>
#include <numeric>

#include "lib/core/calls/intercommunicator_calls.hpp"
#include "lib/core/communicators/neighbor_topology.hpp"
#include "lib/foundation/datatype/build.hpp"
#include "tests/unit/core/sides.hpp"

using namespace tutti;
using namespace tutti::test;
using namespace tutti::detail;

namespace {

constexpr int kNobodys = -7;

void complete(const CallHandle& call, Form form)
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

// A block of `from` for `to`: from + to + 1 numbers.
std::vector<int> block_for(int from, int to)
{
    std::vector<int> block(static_cast<std::size_t>(from + to + 1));
    std::iota(block.begin(), block.end(), 1000 * from + 100 * to);
    return block;
}

// Blocks in one memory, each behind the other: one side's are contiguous or every other element, by rank; the
// other side's have gaps of two and the first of their elements last.
struct Blocks {
    Blocks(std::size_t count, bool scrambled) : scrambled_(scrambled), starts(count)
    {
        const datatype::TypemapRef number = datatype::basic(DataType::int32);
        for (std::size_t i = 0; i < count; ++i) {
            if (scrambled)
                types_.push_back(datatype::resized(8, 12, *number));  // the bytes lie before the lower bound
            else
                types_.push_back(i % 2 == 0 ? number : datatype::resized(0, 8, *number));
        }
    }

    void add(std::size_t index, std::size_t count)
    {
        starts[index] = memory.size();
        memory.insert(memory.end(), count * stride(index), kNobodys);
        counts.push_back(count);
    }
    std::size_t stride(std::size_t index) const { return scrambled_ ? 3 : index % 2 == 0 ? 1 : 2; }
    void set(std::size_t index, const std::vector<int>& values)
    {
        for (std::size_t i = 0; i < values.size(); ++i)
            memory[starts[index] + i * stride(index)] = values[i];
    }
    std::vector<int> get(std::size_t index) const
    {
        std::vector<int> values;
        for (std::size_t i = 0; i < counts[index]; ++i)
            values.push_back(memory[starts[index] + i * stride(index)]);
        return values;
    }
    std::vector<TypedBlock> blocks()
    {
        std::vector<TypedBlock> all;
        for (std::size_t i = 0; i < counts.size(); ++i)
            all.push_back(
                {reinterpret_cast<std::byte*>(memory.data() + starts[i]), counts[i], types_[i].get()});
        return all;
    }
    std::size_t untouched() const { return static_cast<std::size_t>(std::ranges::count(memory, kNobodys)); }

    bool scrambled_;
    std::vector<datatype::TypemapRef> types_;
    std::vector<int> memory;
    std::vector<std::size_t> starts;
    std::vector<std::size_t> counts;
};

// For each peer: a block of what goes to it, and one for what comes from it.
struct Exchange {
    Exchange(int rank, const std::vector<int>& peers) : out(peers.size(), false), in(peers.size(), true)
    {
        for (std::size_t i = 0; i < peers.size(); ++i) {
            out.add(i, block_for(rank, peers[i]).size());
            out.set(i, block_for(rank, peers[i]));
            in.add(i, block_for(peers[i], rank).size());
        }
        gaps = in.untouched() - std::accumulate(in.counts.begin(), in.counts.end(), std::size_t{0});
    }
    void check(int rank, const std::vector<int>& peers) const
    {
        for (std::size_t i = 0; i < peers.size(); ++i)
            expect(in.get(i) == block_for(peers[i], rank));
        expect(in.untouched() == gaps, "between the elements");
    }

    Blocks out;
    Blocks in;
    std::size_t gaps;
};

std::vector<int> all_of(int size)
{
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

}  // namespace

TEST_CASE("alltoallw: blocks of any types")
{
    const Form form = GENERATE(Form::blocking, Form::nonblocking, Form::persistent);
    const int ranks = GENERATE(1, 2, 5);
    at_ranks(ranks, [&](const Communicator& world) {
        const StatePointer& state = CommunicatorAccess::state_of(world);
        Exchange exchange(world.rank(), all_of(ranks));
        complete(call_alltoallw(state, form, exchange.out.blocks(), exchange.in.blocks()), form);
        exchange.check(world.rank(), all_of(ranks));

        // In place: two ranks exchange as much each way. Twice in the persistent form: as before.
        Exchange data(world.rank(), all_of(ranks));
        for (int peer = 0; peer < ranks; ++peer)
            data.in.set(static_cast<std::size_t>(peer), block_for(world.rank(), peer));
        complete(call_alltoallw(state, form, {}, data.in.blocks()), form);
        if (form == Form::persistent)
            complete(call_alltoallw(state, Form::blocking, {}, data.in.blocks()), Form::blocking);
        data.check(world.rank(), all_of(ranks));
        try {
            static_cast<void>(call_alltoallw(state, form, {}, {}));
            expect(false, "no error");
        } catch (const Error& error) {
            expect(error.code() == ErrorCode::invalid_argument);
        }
    });
}

TEST_CASE("alltoallw among neighbours, of whom one is nobody and one this rank")
{
    const Form form = GENERATE(Form::blocking, Form::nonblocking, Form::persistent);
    at_ranks(4, [&](const Communicator& world) {
        const auto topology = std::make_shared<Topology>();
        topology->sources = {(world.rank() + 3) % 4, null_rank, world.rank()};
        topology->destinations = {null_rank, world.rank(), (world.rank() + 1) % 4};
        Blocks out(3, false);
        Blocks in(3, true);
        for (const std::size_t side : {0u, 1u, 2u}) {
            const int to = topology->destinations[side];
            const std::vector<int> block = to == null_rank ? std::vector{1, 2} : block_for(world.rank(), to);
            out.add(side, block.size());
            out.set(side, block);
            const int from = topology->sources[side];
            in.add(side, from == null_rank ? 2 : block_for(from, world.rank()).size());
        }
        complete(call_neighbor_blocks(CommunicatorAccess::state_of(world), topology, form,
                                      collectives::CallKind::neighbor_alltoallw, out.blocks(), in.blocks()),
                 form);
        expect(in.get(0) == block_for((world.rank() + 3) % 4, world.rank()));
        expect(in.get(1) == std::vector{kNobodys, kNobodys});
        expect(in.get(2) == block_for(world.rank(), world.rank()));
    });
}

TEST_CASE("an allgather among neighbours sends one block to all of them")
{
    const Form form = GENERATE(Form::blocking, Form::nonblocking, Form::persistent);
    const bool scrambled = GENERATE(false, true);
    at_ranks(4, [&](const Communicator& world) {
        const auto topology = std::make_shared<Topology>();
        const int source = (world.rank() + 3) % 4;
        topology->sources = {source, world.rank(), source};
        topology->destinations = {(world.rank() + 1) % 4, world.rank(), (world.rank() + 1) % 4};
        Blocks out(1, scrambled);
        Blocks in(3, true);
        out.add(0, 3);
        out.set(0, {world.rank(), 7, -world.rank()});
        for (const std::size_t side : {0u, 1u, 2u})
            in.add(side, 3);
        complete(call_neighbor_blocks(CommunicatorAccess::state_of(world), topology, form,
                                      collectives::CallKind::neighbor_allgather, out.blocks(), in.blocks()),
                 form);
        expect(in.get(0) == std::vector{source, 7, -source});
        expect(in.get(1) == std::vector{world.rank(), 7, -world.rank()});
        expect(in.get(2) == in.get(0));
    });
}

TEST_CASE("alltoallw across two groups")
{
    const Form form = GENERATE(Form::blocking, Form::nonblocking, Form::persistent);
    at_ranks(5, [&](const Communicator& world) {
        const Sides sides(world);
        Exchange exchange(world.rank(), sides.state->peers());
        complete(call_inter_alltoallw(sides.state, form, exchange.out.blocks(), exchange.in.blocks()), form);
        exchange.check(world.rank(), sides.state->peers());
    });
}
