// Messages of all kinds between ranks that cannot see each other's files, as in containers. Each rank prints
// what memory of the ranks it has mapped. Argument "undumpable": be a process whose files nobody may open.
#include <sys/prctl.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::containers {

namespace {

// Different memory files of that name.
std::size_t mapped(const std::string& name)
{
    std::ifstream maps("/proc/self/maps");
    std::set<std::string> inodes;
    for (std::string line; std::getline(maps, line);) {
        std::istringstream words(line);
        std::string range, rights, offset, device, inode, path;
        words >> range >> rights >> offset >> device >> inode >> path;
        if (path == "/memfd:" + name)
            inodes.insert(inode);
    }
    return inodes.size();
}

template <class Memory>
void exchange(const Communicator& world, std::size_t size)
{
    std::vector<Memory> in(static_cast<std::size_t>(world.size()), Memory(size));
    std::vector<Memory> out(static_cast<std::size_t>(world.size()), Memory(size));
    std::vector<Request> requests;
    for (int peer = 0; peer < world.size(); ++peer) {
        const auto at = static_cast<std::size_t>(peer);
        const std::vector<std::byte> data = bytes(world.rank(), at, size);
        out[at].assign(data.begin(), data.end());
        requests.push_back(world.irecv(in[at], peer, 1));
        requests.push_back(world.isend(out[at], peer, 1));
    }
    wait_all(requests);
    for (int peer = 0; peer < world.size(); ++peer) {
        const std::vector<std::byte> expected = bytes(peer, static_cast<std::size_t>(world.rank()), size);
        const Memory& got = in[static_cast<std::size_t>(peer)];
        expect(std::vector<std::byte>(got.begin(), got.end()) == expected, "message");
    }
}

}  // namespace

int run_program(int argc, char** argv)
{
    if (argc > 1 && std::string_view(argv[1]) == "undumpable")
        prctl(PR_SET_DUMPABLE, 0);
    Environment environment(argc, argv);
    const Communicator world = environment.world();
    for (const std::size_t size : {0u, 100u, 8000u, 100'000u, 1u << 20}) {
        exchange<std::vector<std::byte>>(world, size);
        exchange<shared_vector<std::byte>>(world, size);
    }
    for (int late = 0; late < world.size(); ++late) {  // the others are asleep by then
        if (world.rank() == late)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        int value = world.rank();
        world.allreduce(value, sum);
        expect(value == world.size() * (world.size() - 1) / 2, "allreduce");
        world.barrier();
    }
    std::printf("%zu inboxes, %zu heaps, %zu boards\n", mapped("tutti-inbox"), mapped("tutti-heap"),
                mapped("tutti-board"));
    return 0;
}

const Program program("containers", run_program);

}  // namespace tutti::test::containers
