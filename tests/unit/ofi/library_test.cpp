// libfabric is loaded in this process for the first time: what that does to the program, and which provider
// is taken.
#include "transports/ofi/library.hpp"

#include <catch2/catch.hpp>

#include <rdma/fi_domain.h>
#include <signal.h>

#include <array>
#include <cstring>

#include "transports/ofi/endpoint.hpp"
#include "transports/ofi/provider.hpp"
#include "tutti/error.hpp"

using namespace tutti::transport::ofi;
using Catch::Matchers::Contains;

namespace {

std::array<struct sigaction, NSIG> dispositions()
{
    std::array<struct sigaction, NSIG> all{};
    for (int signal = 1; signal < NSIG; ++signal)
        sigaction(signal, nullptr, &all[static_cast<std::size_t>(signal)]);
    return all;
}

std::vector<tutti::network::LocalAddress> loopback()
{
    auto all = tutti::network::local_addresses();
    std::erase_if(all, [](const auto& address) { return !address.address.is_loopback(); });
    return all;
}

}  // namespace

TEST_CASE("loading libfabric and opening an endpoint leaves every signal to the program")
{
    const auto before = dispositions();
    const Endpoint endpoint(choose_provider({}, loopback()));
    const auto after = dispositions();
    for (std::size_t signal = 1; signal < NSIG; ++signal) {
        CAPTURE(signal);
        CHECK(before[signal].sa_sigaction == after[signal].sa_sigaction);
        CHECK(before[signal].sa_flags == after[signal].sa_flags);
    }
}

TEST_CASE("signals that something takes over meanwhile are given back")
{
    struct sigaction before {};
    sigaction(SIGUSR2, nullptr, &before);
    {
        const KeepSignalHandlers keep;
        signal(SIGUSR2, [](int) {});
    }
    struct sigaction after {};
    sigaction(SIGUSR2, nullptr, &after);
    CHECK(before.sa_handler == after.sa_handler);
}

TEST_CASE("without a name: a provider for the addresses that were chosen, in one piece, with remote reads")
{
    const auto addresses = loopback();
    const InfoPtr info = choose_provider({}, addresses);
    CHECK((info->caps & FI_RMA) != 0);
    CHECK(std::string(info->fabric_attr->prov_name).find(';') == std::string::npos);
    REQUIRE(info->src_addr != nullptr);
    CHECK(tutti::network::IpAddress::of(*static_cast<const sockaddr*>(info->src_addr)) ==
          addresses.front().address);
}

TEST_CASE("an adapter or nothing: a machine without one is told so, and what there is")
{
    try {
        const InfoPtr info = choose_provider({.adapter = true}, tutti::network::local_addresses());
        REQUIRE(info->nic != nullptr);
        CHECK(info->nic->bus_attr->bus_type == FI_BUS_PCI);
    } catch (const tutti::Error& error) {
        CHECK(error.code() == tutti::ErrorCode::not_supported);
        CHECK_THAT(error.what(), Contains("no network adapter") && Contains("127.0.0.1"));
    }
}

TEST_CASE("by name: that provider, or what is layered over it")
{
    CHECK(std::string(choose_provider({.name = "udp;ofi_rxd"}, loopback())->fabric_attr->prov_name) ==
          "udp;ofi_rxd");
    CHECK(std::string(choose_provider({.name = "udp"}, loopback())->fabric_attr->prov_name) == "udp;ofi_rxd");
}

TEST_CASE("a provider that is not there: what there is, and what may have been meant")
{
    CHECK_THROWS_WITH(choose_provider({.name = "shmm"}, loopback()),
                      Contains("no provider 'shmm'") && Contains("did you mean 'shm'?") && Contains("udp"));
    CHECK_THROWS_WITH(choose_provider({.name = "verbs"}, loopback()), Contains("there are: "));
    CHECK_THROWS_WITH(choose_provider({.name = "udp"}, {}),
                      Contains("'s provider udp reaches no network") && Contains("TUTTI_INTERFACE"));
}
