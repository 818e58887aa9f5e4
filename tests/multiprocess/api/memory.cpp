// A collective whose algorithm finds no working memory. Prints what it is told.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "tests/multiprocess/api/program.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test::memory {

namespace {

// From now on this process gets at most `bytes` more.
void limit_memory(std::size_t bytes)
{
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t limit = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + bytes;
    const rlimit both{limit, limit};
    setrlimit(RLIMIT_AS, &both);
}

}  // namespace

int run_program(int argc, char** argv)
{
    constexpr std::size_t kCount = 16u << 20;
    // It combines whole buffers.
    const tutti::CollectiveOptions kNeedsAll{.algorithm = "recursive_doubling"};
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    std::vector<float> data(kCount, 1.0f);
    world.barrier();
    limit_memory(8u << 20);
    try {
        if (const std::string call = argc > 1 ? argv[1] : ""; call == "allreduce")
            world.allreduce(data, tutti::sum, kNeedsAll);
        else if (call == "iallreduce")
            world.iallreduce(data, tutti::sum, kNeedsAll).wait();
        else
            world.reduce_scatter(data, tutti::sum, {.algorithm = call});
    } catch (const tutti::Error& error) {
        std::printf("%s\n", error.what());
        std::fflush(stdout);
        return 3;
    }
    return 0;
}

const Program program("memory", run_program);

}  // namespace tutti::test::memory
