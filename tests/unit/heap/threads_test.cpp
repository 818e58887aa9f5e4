// Threads that free their own blocks and others'.
#include "tests/unit/heap/preloaded.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

using namespace tutti;

namespace {

struct Marked {
    unsigned char* data;
    std::size_t bytes;
    unsigned char mark;

    bool is_intact() const { return data[0] == mark && std::memcmp(data, data + 1, bytes - 1) == 0; }
};

struct Exchange {
    std::mutex mutex;
    std::vector<Marked> blocks;
};

bool churn_with(Exchange& exchange, unsigned seed)
{
    std::mt19937 random(seed);
    bool good = true;
    for (int i = 0; i < 2000; ++i) {
        const std::size_t bytes = random() % 16 == 0 ? 1 + random() % 500'000 : 4000 + random() % 12'000;
        Marked block{static_cast<unsigned char*>(std::malloc(bytes)), bytes,
                     static_cast<unsigned char>(random())};
        std::memset(block.data, block.mark, bytes);
        {
            const std::lock_guard held(exchange.mutex);
            exchange.blocks.push_back(block);
            if (exchange.blocks.size() < 60)
                continue;
            std::swap(exchange.blocks[random() % exchange.blocks.size()], exchange.blocks.back());
            block = exchange.blocks.back();
            exchange.blocks.pop_back();
        }
        good = good && block.is_intact();
        std::free(block.data);
    }
    return good;
}

}  // namespace

TEST_CASE("threads free each other's blocks, end, and others follow")
{
    test::segment();
    Exchange exchange;
    std::atomic<int> good{0};
    for (unsigned round = 0; round < 3; ++round) {
        std::vector<std::thread> threads;
        for (unsigned i = 0; i < 4; ++i)
            threads.emplace_back([&, seed = round * 4 + i] { good += churn_with(exchange, seed); });
        for (std::thread& thread : threads)
            thread.join();
    }
    CHECK(good == 12);
    for (const Marked& block : exchange.blocks) {
        CHECK(block.is_intact());
        std::free(block.data);
    }
}

TEST_CASE("what a thread keeps is there for others when it has ended")
{
    void* kept = nullptr;
    std::thread([&] {
        kept = std::malloc(100'000);
        std::free(kept);
    }).join();
    bool found = false;
    std::vector<void*> blocks;
    for (int i = 0; i < 2000 && !found; ++i) {
        blocks.push_back(std::malloc(100'000));
        found = blocks.back() <= kept &&
                static_cast<std::byte*>(kept) < static_cast<std::byte*>(blocks.back()) + 100'000;
    }
    CHECK(found);
    for (void* const block : blocks)
        std::free(block);
}
