// What malloc takes and how long it needs for random traces of blocks: with malloc's heap preloaded, or the C
// library's.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lib/heap/segment.hpp"

namespace {

constexpr std::size_t kKib = 1024;
constexpr std::size_t kPage = 4096;
constexpr int kSeeds = 12;

struct Trace {
    std::size_t most_in_use;
    std::size_t least_bytes;  // sizes are spread evenly over their logarithm
    std::size_t most_bytes;
    int blocks;
};

struct Result {
    double resident_bytes = 0;  // at the end, beyond what was there before
    double ns_a_block = 0;      // in malloc and free; the first use of pages is not counted
};

double resident_bytes()
{
    std::ifstream file("/proc/self/smaps_rollup");
    for (std::string word; file >> word;)
        if (word == "Rss:") {
            double kib = 0;
            file >> kib;
            return kib * kKib;
        }
    return 0;
}

Result run(const Trace& trace, unsigned seed)
{
    using Clock = std::chrono::steady_clock;
    struct Block {
        char* data;
        std::size_t bytes;
    };
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> log_size(std::log(static_cast<double>(trace.least_bytes)),
                                                    std::log(static_cast<double>(trace.most_bytes)));
    std::vector<Block> blocks;
    blocks.reserve(std::size_t{1} << 20);
    std::size_t in_use = 0;
    Clock::duration spent{};
    const double before = resident_bytes();
    for (int i = 0; i < trace.blocks; ++i) {
        const auto bytes = static_cast<std::size_t>(std::exp(log_size(random)));
        const auto began = Clock::now();
        while (!blocks.empty() && in_use + bytes > trace.most_in_use) {
            std::swap(blocks[random() % blocks.size()], blocks.back());
            std::free(blocks.back().data);
            in_use -= blocks.back().bytes;
            blocks.pop_back();
        }
        auto* const data = static_cast<char*>(std::malloc(bytes));
        spent += Clock::now() - began;
        if (data == nullptr)
            std::abort();
        for (std::size_t offset = 0; offset < bytes; offset += kPage)
            data[offset] = 1;
        blocks.push_back({data, bytes});
        in_use += bytes;
    }
    return {resident_bytes() - before,
            std::chrono::duration<double, std::nano>(spent).count() / trace.blocks};
}

// In a process of its own, which begins without memory.
Result run_alone(const Trace& trace, unsigned seed)
{
    int ends[2];
    if (pipe(ends) != 0)
        std::abort();
    const pid_t child = fork();
    if (child == 0) {
        if (tutti_heap_open != nullptr)
            tutti_heap_open();
        const Result result = run(trace, seed);
        _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
    }
    Result result;
    int status = 1;
    const bool came = child > 0 && read(ends[0], &result, sizeof result) == sizeof result;
    if (child > 0)
        waitpid(child, &status, 0);
    if (!came || status != 0) {
        fmt::print(stderr, "malloc-trace: a trace failed\n");
        std::exit(1);
    }
    close(ends[0]);
    close(ends[1]);
    return result;
}

}  // namespace

int main()
{
    struct Row {
        std::size_t least_kib;
        std::size_t most_kib;
        int blocks;
    };
    fmt::print("# in use, MiB; blocks from, KiB; to, KiB; resident, KiB; ns a malloc with its frees\n");
    for (const std::size_t in_use_mib : {1, 4, 16, 64, 256})
        for (const Row& row : {Row{4, 64, 20'000}, Row{4, 256, 20'000}, Row{4, 1024, 4'000},
                               Row{64, 1024, 4'000}, Row{64, 8192, 4'000}}) {
            const Trace trace{in_use_mib * kKib * kKib, row.least_kib * kKib, row.most_kib * kKib,
                              row.blocks};
            Result sum;
            for (unsigned seed = 1; seed <= kSeeds; ++seed) {
                const Result result = run_alone(trace, seed);
                sum.resident_bytes += result.resident_bytes / kSeeds;
                sum.ns_a_block += result.ns_a_block / kSeeds;
            }
            fmt::print("{} {} {} {:.0f} {:.0f}\n", in_use_mib, row.least_kib, row.most_kib,
                       sum.resident_bytes / kKib, sum.ns_a_block);
            std::fflush(stdout);
        }
}
