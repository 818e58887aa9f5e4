// Remote writes: exactly the bytes given, to memory that another rank grants, and complete when they are
// there.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>

#include "tests/unit/ofi/other_process.hpp"

using namespace tutti::test;
using namespace tutti::transport::ofi;
using tutti::ErrorCode;
using tutti::security::Key;
using tutti::transport::RemoteRegion;
using tutti::transport::SendResult;
using namespace std::chrono_literals;

namespace {

constexpr std::byte kUntouched{0x77};

OfiOptions options_of(const char* provider, bool as_adapter)
{
    return {.rank = 0,
            .ranks = 2,
            .key = Key::random(),
            .provider = provider,
            .linger = 0ms,
            .as_adapter = as_adapter};
}

Bytes numbered(std::size_t size, std::size_t seed)
{
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<std::byte>(i * 11 + (i >> 9) + seed);
    return bytes;
}

RemoteRegion behind(const RemoteRegion& region, std::size_t offset)
{
    return {region.address + offset, region.key};
}

}  // namespace

TEST_CASE("a write brings exactly the bytes given to where they belong, and completes when they are there")
{
    const char* const provider = GENERATE("net", "tcp;ofi_rxm", "net;ofi_rxm", "shm");
    const bool as_adapter = GENERATE(false, true);
    CAPTURE(provider, as_adapter);
    Pair pair(options_of(provider, as_adapter));
    REQUIRE(pair.b.transport->memory()->puts());
    REQUIRE(pair.b.transport->memory() != nullptr);
    constexpr std::size_t kOffset = 5;
    Granted granted(pair.b, 5 << 20);
    REQUIRE(granted.is_granted);
    const std::size_t copied = pair.a.transport->memory()->most_copied_bytes();
    std::uint64_t seed = 0;
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{4097}, copied, copied + 1,
                                   std::size_t{4} << 20, std::size_t{5'000'001}}) {
        CAPTURE(size);
        std::memset(granted.bytes.data(), static_cast<int>(kUntouched), granted.bytes.size());
        const Bytes expected = numbered(size, ++seed);
        Bytes local = expected;
        OfiCompletion completion;
        REQUIRE(pair.a.transport->memory()->put(1, behind(granted.region, kOffset), local, completion) ==
                SendResult::pending);
        if (size <= copied)
            std::ranges::fill(local, std::byte{0});  // it has been copied
        const auto one_by_one = [&] {
            pair.a.progress();
            if (completion.fired == 0)
                pair.b.progress();  // nothing moves there behind the completion
        };
        REQUIRE(drive_until(one_by_one, [&] { return completion.fired != 0; }));
        CHECK(completion.fired == 1);
        CHECK(completion.result == ErrorCode::success);
        Bytes all(granted.bytes.size());
        std::memset(all.data(), static_cast<int>(kUntouched), all.size());
        std::ranges::copy(expected, all.begin() + kOffset);
        CHECK((granted.bytes == all));
        Bytes back(size);
        OfiCompletion read;
        REQUIRE(pair.a.transport->memory()->get(1, behind(granted.region, kOffset), back, read) ==
                SendResult::pending);
        REQUIRE(drive_until([&] { pair.pass(); }, [&] { return read.fired != 0; }));
        CHECK((back == expected));
    }
}

TEST_CASE("many writes at once, each of which arrives")
{
    const bool as_adapter = GENERATE(false, true);
    CAPTURE(as_adapter);
    Pair pair(options_of("net", as_adapter));
    constexpr std::size_t kWrites = 700;  // more than the provider takes at once
    constexpr std::size_t kBytes = 3001;
    Granted granted(pair.b, kWrites * kBytes);
    const Bytes all = numbered(kWrites * kBytes, 3);
    std::vector<OfiCompletion> completions(kWrites);
    for (std::size_t i = 0; i < kWrites; ++i)
        REQUIRE(pair.a.transport->memory()->put(1, behind(granted.region, i * kBytes),
                                                std::span(all).subspan(i * kBytes, kBytes),
                                                completions[i]) == SendResult::pending);
    REQUIRE(drive_until(
        [&] { pair.pass(); },
        [&] { return std::ranges::all_of(completions, [](auto& one) { return one.fired == 1; }); }));
    CHECK(std::ranges::all_of(completions, [](auto& one) { return one.result == ErrorCode::success; }));
    CHECK((granted.bytes == all));
}

TEST_CASE(
    "a rank that is about to sleep has served all writes that have come: nothing else wakes it for them")
{
    Pair pair;
    REQUIRE(drive_until([&] { pair.pass(); }, [&] { return pair.connected(); }));
    constexpr std::size_t kWrites = 12;
    constexpr std::size_t kBytes = 16'000;  // more than is read ahead, and all together what a socket takes
    Granted granted(pair.b, kWrites * kBytes);
    OfiCompletion first;
    const Bytes all = numbered(kWrites * kBytes, 5);
    REQUIRE(pair.a.transport->memory()->put(1, granted.region, std::span(all).first(1), first) ==
            SendResult::pending);
    REQUIRE(drive_until([&] { pair.pass(); }, [&] { return first.fired == 1; }));  // the fabric is connected
    std::vector<OfiCompletion> completions(kWrites);
    for (std::size_t i = 0; i < kWrites; ++i)
        REQUIRE(pair.a.transport->memory()->put(1, behind(granted.region, i * kBytes),
                                                std::span(all).subspan(i * kBytes, kBytes),
                                                completions[i]) == SendResult::pending);
    for (int i = 0; i < 100; ++i)
        pair.a.progress();
    pair.b.transport->arm();
    REQUIRE(drive_until([] {}, [&] { return pair.b.progress() == 0; }));
    CHECK((granted.bytes == all));
    pair.b.transport->disarm();
    REQUIRE(drive_until(
        [&] { pair.pass(); },
        [&] { return std::ranges::all_of(completions, [](auto& one) { return one.fired == 1; }); }));
}

TEST_CASE("memory that is registered for reading, or granted no more, is not written to")
{
    Pair pair;
    const Registered registered(pair.b, 100'000);
    Granted revoked(pair.b, 100'000);
    const RemoteRegion old = revoked.region;
    revoked.revoke();
    const Bytes before = registered.bytes;
    const bool is_registered = GENERATE(false, true);
    const RemoteRegion region = is_registered ? registered.region : old;
    OfiCompletion completion;
    REQUIRE(pair.a.transport->memory()->put(1, region, Bytes(5000, std::byte{9}), completion) ==
            SendResult::pending);
    REQUIRE(drive_until([&] { pair.pass(); }, [&] { return completion.fired != 0; }));
    CHECK(completion.result != ErrorCode::success);
    CHECK(registered.bytes == before);
    CHECK(revoked.bytes == Bytes(100'000));
}

TEST_CASE("close ends writes that are under way")
{
    const std::size_t size = GENERATE(1000, 1 << 20);
    Pair pair;
    const Granted granted(pair.b, 1 << 20);
    REQUIRE(drive_until([&] { pair.pass(); }, [&] { return pair.connected(); }));
    const Bytes local(size, std::byte{1});
    OfiCompletion completion;
    REQUIRE(pair.a.transport->memory()->put(1, granted.region, local, completion) == SendResult::pending);
    pair.a.transport->close();
    CHECK(completion.fired == 1);
    CHECK(completion.result == ErrorCode::cancelled);
}

TEST_CASE("a write that is abandoned does not fire, and others go on")
{
    Pair pair;
    const bool connected = GENERATE(false, true);
    CAPTURE(connected);
    Granted granted(pair.b, 1 << 20);
    if (connected)
        REQUIRE(drive_until([&] { pair.pass(); }, [&] { return pair.connected(); }));
    const Bytes given_up(1 << 20, std::byte{1});
    const Bytes local(1 << 20, std::byte{2});
    OfiCompletion never;
    OfiCompletion completion;
    REQUIRE(pair.a.transport->memory()->put(1, granted.region, given_up, never) == SendResult::pending);
    pair.a.transport->memory()->abandon(never);
    REQUIRE(pair.a.transport->memory()->put(1, granted.region, local, completion) == SendResult::pending);
    REQUIRE(drive_until([&] { pair.pass(); }, [&] { return completion.fired == 1; }));
    CHECK(granted.bytes == local);
    pair.a.transport->close();
    CHECK(never.fired == 0);
}

TEST_CASE("writes to a process that is killed end with an error")
{
    const std::size_t size = GENERATE(1000, 1 << 20);
    const Key key = Key::random();
    OfiRank rank(0, 2, key);
    OtherProcess other([&](int channel) {
        OfiRank self(1, 2, key);
        const Bytes mine = self.transport->address();
        Bytes theirs(4096);
        if (::send(channel, mine.data(), mine.size(), 0) < 0)
            _exit(1);
        theirs.resize(static_cast<std::size_t>(std::max<ssize_t>(0, recv(channel, theirs.data(), 4096, 0))));
        self.transport->connect(0, theirs);
        const Granted granted(self, 1 << 20);
        Bytes region(sizeof granted.region);
        std::memcpy(region.data(), &granted.region, region.size());
        if (::send(channel, region.data(), region.size(), 0) < 0)
            _exit(1);
        for (;;) {
            self.progress();
            usleep(100);
        }
    });
    const Bytes contact = other.receive();
    other.send(rank.transport->address());
    rank.transport->connect(1, contact);
    RemoteRegion region{};
    std::memcpy(&region, other.receive().data(), sizeof region);
    const Bytes local(size, std::byte{1});
    OfiCompletion first;
    REQUIRE(rank.transport->memory()->put(1, region, local, first) == SendResult::pending);
    REQUIRE(drive_until([&] { rank.progress(); }, [&] { return first.fired != 0; }));
    CHECK(first.result == ErrorCode::success);
    other.signal(SIGSTOP);
    std::vector<OfiCompletion> later(20);
    for (OfiCompletion& each : later)
        REQUIRE(rank.transport->memory()->put(1, region, local, each) == SendResult::pending);
    other.end();
    REQUIRE(drive_until([&] { rank.progress(); },
                        [&] {
                            return !rank.sink.losses.empty() &&
                                   std::ranges::all_of(later, [](auto& one) { return one.fired == 1; });
                        }));
    CHECK(std::ranges::all_of(later, [](auto& one) { return one.result != ErrorCode::success; }));
    CHECK(rank.sink.losses == std::vector<int>{1});
    CHECK_THROWS_AS(rank.transport->memory()->put(1, region, local, first), tutti::Error);
}
