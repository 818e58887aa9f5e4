// Memory registered as adapters want it. Software providers do so when they are asked for FI_MR_BASIC: keys
// are theirs, memory is named by its address. That a registration is bound to the endpoint none here asks
// for.
#include "transports/ofi/memory.hpp"

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

namespace {

/// Stands for the objects of a provider that wants registrations bound, and writes down what it is asked.
struct BindingProvider {
    BindingProvider()
    {
        domain.fid.context = this;
        domain.mr = &memory_ops;
        memory_ops.reg = [](fid* of, const void*, std::size_t, std::uint64_t, std::uint64_t,
                            std::uint64_t key, std::uint64_t, fid_mr** made, void*) {
            auto& self = *static_cast<BindingProvider*>(of->context);
            self.asked.push_back("register");
            self.key_asked_for = key;
            self.memory.key = 77;
            *made = &self.memory;
            return 0;
        };
        memory.fid.context = this;
        memory.fid.ops = &ops;
        ops.bind = [](fid* of, fid* to, std::uint64_t) {
            auto& self = *static_cast<BindingProvider*>(of->context);
            self.asked.push_back(to == &self.endpoint.fid ? "bind" : "bind to something else");
            return self.bind_answers;
        };
        ops.control = [](fid* of, int command, void*) {
            auto& self = *static_cast<BindingProvider*>(of->context);
            self.asked.push_back(command == FI_ENABLE ? "enable" : "something else");
            return self.enable_answers;
        };
        ops.close = [](fid* of) {
            static_cast<BindingProvider*>(of->context)->asked.push_back("close");
            return 0;
        };
        domain_attributes.mr_mode = FI_MR_ENDPOINT | FI_MR_PROV_KEY;
        info.domain_attr = &domain_attributes;
    }
    std::optional<Registration> register_some()
    {
        return register_memory(domain, endpoint, MemoryModes(info), std::as_bytes(std::span("memory")),
                               FI_SEND);
    }

    fi_ops_mr memory_ops{};
    fi_ops ops{};
    fid_domain domain{};
    fid_ep endpoint{};
    fid_mr memory{};
    fi_domain_attr domain_attributes{};
    fi_info info{};

    std::vector<std::string> asked;
    std::uint64_t key_asked_for = 1;
    int bind_answers = 0;
    int enable_answers = 0;
};

}  // namespace

TEST_CASE("with memory registered as adapters want it: frames, and reads of all sizes")
{
    if (!Library::installed())
        return;
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

    Lent lent(pair.b, 10 << 20);
    REQUIRE(lent.is_lent);
    CHECK(lent.region.address == reinterpret_cast<std::uintptr_t>(lent.bytes.data()));
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{4097}, std::size_t{4} << 20, std::size_t{9'999'999}}) {
        Bytes local(size);
        OfiCompletion completion;
        REQUIRE(pair.a.transport->get(1, {lent.region.address + 5, lent.region.key}, local, completion) ==
                SendResult::pending);
        REQUIRE(drive_until([&] { pair.pass(); }, [&] { return completion.fired != 0; }));
        CHECK(completion.fired == 1);
        CHECK(completion.result == ErrorCode::success);
        CHECK(std::equal(local.begin(), local.end(), lent.bytes.begin() + 5));
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
    if (!Library::installed())
        return;
    const bool as_adapter = GENERATE(false, true);
    CAPTURE(as_adapter);
    OfiRank rank({.rank = 0, .ranks = 2, .key = Key::random(), .linger = 0ms, .as_adapter = as_adapter});
    OfiTransport& transport = *rank.transport;
    Bytes memory(10'000);
    Bytes other(10'000);
    tutti::transport::RemoteRegion first{};
    tutti::transport::RemoteRegion second{};
    REQUIRE(transport.lend(memory, first));
    REQUIRE(transport.lend(other, second));
    CHECK(first.key != second.key);  // of one that makes its keys we ask for none in particular
    // A number that it counts up, not one that nobody guesses.
    CHECK((first.key < 1u << 20) == as_adapter);
    CHECK((second.key < 1u << 20) == as_adapter);
    transport.take_back(first);
    tutti::transport::RemoteRegion again{};
    REQUIRE(transport.lend(memory, again));
    CHECK((again.key == first.key) == !as_adapter);
    transport.take_back(again);
    transport.take_back(second);
}

TEST_CASE("a registration is bound to the endpoint and enabled where the provider wants that")
{
    BindingProvider provider;
    const auto registration = provider.register_some();
    REQUIRE(registration.has_value());
    CHECK(provider.asked == std::vector<std::string>{"register", "bind", "enable"});
    CHECK(provider.key_asked_for == 0);
    CHECK(registration->key == 77);
    end_registration(*registration);
    CHECK(provider.asked.back() == "close");

    BindingProvider without;
    without.domain_attributes.mr_mode = FI_MR_PROV_KEY;
    CHECK(without.register_some().has_value());
    CHECK(without.asked == std::vector<std::string>{"register"});
}

TEST_CASE("a registration that cannot be bound or enabled is none, and is ended")
{
    BindingProvider provider;
    SECTION("bound")
    {
        provider.bind_answers = -1;
        CHECK_FALSE(provider.register_some().has_value());
        CHECK(provider.asked == std::vector<std::string>{"register", "bind", "close"});
    }
    SECTION("enabled")
    {
        provider.enable_answers = -1;
        CHECK_FALSE(provider.register_some().has_value());
        CHECK(provider.asked == std::vector<std::string>{"register", "bind", "enable", "close"});
    }
}
