// Each rank on its own thread, sleeping by the doorbell protocol when idle: what the engine does, under the
// thread sanitizer.
#include <catch2/catch.hpp>

#include <sched.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <thread>

#include "tests/conformance/harness.hpp"
#include "tests/sanitizers.hpp"

using namespace tutti::test;

namespace {

std::size_t size_of(std::uint64_t number, std::size_t largest)
{
    return number % 7 == 0 ? number * 977 % (largest + 1) : number * 13 % 90;
}

// Sends `frames` to each other rank and takes as many from each. An empty string when all is well.
std::string all_to_all(Ranks& ranks, int ranks_in_all, int mine, std::uint64_t frames,
                       std::deque<OutFrame>& sent, std::atomic<int>& finished)
{
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    Transport& transport = ranks.at(mine);
    const std::size_t largest = transport.capabilities().max_payload_bytes;
    std::vector<std::uint64_t> next_out(static_cast<std::size_t>(ranks_in_all));
    const std::size_t expected = static_cast<std::size_t>(ranks_in_all - 1) * frames;
    std::size_t unsent = expected;
    bool reported = false;
    int idle = 0;
    while (finished.load() < ranks_in_all) {
        bool moved = false;
        for (int peer = 0; peer < ranks_in_all; ++peer) {
            auto& number = next_out[static_cast<std::size_t>(peer)];
            if (peer == mine || number == frames)
                continue;
            OutFrame& frame = sent.emplace_back(number, 8, size_of(number, largest));
            if (transport.send(peer, frame.header, frame.payload, frame) == SendResult::again) {
                sent.pop_back();
                continue;
            }
            ++number;
            --unsent;
            moved = true;
        }
        if (ranks.progress(mine) != 0 || moved) {
            idle = 0;
            continue;
        }
        if (!reported && unsent == 0 && ranks.sink(mine).frames.size() == expected) {
            reported = true;
            ++finished;
        }
        if (std::chrono::steady_clock::now() > deadline)
            return "no end in sight";
        sched_yield();
        // Sleeping for good only while frames are owed to this rank; the bound is for a lost wake-up to show.
        if (++idle < 3 || reported || unsent != 0)
            continue;
        ranks.doorbell(mine).arm();
        const Bell bell(ranks.doorbell(mine));
        if (ranks.progress(mine) == 0 && ranks.sink(mine).frames.size() != expected && !bell.sleep())
            return "nobody rang";
        ranks.doorbell(mine).disarm();
    }
    std::vector<std::uint64_t> seen(static_cast<std::size_t>(ranks_in_all));
    for (const InFrame& frame : ranks.sink(mine).frames) {
        auto& number = seen[static_cast<std::size_t>(frame.from)];
        if (!is_frame(frame, number, 8, size_of(number, largest)))
            return "frame " + std::to_string(number) + " from " + std::to_string(frame.from) + " is damaged";
        ++number;
    }
    return "";
}

}  // namespace

TEST_CASE("all to all, a thread a rank", "[threads]")
{
    constexpr std::uint64_t kFrames = kSanitized ? 150 : 400;
    const Setup setup = GENERATE(from_range(setups_between_ranks()));
    const int count = GENERATE(2, 3);
    INFO(setup.name() << ", " << count << " ranks");
    std::vector<std::deque<OutFrame>> sent(static_cast<std::size_t>(count));
    Ranks ranks(setup, count);
    std::atomic<int> finished{0};
    std::vector<std::string> failures(static_cast<std::size_t>(count));
    {
        std::vector<std::jthread> threads;
        for (int rank = 0; rank < count; ++rank)
            threads.emplace_back([&, rank] {
                failures[static_cast<std::size_t>(rank)] =
                    all_to_all(ranks, count, rank, kFrames, sent[static_cast<std::size_t>(rank)], finished);
                finished.fetch_add(failures[static_cast<std::size_t>(rank)].empty() ? 0 : count);
            });
    }
    for (const std::string& failure : failures)
        CHECK(failure == "");
}
