// Addresses and subnets: parsed, printed, told apart.
#include <catch2/catch.hpp>

#include <string>

#include "lib/foundation/network/interfaces.hpp"
#include "lib/foundation/network/ip_address.hpp"

using tutti::network::IpAddress;
using tutti::network::Subnet;

TEST_CASE("addresses are printed as they are written")
{
    const std::string text = GENERATE("10.0.0.1", "255.255.255.255", "fd00::1", "::1", "fe80::1:2:3:4");
    const auto address = IpAddress::parse(text);
    REQUIRE(address);
    CHECK(address->to_string() == text);
    CHECK(address->is_v4() == (text.find(':') == std::string::npos));
    socklen_t size = 0;
    const sockaddr_storage storage = address->to_sockaddr(80, 0, size);
    CHECK(IpAddress::of(reinterpret_cast<const sockaddr&>(storage)) == address);
    CHECK(size != 0);
}

TEST_CASE("an address with its port")
{
    CHECK(IpAddress::parse("10.0.0.1")->with_port(80) == "10.0.0.1:80");
    CHECK(IpAddress::parse("fd00::1")->with_port(80) == "[fd00::1]:80");
}

TEST_CASE("IPv4 in IPv6's clothes is IPv4")
{
    CHECK(IpAddress::parse("::ffff:10.0.0.1") == IpAddress::parse("10.0.0.1"));
}

TEST_CASE("what is no address is none")
{
    const std::string text =
        GENERATE("", "10.0.0", "10.0.0.256", "host", "10.0.0.1/8", "fd00::1::2", "fe80::1%eth0", "10.0.0.1 ");
    CHECK_FALSE(IpAddress::parse(text));
    CHECK_FALSE(IpAddress::parse(std::string("10.0.0.1\0", 9)));
}

TEST_CASE("kinds of addresses")
{
    CHECK(IpAddress::parse("127.0.0.1")->is_loopback());
    CHECK(IpAddress::parse("127.9.0.1")->is_loopback());
    CHECK(IpAddress::parse("::1")->is_loopback());
    CHECK_FALSE(IpAddress::parse("128.0.0.1")->is_loopback());
    CHECK_FALSE(IpAddress::parse("::2")->is_loopback());
    CHECK(IpAddress::parse("169.254.3.4")->is_link_local());
    CHECK(IpAddress::parse("febf::1")->is_link_local());
    CHECK_FALSE(IpAddress::parse("fec0::1")->is_link_local());
    CHECK_FALSE(IpAddress::parse("169.253.3.4")->is_link_local());
    CHECK(IpAddress::parse("172.31.0.1")->is_private());
    CHECK_FALSE(IpAddress::parse("172.32.0.1")->is_private());
    CHECK(IpAddress::parse("fd12::1")->is_private());
    CHECK_FALSE(IpAddress::parse("2001:db8::1")->is_private());
    CHECK(IpAddress::parse("::")->is_any());
    CHECK_FALSE(IpAddress::parse("::1")->is_any());
}

TEST_CASE("subnets")
{
    const auto in = [](const char* subnet, const char* address) {
        return Subnet::parse(subnet)->contains(*IpAddress::parse(address));
    };
    CHECK(in("10.1.0.0/16", "10.1.255.1"));
    CHECK_FALSE(in("10.1.0.0/16", "10.2.0.1"));
    CHECK(in("10.1.2.128/25", "10.1.2.200"));
    CHECK_FALSE(in("10.1.2.128/25", "10.1.2.127"));
    CHECK(in("0.0.0.0/0", "1.2.3.4"));
    CHECK_FALSE(in("0.0.0.0/0", "::1"));
    CHECK(in("fd00::/8", "fdff::1"));
    CHECK_FALSE(in("fd00::/8", "fc00::1"));
    CHECK(in("10.0.0.1", "10.0.0.1"));
    CHECK_FALSE(in("10.0.0.1", "10.0.0.2"));
    for (const char* bad :
         {"10.0.0.0/33", "fd00::/129", "10.0.0.0/", "10.0.0.0/x", "10.0.0.0/-1", "eth0/8", ""})
        CHECK_FALSE(Subnet::parse(bad));
}

TEST_CASE("this host has interfaces, the loopback one among them where it is up")
{
    for (const auto& address : tutti::network::local_addresses()) {
        CHECK_FALSE(address.interface.empty());
        CHECK(address.interface_index != 0);
        CHECK(address.prefix <= address.address.bits());
        if (address.interface == "lo") {
            CHECK(address.address.is_loopback());
            CHECK_FALSE(address.isolated_bridge);
        }
    }
}
