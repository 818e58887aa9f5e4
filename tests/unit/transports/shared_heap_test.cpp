// The heap that peers can read: allocations apart, given back and joined; views that lead to the right bytes
// or nowhere.
#include "transports/shm/shared_heap.hpp"

#include <catch2/catch.hpp>

#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <span>
#include <thread>
#include <vector>

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

TEST_CASE("freed neighbours become one block again, and come back zeroed where pages were given back")
{
    SharedHeap& heap = SharedHeap::instance();
    constexpr std::size_t kSize = 1u << 20;
    auto* const first = static_cast<std::byte*>(heap.allocate(kSize));
    void* const second = heap.allocate(kSize);
    void* const third = heap.allocate(kSize);
    void* const behind = heap.allocate(64);
    std::memset(first, 0x5a, kSize);
    heap.deallocate(first);
    heap.deallocate(third);
    heap.deallocate(second);
    auto* const all = static_cast<std::byte*>(heap.allocate(3 * kSize));
    CHECK(all == first);
    CHECK(all[8192] == std::byte{0});
    heap.deallocate(all);
    heap.deallocate(behind);
    heap.deallocate(nullptr);
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
