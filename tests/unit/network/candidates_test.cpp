// Which pairs of addresses are tried, and in which order.
#include <catch2/catch.hpp>

#include <string>

#include "lib/foundation/network/candidates.hpp"
#include "tests/unit/network/support.hpp"

using namespace tutti::network;
using namespace tutti::test;

namespace {

std::vector<std::string> pairs(const std::vector<LocalAddress>& mine, const std::vector<LocalAddress>& theirs)
{
    std::vector<std::string> texts;
    for (const Candidate& candidate : candidates(mine, reported(theirs)))
        texts.push_back(candidate.describe());
    return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("one network between two hosts")
{
    CHECK(pairs({address("eth0", "10.0.0.1/24")}, {address("eth0", "10.0.0.2/24")}) ==
          Texts{"10.0.0.2 (eth0) from 10.0.0.1 (eth0)"});
}

TEST_CASE("common subnets come before what a router may lead to")
{
    const auto found = pairs({address("eth0", "10.0.0.1/24"), address("ib0", "192.168.0.1/24")},
                             {address("eth1", "10.9.0.2/24"), address("wan", "198.51.100.2/24"),
                              address("ib0", "192.168.0.2/24")});
    CHECK(found == Texts{"192.168.0.2 (ib0) from 192.168.0.1 (ib0)", "10.9.0.2 (eth1) from 10.0.0.1 (eth0)",
                         "198.51.100.2 (wan) from 10.0.0.1 (eth0)"});
}

TEST_CASE("their order decides among equals")
{
    const auto found = pairs({address("a", "10.0.0.1/24"), address("b", "10.0.1.1/24")},
                             {address("b", "10.0.1.2/24"), address("a", "10.0.0.2/24")});
    CHECK(found == Texts{"10.0.1.2 (b) from 10.0.1.1 (b)", "10.0.0.2 (a) from 10.0.0.1 (a)"});
}

TEST_CASE("versions of IP do not mix")
{
    CHECK(pairs({address("eth0", "10.0.0.1/24")}, {address("eth0", "fd00::2/64")}).empty());
    CHECK(pairs({address("eth0", "10.0.0.1/24"), address("eth0", "fd00::1/64")},
                {address("eth0", "fd00::2/64")}) == Texts{"fd00::2 (eth0) from fd00::1 (eth0)"});
}

TEST_CASE("loopback and link-local addresses go with their like only")
{
    CHECK(pairs({address("lo", "127.0.0.1/8")}, {address("eth0", "10.0.0.2/24")}).empty());
    CHECK(pairs({address("eth0", "10.0.0.1/24")}, {address("lo", "127.0.0.1/8")}).empty());
    CHECK(pairs({address("lo", "127.0.0.1/8")}, {address("lo", "127.0.0.1/8")}).size() == 1);
    CHECK(pairs({address("eth0", "fd00::1/64")}, {address("eth0", "fe80::2/64")}).empty());
    const std::vector<LocalAddress> mine = {address("eth0", "fe80::1/64")};
    const auto found = candidates(mine, reported({address("eth0", "fe80::2/64")}));
    REQUIRE(found.size() == 1);
    CHECK(found[0].scope() == 7);
}

TEST_CASE("an address that both have is tried last: it leads back to this host")
{
    const auto found = pairs({address("br0", "172.17.0.1/16"), address("eth0", "10.0.0.1/24")},
                             {address("br0", "172.17.0.1/16"), address("eth0", "10.0.0.2/24")});
    CHECK(found == Texts{"10.0.0.2 (eth0) from 10.0.0.1 (eth0)", "172.17.0.1 (br0) from 172.17.0.1 (br0)"});
}

TEST_CASE("to where a router may lead the connection goes out from the address that the route takes")
{
    // The kernel's route to all of 127/8 is from 127.0.0.1.
    CHECK(pairs({address("dummy", "127.0.0.7/32"), address("lo", "127.0.0.1/32")},
                {address("lo", "127.9.9.9/32")}) == Texts{"127.9.9.9 (lo) from 127.0.0.1 (lo)"});
    CHECK(pairs({address("dummy", "127.0.0.7/32"), address("other", "127.0.0.8/32")},
                {address("lo", "127.9.9.9/32")}) == Texts{"127.9.9.9 (lo) from 127.0.0.7 (dummy)"});
}
