// Short messages between all pairs of ranks, again and again. Rank 0 prints how many KiB of shared memory the
// ranks' inboxes hold, a pair of ranks.
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::many_peers {

namespace {

// Of this process's own.
double inbox_kib()
{
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
        struct stat status {};
        if (target.find("memfd:tutti-inbox") != std::string::npos && stat(entry.path().c_str(), &status) == 0)
            return static_cast<double>(status.st_blocks) / 2;
    }
    return -1e9;
}

}  // namespace

int run_program(int argc, char** argv)
{
    Environment environment(argc, argv);
    const Communicator world = environment.world();
    for (std::size_t round = 0; round < 60; ++round) {
        std::vector<std::vector<std::byte>> in(static_cast<std::size_t>(world.size()),
                                               std::vector<std::byte>(400));
        std::vector<std::vector<std::byte>> out;
        std::vector<Request> requests;
        for (int peer = 0; peer < world.size(); ++peer)
            out.push_back(bytes(world.rank(), round, 400));
        for (int peer = 0; peer < world.size(); ++peer) {
            requests.push_back(world.irecv(in[static_cast<std::size_t>(peer)], peer, 1));
            requests.push_back(world.isend(out[static_cast<std::size_t>(peer)], peer, 1));
        }
        wait_all(requests);
        for (int peer = 0; peer < world.size(); ++peer)
            expect(in[static_cast<std::size_t>(peer)] == bytes(peer, round, 400), "message");
    }
    double kib = inbox_kib();
    world.allreduce(kib, sum);
    if (world.rank() == 0)
        std::printf("%.1f\n", kib / (world.size() * (world.size() - 1)));
    return 0;
}

const Program program("many_peers", run_program);

}  // namespace tutti::test::many_peers
