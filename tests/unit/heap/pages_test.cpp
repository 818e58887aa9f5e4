// What the heap takes from the system: nothing for memory that is not touched, and little more than the C
// library after a long random trace.
#include "tests/unit/heap/preloaded.hpp"

#include <sys/stat.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

using namespace tutti;

namespace {

std::size_t bytes_of_file()
{
    struct stat status {};
    REQUIRE(fstat(test::segment().descriptor, &status) == 0);
    return static_cast<std::size_t>(status.st_blocks) * 512;
}

}  // namespace

TEST_CASE("what is not touched takes no memory, with malloc and with calloc")
{
    const std::size_t before = bytes_of_file();
    std::vector<void*> blocks;
    for (int i = 0; i < 40; ++i) {
        blocks.push_back(std::malloc(std::size_t{4} << 20));
        blocks.push_back(std::calloc(std::size_t{1} << 20, 4));
    }
    for (void* const block : blocks)
        REQUIRE(test::is_in_heap(block));
    CHECK(bytes_of_file() < before + (std::size_t{4} << 20));
    for (void* const block : blocks)
        std::free(block);
}

TEST_CASE("freed memory goes back to the system, but for what the next requests will want")
{
    std::vector<void*> blocks;
    for (int i = 0; i < 800; ++i)
        blocks.push_back(std::memset(std::malloc(300'000), 1, 300'000));
    CHECK(bytes_of_file() >= 800 * 300'000u);
    for (void* const block : blocks)
        std::free(block);
    CHECK(bytes_of_file() < (std::size_t{36} << 20));
}

TEST_CASE("a long random trace takes little more memory than what is in use")
{
    const auto [mib_in_use, doublings, most_beside] =
        GENERATE(table<std::size_t, double, std::size_t>({{60, 10, 35u << 20}, {1, 6, 640u << 10}}));
    const std::size_t most = mib_in_use << 20;
    std::mt19937 random(11);
    std::vector<std::pair<char*, std::size_t>> blocks;
    std::size_t used = 0;
    const std::size_t before = bytes_of_file();
    for (int i = 0; i < 12'000; ++i) {
        if (used < most) {
            const auto bytes =
                static_cast<std::size_t>(4096 * std::exp2(random() % 1000 / 1000.0 * doublings));
            char* const data = static_cast<char*>(std::malloc(bytes));
            for (std::size_t page = 0; page < bytes; page += heap::kPage)
                data[page] = 1;
            blocks.emplace_back(data, bytes);
            used += bytes;
        }
        if (used >= most || random() % 3 == 0) {
            std::swap(blocks[random() % blocks.size()], blocks.back());
            std::free(blocks.back().first);
            used -= blocks.back().second;
            blocks.pop_back();
        }
    }
    INFO(used << " in use, " << bytes_of_file() << " taken");
    CHECK(bytes_of_file() < before + used + most_beside);
    for (const auto& block : blocks)
        std::free(block.first);
    CHECK(bytes_of_file() < (std::size_t{36} << 20));
}
