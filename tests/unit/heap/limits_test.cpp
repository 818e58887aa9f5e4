// Where memory or the heap ends, and where the heap stays off.
#include "tests/unit/core_file.hpp"
#include "tests/unit/heap/preloaded.hpp"

#include <sys/resource.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace tutti;

namespace {

// Runs one of the hidden tests below in a process of its own, which has not opened the heap.
int run_alone(const std::string& test, const char* variable = nullptr, rlim_t address_bytes = RLIM_INFINITY)
{
    return test::status_of_child([&] {
        if (variable != nullptr)
            setenv("TUTTI_HEAP", variable, 1);
        const rlimit limit{address_bytes, address_bytes};
        setrlimit(RLIMIT_AS, &limit);
        execl("/proc/self/exe", "heap_preloaded_test", test.c_str(), static_cast<char*>(nullptr));
        return 127;
    });
}

}  // namespace

TEST_CASE("a full heap leaves the rest to the C library")
{
    std::vector<void*> blocks;
    bool was_full = false;
    for (int i = 0; i < 200; ++i) {
        blocks.push_back(std::malloc(heap::kMostBytes));
        REQUIRE(blocks.back() != nullptr);
        static_cast<char*>(blocks.back())[heap::kMostBytes - 1] = 1;
        was_full = was_full || !test::is_in_heap(blocks.back());
    }
    CHECK(was_full);
    for (void* const block : blocks)
        std::free(block);
    void* const data = std::malloc(heap::kMostBytes);
    CHECK(test::is_in_heap(data));
    std::free(data);
}

TEST_CASE("the heap is off with TUTTI_HEAP=off, and where addresses are too few")
{
    CHECK(run_alone("[has no heap]", "off") == 0);
    CHECK(run_alone("[has a heap]", "on") == 0);
    CHECK(run_alone("[has no heap]", nullptr, rlim_t{512} << 20) == 0);
    CHECK(run_alone("[memory ends]", nullptr, rlim_t{2} << 30) == 0);
}

TEST_CASE("a core file has what is in the heap, and nothing behind it")
{
    CHECK(run_alone("[core files]") == 0);
}

TEST_CASE("core files", "[.][core files]")
{
    const auto* const base = static_cast<const std::byte*>(test::segment().base);
    void* const block = std::malloc(std::size_t{5} << 20);
    REQUIRE(test::is_in_heap(block));
    CHECK(test::is_in_core_files(base));
    CHECK(test::is_in_core_files(static_cast<std::byte*>(block) + (std::size_t{5} << 20) - 1));
    CHECK_FALSE(test::is_in_core_files(base + test::segment().bytes - 1));
    std::free(block);
}

TEST_CASE("no heap", "[.][has no heap]")
{
    CHECK(tutti_heap_open() == nullptr);
    void* const data = std::malloc(100'000);
    CHECK(data != nullptr);
    std::free(std::realloc(data, 200'000));
}

TEST_CASE("a heap", "[.][has a heap]")
{
    CHECK(tutti_heap_open() != nullptr);
}

TEST_CASE("when memory ends, malloc answers NULL and sets errno", "[.][memory ends]")
{
    CHECK(test::segment().bytes == std::size_t{32} << 20);
    for (const std::size_t bytes : {std::size_t{8192}, std::size_t{1} << 20}) {
        std::vector<void*> blocks;
        blocks.reserve(1u << 19);
        void* data = nullptr;
        errno = 0;
        while ((data = std::malloc(bytes)) != nullptr)
            blocks.push_back(data);
        const int error = errno;
        for (void* const block : blocks)
            std::free(block);
        CHECK(error == ENOMEM);
        CHECK(blocks.size() * bytes > std::size_t{1} << 30);
    }
    void* const data = std::malloc(1 << 20);
    CHECK(test::is_in_heap(data));
    std::free(data);
}
