// Memory registered as adapters want it. Software providers do so when they are asked for FI_MR_BASIC: keys
// are theirs, memory is named by its address. That a registration is bound to the endpoint none here asks
// for.
#include <catch2/catch.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "tests/unit/ofi/pair.hpp"

using namespace tutti::test;
using namespace tutti::transport::ofi;
using tutti::ErrorCode;
using tutti::security::Key;
using tutti::transport::SendResult;
using namespace std::chrono_literals;

TEST_CASE("with memory registered as adapters want it: frames, and reads of all sizes")
{
    const char* const provider = GENERATE("net", "tcp;ofi_rxm", "shm");
    CAPTURE(provider);
    Pair pair({.rank = 0,
               .ranks = 2,
               .key = Key::random(),
               .provider = provider,
               .linger = 0ms,
               .as_adapter = true});
    const MemoryModes& modes = pair.b.transport->memory_modes();
    CHECK(modes.local);
    CHECK(modes.virtual_addresses);
    CHECK(modes.provider_keys);
    CHECK(modes.pins_pages);
    CHECK_FALSE(modes.bound);

    Registered registered(pair.b, 10 << 20);
    REQUIRE(registered.is_registered);
    CHECK(registered.region.address == reinterpret_cast<std::uintptr_t>(registered.bytes.data()));
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{4097}, std::size_t{4} << 20, std::size_t{9'999'999}}) {
        Bytes local(size);
        OfiCompletion completion;
        REQUIRE(pair.a.transport->memory()->get(1, {registered.region.address + 5, registered.region.key},
                                                local, completion) == SendResult::pending);
        REQUIRE(drive_until([&] { pair.pass(); }, [&] { return completion.fired != 0; }));
        CHECK(completion.fired == 1);
        CHECK(completion.result == ErrorCode::success);
        CHECK(std::equal(local.begin(), local.end(), registered.bytes.begin() + 5));
    }
    for (const std::size_t size : {std::size_t{1}, std::size_t{16'000}}) {
        const std::size_t before = pair.b.sink.payloads.size();
        bool gone = false;
        REQUIRE(drive_until(
            [&] {
                gone = gone || pair.a.send(1, Bytes(size, std::byte{9})) == SendResult::done;
                pair.pass();
            },
            [&] { return pair.b.sink.payloads.size() > before; }));
        CHECK(pair.b.sink.payloads.back() == Bytes(size, std::byte{9}));
    }
}

TEST_CASE(
    "keys of an adapter's provider are its own, and end with the use of the memory; ours are found again")
{
    const bool as_adapter = GENERATE(false, true);
    CAPTURE(as_adapter);
    OfiRank rank({.rank = 0, .ranks = 2, .key = Key::random(), .linger = 0ms, .as_adapter = as_adapter});
    OfiTransport& transport = *rank.transport;
    Bytes memory(10'000);
    Bytes other(10'000);
    tutti::transport::RemoteRegion first{};
    tutti::transport::RemoteRegion second{};
    REQUIRE(transport.memory()->register_region(memory, first));
    REQUIRE(transport.memory()->register_region(other, second));
    CHECK(first.key != second.key);  // of one that makes its keys we ask for none in particular
    // A number that it counts up, not one that nobody guesses.
    CHECK((first.key < 1u << 20) == as_adapter);
    CHECK((second.key < 1u << 20) == as_adapter);
    transport.memory()->release_region(first);
    tutti::transport::RemoteRegion again{};
    REQUIRE(transport.memory()->register_region(memory, again));
    CHECK((again.key == first.key) == !as_adapter);
    transport.memory()->release_region(again);
    transport.memory()->release_region(second);
}

TEST_CASE("memory that cannot be read is not registered: a provider would wait for it for ever")
{
    OfiRank rank({.rank = 0, .ranks = 2, .key = Key::random(), .linger = 0ms});
    OfiTransport& transport = *rank.transport;
    constexpr std::size_t kBytes = 1u << 20;
    auto* const memory = static_cast<std::byte*>(
        ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(memory != MAP_FAILED);
    tutti::transport::RemoteRegion region{};
    REQUIRE(transport.memory()->register_region({memory, kBytes}, region));
    transport.memory()->release_region(region);
    REQUIRE(::mprotect(memory + kBytes / 2, kBytes / 2, PROT_NONE) == 0);
    CHECK_FALSE(transport.memory()->register_region({memory, kBytes}, region));
    CHECK_FALSE(transport.memory()->register_region({memory + kBytes / 2, 5000}, region));
    REQUIRE(transport.memory()->register_region({memory + 1, kBytes / 2 - 1}, region));
    transport.memory()->release_region(region);
    ::munmap(memory, kBytes);
    CHECK_FALSE(transport.memory()->register_region({memory, kBytes}, region));
}
