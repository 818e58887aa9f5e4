// Which addresses are chosen, by themselves and by name.
#include <catch2/catch.hpp>

#include <string>

#include "lib/foundation/network/interface_choice.hpp"
#include "tests/unit/network/support.hpp"
#include "tutti/error.hpp"

using namespace tutti::network;
using namespace tutti::test;
using Catch::Matchers::Contains;

namespace {

const std::vector<LocalAddress>& host()
{
    static const std::vector<LocalAddress> all = {
        address("lo", "127.0.0.1/8"),
        address("eth0", "10.1.0.5/16"),
        isolated(address("docker0", "172.17.0.1/16")),
        down(address("eth1", "10.2.0.5/16")),
        address("ib0", "192.168.9.5/24"),
        address("eth0", "169.254.1.1/16"),
        address("lo", "::1/128"),
        address("eth0", "fd00::5/64"),
        address("eth0", "fe80::5/64"),
    };
    return all;
}

std::string chosen(const std::string& text)
{
    const auto addresses = InterfaceChoice::parse(text).choose(host(), "b");
    return describe(std::vector<HostAddress>(addresses.begin(), addresses.end()));
}

}  // namespace

TEST_CASE("by itself: what other hosts may reach")
{
    CHECK(InterfaceChoice().is_automatic());
    CHECK(chosen("") == "eth0 10.1.0.5/16, ib0 192.168.9.5/24, eth0 fd00::5/64");
}

TEST_CASE("by name and by subnet, in the order named, each once")
{
    CHECK(chosen("ib0") == "ib0 192.168.9.5/24");
    CHECK(chosen("lo") == "lo 127.0.0.1/8, lo ::1/128");
    CHECK(chosen("docker0") == "docker0 172.17.0.1/16");
    CHECK(chosen("ib0,10.1.0.0/16") == "ib0 192.168.9.5/24, eth0 10.1.0.5/16");
    CHECK(chosen("fd00::/8,ib0") == "eth0 fd00::5/64, ib0 192.168.9.5/24");
    CHECK(chosen("192.168.9.0/24,ib0") == "ib0 192.168.9.5/24");
    CHECK(chosen("fe80::/10") == "eth0 fe80::5/64");
    CHECK(chosen("99.0.0.0/8,ib0") == "ib0 192.168.9.5/24");
}

TEST_CASE("a name that is not there: what there is, and what was probably meant")
{
    CHECK_THROWS_WITH(chosen("ib0,eht0"),
                      Contains("TUTTI_INTERFACE=ib0,eht0: host b has no interface 'eht0'") &&
                          Contains("eth0 10.1.0.5/16") && Contains("lo 127.0.0.1/8 (loopback)") &&
                          Contains("eth1 10.2.0.5/16 (down)") &&
                          Contains("docker0 172.17.0.1/16 (a bridge within this host)") &&
                          Contains("did you mean 'eth0'?"));
}

TEST_CASE("subnets without an address, and interfaces that are down")
{
    CHECK_THROWS_WITH(chosen("99.0.0.0/8"), Contains("host b has no address there that is up, only lo"));
    CHECK_THROWS_WITH(chosen("eth1"), Contains("no address there that is up") && Contains("(down)"));
}

TEST_CASE("a host that nobody can reach")
{
    const std::vector<LocalAddress> alone = {address("lo", "127.0.0.1/8")};
    CHECK_THROWS_WITH(InterfaceChoice().choose(alone, "b"),
                      Contains("host b has no interface that other hosts can reach, only lo 127.0.0.1/8 "
                               "(loopback)") &&
                          Contains("TUTTI_INTERFACE"));
    CHECK_THROWS_WITH(InterfaceChoice().choose({}, "b"), Contains("only none"));
}

TEST_CASE("text that is neither an interface nor a subnet")
{
    const std::string text =
        GENERATE("10.0.0.0/33", "eth0,,eth1", ",", "eth0, eth1", "10.0.0.0/x", "fd00::g");
    CHECK_THROWS_WITH(InterfaceChoice::parse(text, "--interface"),
                      Contains("--interface=" + text) && Contains("neither an interface nor a subnet"));
}
