// malloc and its like with the heap preloaded: which block comes from where, and what each promises.
#include "tests/unit/heap/preloaded.hpp"

#include <malloc.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>
#include <span>
#include <string>
#include <vector>

using namespace tutti;
using test::is_in_heap;

namespace {

bool holds(const void* data, std::size_t bytes, int value)
{
    const auto* const from = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i)
        if (from[i] != value)
            return false;
    return true;
}

bool is_aligned(const void* data, std::size_t alignment)
{
    return reinterpret_cast<std::uintptr_t>(data) % alignment == 0;
}

}  // namespace

TEST_CASE("blocks from some KiB to some MiB are the heap's, others the C library's")
{
    test::segment();
    for (const std::size_t bytes :
         {heap::kLeastBytes, std::size_t{65536}, std::size_t{1} << 20, heap::kMostBytes}) {
        void* const data = std::malloc(bytes);
        CHECK(is_in_heap(data));
        CHECK(malloc_usable_size(data) >= bytes);
        CHECK(is_aligned(data, 64));
        std::free(data);
    }
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, heap::kLeastBytes - 1,
                                    heap::kMostBytes + 1, std::size_t{64} << 20}) {
        void* const data = std::malloc(bytes);
        REQUIRE(data != nullptr);
        CHECK_FALSE(is_in_heap(data));
        CHECK(malloc_usable_size(data) >= bytes);
        std::free(data);
    }
    CHECK(malloc_usable_size(nullptr) == 0);
    std::free(nullptr);
    char* const array = new char[100'000];
    CHECK(is_in_heap(array));
    delete[] array;
    const std::vector<double> vector(4096);
    CHECK(is_in_heap(vector.data()));
}

TEST_CASE("aligned blocks of all interfaces are aligned, and free takes them")
{
    for (std::size_t alignment = 8; alignment <= (std::size_t{4} << 20); alignment *= 2)
        for (const std::size_t bytes : {std::size_t{100}, std::size_t{5000}, std::size_t{300'000}}) {
            void* data[3] = {memalign(alignment, bytes), std::aligned_alloc(alignment, bytes), nullptr};
            REQUIRE(posix_memalign(&data[2], alignment, bytes) == 0);
            for (void* const one : data) {
                REQUIRE(one != nullptr);
                CHECK(is_aligned(one, alignment));
                CHECK(is_in_heap(one) == (bytes >= heap::kLeastBytes && alignment <= heap::kMostAlignment));
                CHECK(malloc_usable_size(one) >= bytes);
                std::memset(one, 1, bytes);
            }
            for (void* const one : data)
                std::free(one);
        }
    void* untouched = &untouched;
    CHECK(posix_memalign(&untouched, 3, 10'000) == EINVAL);
    CHECK(posix_memalign(&untouched, 4, 10'000) == EINVAL);
    CHECK(untouched == &untouched);
    void* const wide = ::operator new (50'000, std::align_val_t{512});
    CHECK(is_in_heap(wide));
    CHECK(is_aligned(wide, 512));
    ::operator delete (wide, std::align_val_t{512});
}

TEST_CASE("calloc's blocks are zero, also where others have written")
{
    std::mt19937 random(5);
    std::vector<unsigned char*> blocks;
    for (int i = 0; i < 1000; ++i) {
        const std::size_t bytes = 4096 + random() % (random() % 8 == 0 ? 2'000'000 : 60'000);
        auto* const block = static_cast<unsigned char*>(std::calloc(bytes / 8 + 1, 8));
        REQUIRE(block != nullptr);
        REQUIRE(holds(block, bytes, 0));
        std::memset(block, 0xa5, malloc_usable_size(block));
        blocks.push_back(block);
        while (blocks.size() > 20) {
            std::swap(blocks[random() % blocks.size()], blocks.back());
            std::free(blocks.back());
            blocks.pop_back();
        }
    }
    for (void* const block : blocks)
        std::free(block);
    errno = 0;
    volatile std::size_t many = ~std::size_t{0} / 2;
    CHECK(std::calloc(many, 3) == nullptr);
    CHECK(errno == ENOMEM);
}

TEST_CASE("realloc keeps the data on all ways between the C library and the heap")
{
    const std::size_t sizes[] = {10, 4000, 4096, 5000, 100'000, 3'000'000, heap::kMostBytes, 20'000'000};
    for (const std::size_t from : sizes)
        for (const std::size_t to : sizes) {
            auto* data = static_cast<unsigned char*>(std::malloc(from));
            std::memset(data, 0x3c, from);
            data = static_cast<unsigned char*>(std::realloc(data, to));
            REQUIRE(data != nullptr);
            CHECK(malloc_usable_size(data) >= to);
            CHECK(holds(data, std::min(from, to), 0x3c));
            if (to < heap::kLeastBytes)
                CHECK((!is_in_heap(data) || from < 2 * to));  // a little shorter, it stays
            else if (from <= heap::kMostBytes && to <= heap::kMostBytes)
                CHECK(is_in_heap(data));
            std::memset(data, 1, to);
            std::free(data);
        }
    void* data = std::realloc(nullptr, 10'000);
    CHECK(is_in_heap(data));
    CHECK(std::realloc(data, 0) == nullptr);
    data = reallocarray(std::malloc(5000), 100, 1000);
    CHECK(is_in_heap(data));
    const auto as_number = reinterpret_cast<std::uintptr_t>(data);
    volatile std::size_t many = ~std::size_t{0} / 2;
    errno = 0;
    CHECK(reallocarray(data, many, 3) == nullptr);
    CHECK(errno == ENOMEM);
    CHECK(std::realloc(reinterpret_cast<void*>(as_number), many) == nullptr);
    CHECK(malloc_usable_size(reinterpret_cast<void*>(as_number)) >= 100'000);  // it is still there
    std::free(reinterpret_cast<void*>(as_number));
}

TEST_CASE("a block that grows step by step is mostly moved only when another is behind it")
{
    auto* data = static_cast<unsigned char*>(std::malloc(4096));
    int moves = 0;
    for (std::size_t bytes = 8192; bytes <= (std::size_t{4} << 20); bytes += 4096) {
        std::memset(data + bytes - 8192, static_cast<int>(bytes / 4096), 4096);
        auto* const grown = static_cast<unsigned char*>(std::realloc(data, bytes));
        REQUIRE(grown != nullptr);
        moves += grown != data;
        data = grown;
    }
    for (std::size_t bytes = 8192; bytes <= (std::size_t{4} << 20); bytes += 4096)
        REQUIRE(holds(data + bytes - 8192, 4096, static_cast<unsigned char>(bytes / 4096)));
    CHECK(moves < 100);
    std::free(data);
}

TEST_CASE("errno stays as it is, and a block that is freed and wanted again is the same")
{
    errno = 1234;
    void* const first = std::malloc(10'000);
    std::free(first);
    void* const second = std::malloc(10'000);
    CHECK(first == second);
    std::free(second);
    std::vector<void*> blocks(40);
    for (void*& block : blocks)
        block = std::memset(std::malloc(1 << 20), 1, 1 << 20);
    for (void* const block : blocks)
        std::free(block);
    CHECK(errno == 1234);
}
