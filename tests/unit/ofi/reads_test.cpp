// Remote reads: many at once, and such as close() ends.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>

#include "tests/unit/ofi/pair.hpp"

using namespace tutti::test;
using namespace tutti::transport::ofi;
using tutti::ErrorCode;
using tutti::security::Key;
using tutti::transport::SendResult;
using namespace std::chrono_literals;

TEST_CASE("many reads at once, of which each brings its own bytes")
{
    Pair pair;
    const Registered registered(pair.b, 1 << 20);
    constexpr std::size_t kReads = 300;
    constexpr std::size_t kBytes = 3000;
    std::vector<Bytes> local(kReads, Bytes(kBytes));
    std::vector<OfiCompletion> completions(kReads);
    for (std::size_t i = 0; i < kReads; ++i)
        REQUIRE(pair.a.transport->memory()->get(
                    1, {registered.region.address + i * kBytes, registered.region.key}, local[i],
                    completions[i]) == SendResult::pending);
    const auto all = [&] {
        return std::ranges::all_of(completions, [](auto& one) { return one.fired == 1; });
    };
    REQUIRE(drive_until([&] { pair.pass(); }, all));
    for (std::size_t i = 0; i < kReads; ++i) {
        REQUIRE(completions[i].result == ErrorCode::success);
        REQUIRE(std::memcmp(local[i].data(), registered.bytes.data() + i * kBytes, kBytes) == 0);
    }
}

TEST_CASE("close ends reads that are under way, and no byte comes afterwards")
{
    Pair pair;
    const Registered registered(pair.b, 1 << 20);
    REQUIRE(drive_until([&] { pair.pass(); }, [&] { return pair.connected(); }));
    Bytes local(1 << 20);
    OfiCompletion completion;
    REQUIRE(pair.a.transport->memory()->get(1, registered.region, local, completion) == SendResult::pending);
    pair.a.transport->close();
    CHECK(completion.fired == 1);
    CHECK(completion.result == ErrorCode::cancelled);
    const Bytes copy = local;
    for (int i = 0; i < 100; ++i)
        pair.b.progress();
    CHECK(local == copy);
}

TEST_CASE("a read that is abandoned does not fire, and others go on")
{
    Pair pair;
    const Registered registered(pair.b, 1 << 20);
    Bytes given_up(1 << 20);
    Bytes local(1 << 20);
    OfiCompletion never;
    OfiCompletion completion;
    const bool connected = GENERATE(false, true);
    CAPTURE(connected);
    if (connected)
        REQUIRE(drive_until([&] { pair.pass(); }, [&] { return pair.connected(); }));
    REQUIRE(pair.a.transport->memory()->get(1, registered.region, given_up, never) == SendResult::pending);
    pair.a.transport->memory()->abandon(never);
    REQUIRE(pair.a.transport->memory()->get(1, registered.region, local, completion) == SendResult::pending);
    REQUIRE(drive_until([&] { pair.pass(); }, [&] { return completion.fired == 1; }));
    CHECK(local == registered.bytes);
    pair.a.transport->close();
    CHECK(never.fired == 0);
}
