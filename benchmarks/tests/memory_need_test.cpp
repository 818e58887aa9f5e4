#include "benchmarks/suite/library/memory_need.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace tutti::bench;

TEST_CASE("the memory that is available is read from what the kernel says", "[benchmarks]")
{
    CHECK(available_bytes("MemTotal: 16 kB\nMemFree: 2 kB\nMemAvailable:      12 kB\nBuffers: 1 kB\n") ==
          12288.0);
    CHECK(std::isinf(available_bytes("MemTotal: 16 kB\n")));
    CHECK(std::isinf(available_bytes("")));
    CHECK(available_bytes() > 1e6);
}

TEST_CASE("all ranks of a host share its memory", "[benchmarks]")
{
    constexpr double kGiB = 1 << 30;
    const std::vector<MemoryNeed> needs = {{kGiB, 4 * kGiB}, {3 * kGiB, 5 * kGiB}, {2 * kGiB, 3 * kGiB}};
    CHECK(lack_of_memory(needs, std::vector{0, 0, 1}).empty());
    CHECK(lack_of_memory(needs, std::vector{0, 1, 0}).empty());
    CHECK(
        lack_of_memory(needs, std::vector{0, 1, 1}) ==
        "the buffers of the 2 ranks on the host of rank 1 need 5.0 GiB, and 3.0 GiB of memory are available "
        "there: choose smaller sizes with -m, or fewer ranks");
    CHECK_THAT(lack_of_memory(std::vector<MemoryNeed>{{2e30, kGiB}}, std::vector{0}),
               Catch::StartsWith("the buffers of the 1 rank on the host of rank 0 need "));
    CHECK(lack_of_memory({}, {}).empty());
}
