// Equal blocks of many sizes from all to all, every byte checked: hierarchical or by lanes where there are
// several hosts, out of memory of either kind, in place or not, in one call or in several at once.
#include <algorithm>
#include <deque>

#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::alltoall {

namespace {

using Plain = std::vector<std::byte>;
using Shared = shared_vector<std::byte>;

// What this rank sends to all ranks, or what it is to get from them.
template <class Memory>
Memory blocks(const Communicator& group, std::size_t number, std::size_t block_bytes, bool sent)
{
    Memory all;
    for (int peer = 0; peer < group.size(); ++peer) {
        const int from = sent ? group.rank() : peer;
        const int to = sent ? peer : group.rank();
        const Plain block = bytes(from, number * 64 + static_cast<std::size_t>(to), block_bytes);
        all.insert(all.end(), block.begin(), block.end());
    }
    return all;
}

template <class Memory>
void check(const Communicator& group, std::size_t number, std::size_t block_bytes,
           const CollectiveOptions& options)
{
    Memory in = blocks<Memory>(group, number, block_bytes, true);
    const Memory before = in;
    const Memory expected = blocks<Memory>(group, number, block_bytes, false);
    Memory out(in.size(), std::byte{0xee});
    group.alltoall(in, out, options);
    expect(out == expected, "alltoall");
    expect(in == before, "what was sent");
    // The memory is the caller's again as soon as its own call has ended.
    std::ranges::fill(in, std::byte{0xdd});
    group.alltoall(before, out, options);
    expect(out == expected, "alltoall again");
    Memory data = before;
    group.alltoall(data);
    expect(data == expected, "in place");
}

// Several calls whose messages cross.
template <class Memory>
void check_at_once(const Communicator& group, std::size_t block_bytes, const CollectiveOptions& options)
{
    constexpr std::size_t kCalls = 4;
    std::deque<Memory> in;
    std::deque<Memory> out;
    std::vector<Request> requests;
    for (std::size_t call = 0; call < kCalls; ++call) {
        in.push_back(blocks<Memory>(group, call, block_bytes, true));
        out.emplace_back(in.back().size());
        requests.push_back(group.ialltoall(in.back(), out.back(), options));
    }
    wait_all(requests);
    for (std::size_t call = 0; call < kCalls; ++call)
        expect(out[call] == blocks<Memory>(group, call, block_bytes, false), "calls at once");
}

void check(const Communicator& group, const CollectiveOptions& options)
{
    std::size_t number = 0;
    for (const std::size_t block_bytes : {1u, 2u, 77u, 1023u, 1024u, 4095u, 4099u, 8191u, 16'384u, 16'387u,
                                          33'333u, 65'537u, 131'072u, 200'001u}) {
        check<Plain>(group, ++number, block_bytes, options);
        check<Shared>(group, ++number, block_bytes, options);
    }
    for (const std::size_t block_bytes : {33u, 20'000u, 100'001u}) {
        check_at_once<Plain>(group, block_bytes, options);
        check_at_once<Shared>(group, block_bytes, options);
    }
}

}  // namespace

// Argument: an algorithm; without it, that of the rules.
int run_program(int argc, char** argv)
{
    Environment environment(argc, argv);
    const Communicator world = environment.world();
    const CollectiveOptions options =
        argc > 1 ? CollectiveOptions{.algorithm = argv[1]} : CollectiveOptions{};
    check(world, options);
    // Hosts led by other ranks.
    check(*world.split(0, {.key = -world.rank()}), options);
    return 0;
}

const Program program("alltoall", run_program);

}  // namespace tutti::test::alltoall
