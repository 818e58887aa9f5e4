// Ranks whose collective calls do not belong together: an error that names both calls, soon; and none where
// ranks are only late, far ahead, or have made very many calls.
#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <thread>

#include "tests/mismatches.hpp"
#include "tests/threads/support.hpp"

using namespace tutti;
using namespace tutti::test;
using Catch::Matchers::Contains;

namespace {

std::string error_of(int ranks, const std::function<void(const Communicator&)>& body,
                     EnvironmentOptions options = {})
{
    try {
        run_threads(
            ranks, [&](Environment& environment) { body(environment.world()); }, options);
    } catch (const Error& error) {
        CHECK(error.code() == ErrorCode::invalid_argument);
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("calls that differ are both named")
{
    const auto index = GENERATE(range(std::size_t{0}, std::size(kMismatches)));
    const Mismatch& mismatch = kMismatches[index];
    // Each mistake waits for a tenth of a second: all at all sizes would take long.
    const int ranks = std::array{2, 7, 3, 4}[(index + GENERATE(0u, 1u)) % 4];
    if (index > 7 && ranks > 3)
        return;
    CAPTURE(mismatch.name, ranks);
    const std::string error = error_of(ranks, [&](const Communicator& world) { run(mismatch, world); });
    CHECK_THAT(error, Contains(std::string(mismatch.most_words)));
    CHECK_THAT(error, Contains(std::string(mismatch.last_words)));
    CHECK_THAT(error, Contains("all ranks must "));
}

TEST_CASE("calls that differ where several threads may call, and where a thread makes the progress")
{
    const EnvironmentOptions options = GENERATE(EnvironmentOptions{.threads = ThreadLevel::multiple},
                                                EnvironmentOptions{.progress = Progress::thread});
    for (const std::string_view name : {"gather root", "order of requests", "tested"}) {
        CAPTURE(name);
        const auto* const mismatch = std::ranges::find(kMismatches, name, &Mismatch::name);
        const std::string error = error_of(
            3, [&](const Communicator& world) { run(*mismatch, world); }, options);
        CHECK_THAT(error, Contains(std::string(mismatch->most_words)));
        CHECK_THAT(error, Contains(std::string(mismatch->last_words)));
    }
}

TEST_CASE("calls that differ on a part of the ranks, beside the world's")
{
    const std::string error = error_of(5, [](const Communicator& world) {
        const auto part = world.split(world.rank() % 2);
        Request under_way = world.ibarrier();
        if (world.rank() % 2 == 0)
            run(kMismatches[0], *part);
        under_way.wait();
    });
    CHECK_THAT(error, Contains("gather with root 0") && Contains("gather with root 1"));
}

TEST_CASE("a rank that leaves after another call is told of by what it has left")
{
    const std::string error = error_of(2, [](const Communicator& world) {
        if (world.rank() == 0)
            calls::broadcast<0>(world);
        else
            world.barrier();
    });
    // By either: the other's message may be there as it leaves.
    CHECK_THAT(error, Contains("barrier") && Contains("broadcast") && Contains("a message of"));
}

TEST_CASE("calls that differ and keep nobody waiting are found at the end")
{
    const std::string error = error_of(2, [](const Communicator& world) {
        if (world.rank() == 0)
            calls::broadcast<0>(world);
        else
            calls::broadcast<1>(world);
    });
    CHECK_THAT(error, Contains("broadcast with root") && Contains("another broadcast"));
}

TEST_CASE("a rank that leaves without a call")
{
    CHECK_THROWS_WITH(run_threads(3,
                                  [](Environment& environment) {
                                      if (environment.world().rank() != 1)
                                          environment.world().barrier();
                                  }),
                      Contains("rank 1 of the communicator was lost") && Contains("barrier"));
}

TEST_CASE("ranks that are late make no wrong call")
{
    at_size(3, [](const Communicator& world) {
        std::vector<int> data(1000, world.rank());
        Request under_way = world.iallreduce(data, sum);
        if (world.rank() == 2)
            std::this_thread::sleep_for(std::chrono::milliseconds(900));
        calls::gather<2>(world);
        calls::broadcast<0, 100'000>(world);
        under_way.wait();
        expect(data[0] == 3 && data[999] == 3);
        // Late within a call that others have left long ago.
        if (world.rank() == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
        for (int i = 0; i < 500; ++i)
            calls::reduce<0>(world);
        world.barrier();
    });
}

TEST_CASE("ever more collectives under way, and ranks that are far ahead")
{
    at_size(2, [](const Communicator& world) {
        constexpr int kCalls = 20'000;
        std::vector<int> data(kCalls);
        std::vector<Request> requests;
        requests.reserve(kCalls);
        for (int i = 0; i < kCalls; ++i) {
            data[static_cast<std::size_t>(i)] = world.rank() * i;
            requests.push_back(world.ibroadcast(data[static_cast<std::size_t>(i)], {.root = 1}));
        }
        wait_all(requests);
        for (int i = 0; i < kCalls; ++i)
            expect(data[static_cast<std::size_t>(i)] == i);
    });
}
