// All ranks but 0 flood it with messages that it does not ask for yet: its memory stays bounded, the senders
// wait.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::flood {

namespace {

// From each sender.
constexpr std::size_t kTotalBytes = 64u << 20;
constexpr std::size_t kEmptyMessages = 200'000;
// For each sender, its credit and what keeping it costs.
constexpr std::size_t kBoundKib = 24u << 10;

std::size_t resident_kib()
{
    unsigned long total = 0;
    unsigned long resident = 0;
    std::FILE* statm = std::fopen("/proc/self/statm", "r");
    expect(statm != nullptr && std::fscanf(statm, "%lu %lu", &total, &resident) == 2);
    std::fclose(statm);
    return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 1024;
}

}  // namespace

int run_program(int argc, char** argv)
{
    Environment environment(argc, argv);
    const Communicator world = environment.world();
    for (const std::size_t size : {0u, 200u, 1024u, 30'000u}) {
        const std::size_t messages = size == 0 ? kEmptyMessages : kTotalBytes / size;
        world.barrier();
        if (world.rank() != 0) {
            std::vector<std::byte> out = bytes(world.rank(), size, size);
            for (std::size_t i = 0; i < messages; ++i) {
                if (size != 0)
                    out[0] = static_cast<std::byte>(i);
                world.send(out, 0, 1);
            }
            continue;
        }
        const std::size_t before = resident_kib();
        const auto start = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(300))
            expect(!world.iprobe(any_source, 2).has_value());
        const std::size_t grown = resident_kib() - std::min(before, resident_kib());
        expect(grown < kBoundKib * static_cast<std::size_t>(world.size() - 1),
               std::to_string(grown) + " KiB grown");
        std::vector<std::byte> in(size);
        for (int source = 1; source < world.size(); ++source) {
            std::vector<std::byte> expected = bytes(source, size, size);
            for (std::size_t i = 0; i < messages; ++i) {
                if (size != 0)
                    expected[0] = static_cast<std::byte>(i);
                expect(world.recv(in, source, 1).size_bytes == size);
                expect(in == expected);
            }
        }
    }
    return 0;
}

const Program program("flood", run_program);

}  // namespace tutti::test::flood
