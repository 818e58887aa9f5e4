// The heap that peers can read: allocations apart, given back and joined; views that lead to the right bytes
// or nowhere.
#include "transports/shm/shared_heap.hpp"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "lib/foundation/base/cgroup.hpp"
#include "tests/unit/core_file.hpp"
#include "transports/shm/peer_arenas.hpp"
#include "tutti/error.hpp"

using namespace tutti::transport::shm;
using tutti::transport::RemoteRegion;

namespace {

struct Block {
    std::byte* data;
    std::size_t size;
    std::byte mark;
};

bool intact(const Block& block)
{
    return std::ranges::all_of(std::span(block.data, block.size),
                               [&](std::byte b) { return b == block.mark; });
}

// Takes and gives back blocks of all sizes; true when none was ever touched by another.
bool churn(SharedHeap& heap, unsigned seed)
{
    std::mt19937 random(seed);
    std::vector<Block> blocks;
    bool good = true;
    for (int i = 0; i < 600; ++i) {
        if (blocks.size() < 20 || random() % 2 == 0) {
            const std::size_t size = random() % 8 == 0 ? random() % 400'000 : random() % 300;
            Block block{static_cast<std::byte*>(heap.allocate(size)), size, static_cast<std::byte>(random())};
            good = good && reinterpret_cast<std::uintptr_t>(block.data) % 64 == 0;
            std::memset(block.data, static_cast<int>(block.mark), size);
            blocks.push_back(block);
        } else {
            std::swap(blocks[random() % blocks.size()], blocks.back());
            good = good && intact(blocks.back());
            heap.deallocate(blocks.back().data);
            blocks.pop_back();
        }
    }
    for (const Block& block : blocks) {
        good = good && intact(block);
        heap.deallocate(block.data);
    }
    return good;
}

}  // namespace

TEST_CASE("memory at multiples of more than a line is apart from others, and what is skipped serves others")
{
    SharedHeap& heap = SharedHeap::instance();
    std::vector<Block> blocks;
    std::mt19937 random(11);
    for (int round = 0; round < 3; ++round) {
        for (std::size_t alignment = 64; alignment <= 1u << 21; alignment *= 2) {
            const std::size_t size = random() % 100'000;
            blocks.push_back({static_cast<std::byte*>(heap.allocate(size, alignment)), size,
                              static_cast<std::byte>(random())});
            CHECK(reinterpret_cast<std::uintptr_t>(blocks.back().data) % alignment == 0);
            std::memset(blocks.back().data, static_cast<int>(blocks.back().mark), size);
            const auto region = heap.find(blocks.back().data, size);
            REQUIRE(region.has_value());
            CHECK(region->address % std::min<std::size_t>(alignment, 4096) == 0);
        }
        CHECK(std::ranges::all_of(blocks, intact));
        for (std::size_t i = 0; i < blocks.size(); i += 2)
            heap.deallocate(std::exchange(blocks[i].data, nullptr));
        std::erase_if(blocks, [](const Block& block) { return block.data == nullptr; });
    }
    for (const Block& block : blocks) {
        CHECK(intact(block));
        heap.deallocate(block.data);
    }
}

TEST_CASE("blocks of the shared heap are apart, in any thread")
{
    SharedHeap& heap = SharedHeap::instance();
    bool good[3] = {};
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 3; ++i)
        threads.emplace_back([&, i] { good[i] = churn(heap, i); });
    for (std::thread& thread : threads)
        thread.join();
    CHECK(std::ranges::all_of(good, [](bool one) { return one; }));
}

TEST_CASE("freed neighbours become one block again")
{
    SharedHeap& heap = SharedHeap::instance();
    constexpr std::size_t kSize = 60'032;  // not kept when it is freed
    constexpr std::size_t kRow = 8;
    // The first ones fill the holes that other tests have left.
    std::vector<std::byte*> blocks;
    std::size_t in_a_row = 1;
    while (in_a_row < kRow && blocks.size() < 1'000) {
        blocks.push_back(static_cast<std::byte*>(heap.allocate(kSize)));
        const bool is_next = blocks.size() > 1 && blocks.back() == blocks[blocks.size() - 2] + kSize;
        in_a_row = is_next ? in_a_row + 1 : 1;
    }
    REQUIRE(in_a_row == kRow);
    void* const behind = heap.allocate(64);
    const std::vector<std::byte*> row(blocks.end() - kRow, blocks.end());
    for (const std::size_t i : {0u, 2u, 1u, 7u, 5u, 6u, 4u, 3u})
        heap.deallocate(row[i]);
    void* const all = heap.allocate(kRow * kSize);
    CHECK(all == row[0]);
    heap.deallocate(all);
    heap.deallocate(behind);
    heap.deallocate(nullptr);
    blocks.resize(blocks.size() - kRow);
    for (std::byte* const block : blocks)
        heap.deallocate(block);
}

TEST_CASE("what is promised to other ranks and not touched is not there to be promised again")
{
    constexpr std::size_t kBytes = 64u << 20;
    const MemoryFile file = PromiseLedger::create(2);
    const auto ledger = [&file](std::size_t own) {
        return PromiseLedger(tutti::base::UniqueFd(::dup(file.descriptor())), own, 2);
    };
    const PromiseLedger other = ledger(1);
    MemoryPromises promises;
    promises.find_ledger_by([&] { return ledger(0); });
    const auto none = [] { return std::uint64_t{0}; };
    CHECK_NOTHROW(promises.judge(0, kBytes, none));
    const std::uint64_t room = tutti::base::memory_room().value().free_bytes;
    other.publish(2 * room);  // more than others of this machine give back meanwhile
    MemoryPromises later;
    later.find_ledger_by([&] { return ledger(0); });
    try {
        later.judge(0, kBytes, none);
        FAIL("it is promised twice");
    } catch (const tutti::Error& error) {
        CHECK(error.code() == tutti::ErrorCode::out_of_memory);
        CHECK_THAT(error.what(), Catch::Contains("64 MiB are more than there is"));
    }
    CHECK_NOTHROW(later.judge(0, 4096, none));  // so little is no matter
    other.publish(0);
    CHECK_NOTHROW(later.judge(0, kBytes, none));
}

TEST_CASE("more than the machine has is refused with the figures")
{
    SharedHeap& heap = SharedHeap::instance();
    try {
        heap.allocate(std::size_t{1} << 45);
        FAIL("32 TiB are promised");
    } catch (const tutti::Error& error) {
        CHECK(error.code() == tutti::ErrorCode::out_of_memory);
        CHECK_THAT(error.what(), Catch::Contains("33554432 MiB are more than there is"));
    }
}

TEST_CASE(
    "large freed blocks keep their pages for allocations of their size, up to 16 MiB and a quarter of the "
    "used")
{
    SharedHeap& heap = SharedHeap::instance();
    constexpr std::size_t kSize = 4u << 20;
    const auto pages_in_bytes = [&](std::byte* in_arena) {
        struct stat status {};
        REQUIRE(fstat(arena_descriptor(heap.find(in_arena, 1)->key), &status) == 0);
        return static_cast<std::size_t>(status.st_blocks) * 512;
    };
    std::vector<std::byte*> blocks;
    for (int i = 0; i < 8; ++i) {
        blocks.push_back(static_cast<std::byte*>(heap.allocate(kSize)));
        std::memset(blocks.back(), i, kSize);
    }
    const std::size_t all = pages_in_bytes(blocks[0]);

    heap.deallocate(blocks[7]);
    CHECK(pages_in_bytes(blocks[0]) == all);
    void* const much_smaller = heap.allocate(kSize / 2);
    CHECK(much_smaller != blocks[7]);
    heap.deallocate(much_smaller);
    auto* const again = static_cast<std::byte*>(heap.allocate(kSize - 1000));
    CHECK(again == blocks[7]);
    CHECK(again[kSize / 2] == std::byte{7});

    for (std::byte* const block : blocks)
        heap.deallocate(block);
    CHECK(pages_in_bytes(blocks[0]) <= all - 8 * kSize + (16u << 20) + (2u << 20));
    CHECK(pages_in_bytes(blocks[0]) >= (16u << 20));
    // Larger than all that may be kept.
    auto* const huge = static_cast<std::byte*>(heap.allocate(32u << 20));
    std::memset(huge, 1, 32u << 20);
    heap.deallocate(huge);
    CHECK(pages_in_bytes(huge) <= (20u << 20));
    CHECK(churn(heap, 11));
}

TEST_CASE("a forked child reads what its parent has written, and its own writes stay with it")
{
    SharedHeap& heap = SharedHeap::instance();
    auto* const data = static_cast<std::byte*>(heap.allocate(100'000));
    std::memset(data, 5, 100'000);
    const auto is_filled = [](const std::byte* from, std::byte with) {
        return std::ranges::all_of(std::span(from, 100'000), [&](std::byte b) { return b == with; });
    };
    const pid_t child = fork();
    if (child == 0) {
        bool good = is_filled(data, std::byte{5});
        std::memset(data, 6, 100'000);
        auto* const own = static_cast<std::byte*>(heap.allocate(100'000));
        good = good && !heap.find(own, 100'000);
        heap.deallocate(own);
        heap.deallocate(data);
        // A child of the child has what its own parent has written.
        const pid_t grandchild = fork();
        if (grandchild == 0)
            _exit(is_filled(data, std::byte{6}) ? 0 : 1);
        int status = 1;
        waitpid(grandchild, &status, 0);
        _exit(good && status == 0 ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
    CHECK(is_filled(data, std::byte{5}));
    heap.deallocate(data);
}

TEST_CASE("a core file has what was allocated, and nothing behind it")
{
    constexpr std::size_t kBytes = std::size_t{9} << 20;
    auto& heap = SharedHeap::instance();
    auto* const data = static_cast<std::byte*>(heap.allocate(kBytes, 64));
    CHECK(tutti::test::is_in_core_files(data));
    CHECK(tutti::test::is_in_core_files(data + kBytes - 1));
    // Arenas have 256 MiB at least.
    CHECK_FALSE(tutti::test::is_in_core_files(data + (std::size_t{200} << 20)));
    heap.deallocate(data);
}

TEST_CASE("a request that no machine can serve is an error and changes nothing")
{
    SharedHeap& heap = SharedHeap::instance();
    for (const std::size_t size : {~std::size_t{0}, ~std::size_t{0} / 2, std::size_t{1} << 50}) {
        try {
            heap.deallocate(heap.allocate(size));
            FAIL("no exception for " << size);
        } catch (const tutti::Error& error) {
            CHECK(error.code() == tutti::ErrorCode::out_of_memory);
        }
    }
    CHECK(churn(heap, 9));
}

TEST_CASE("a peer sees what lies in the heap, as it changes")
{
    SharedHeap& heap = SharedHeap::instance();
    auto* const data = static_cast<std::byte*>(heap.allocate(10'000));
    const auto region = heap.find(data + 100, 9'900);
    REQUIRE(region);
    PeerArenas peer;
    const auto view = peer.view(LocalProcess::self(0, false), *region, 9'900);
    REQUIRE(view.size() == 9'900);
    CHECK(view.data() != data + 100);
    CHECK_FALSE(tutti::test::is_in_core_files(view.data()));
    data[100] = std::byte{7};
    data[9'999] = std::byte{9};
    CHECK(view.front() == std::byte{7});
    CHECK(view.back() == std::byte{9});
    heap.deallocate(data);

    std::byte elsewhere{};
    CHECK_FALSE(heap.find(&elsewhere, 1));
}

TEST_CASE("a region that is wrong in any way leads nowhere")
{
    SharedHeap& heap = SharedHeap::instance();
    void* const data = heap.allocate(100);
    const RemoteRegion good = *heap.find(static_cast<std::byte*>(data), 100);
    PeerArenas peer;
    const auto seen = [&](RemoteRegion region, std::size_t bytes) {
        return !peer.view(LocalProcess::self(0, false), region, bytes).empty();
    };
    CHECK(seen(good, 100));
    CHECK_FALSE(seen({good.address, 0}, 100));
    CHECK_FALSE(seen({good.address, good.key ^ std::uint64_t{1} << 40}, 100));  // another arena's nonce
    CHECK_FALSE(seen({good.address, good.key | 0xffff}, 100));                  // no such descriptor
    CHECK_FALSE(seen({std::uint64_t{1} << 60, good.key}, 100));
    CHECK_FALSE(seen({good.address, good.key}, std::size_t{1} << 60));
    CHECK_FALSE(seen({good.address, good.key}, ~std::size_t{0}));
    CHECK_FALSE(seen({~std::uint64_t{0}, good.key}, 2));

    const int other = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    CHECK_FALSE(seen({0, arena_key(1, other)}, 100));
    close(other);
    CHECK(seen(good, 100));
    heap.deallocate(data);
}

TEST_CASE("a block takes pages when it is touched, and gives them back")
{
    SharedHeap& heap = SharedHeap::instance();
    constexpr std::size_t kSize = 200u << 20;
    auto* const block = static_cast<std::byte*>(heap.allocate(kSize));
    const int file = arena_descriptor(heap.find(block, kSize)->key);
    const auto pages_in_bytes = [file] {
        struct stat status {};
        REQUIRE(fstat(file, &status) == 0);
        return static_cast<std::size_t>(status.st_blocks) * 512;
    };
    const std::size_t before = pages_in_bytes();
    CHECK(before < kSize / 2);
    std::memset(block, 1, kSize / 4);
    CHECK(pages_in_bytes() >= before + kSize / 4 - kPage);
    CHECK(pages_in_bytes() < before + kSize / 2);
    heap.deallocate(block);
    CHECK(pages_in_bytes() <= before + 2 * kPage);  // it begins and ends within pages
}
