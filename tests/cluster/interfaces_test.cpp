// Over which networks ranks meet. Every host has two bridges that lead nowhere: docker0, which has the same
// address on all, and br-9, which comes first and seems to join them.
#include <catch2/catch.hpp>

#include "tests/cluster/cluster.hpp"

using namespace tutti::test;

namespace {

Result soak_over(const std::string& interfaces)
{
    std::vector<std::string> arguments = job("a:1,b:1", "soak", {"--seconds", "0.2"});
    arguments.insert(arguments.begin(), {"-v", "--interface", interfaces});
    return Hosts::tuttirun(arguments);
}

/// Bytes that have come to a host over one of its interfaces.
long received(const std::string& host, const std::string& interface)
{
    return std::stol(Hosts::shell(host, "cat /sys/class/net/" + interface + "/statistics/rx_bytes"));
}

}  // namespace

TEST_CASE_METHOD(Hosts, "interfaces are chosen by name and by subnet", "[interfaces]")
{
    const auto [choice, expected] = GENERATE(table<std::string, std::string>({{"eth0", "eth0"},
                                                                              {"eth1", "eth1"},
                                                                              {"10.78.0.0/16", "eth1"},
                                                                              {"fd78::/64", "eth1"},
                                                                              {"fd77::/64", "eth0"}}));
    CAPTURE(choice);
    const std::string other = expected == "eth0" ? "eth1" : "eth0";
    const long before = received("b", expected);
    const long other_before = received("b", other);
    const Result result = soak_over(choice);
    CAPTURE(result.err);
    CHECK(result.status == 0);
    const long bytes = received("b", expected) - before;
    const long other_bytes = received("b", other) - other_before;
    CHECK(bytes > 300'000);
    if (expected == "eth1")
        CHECK(other_bytes < bytes / 2);  // ssh, and the launcher's own conversation
    CHECK(contains(result.err, "tutti: rank 0 (host a): to host b over " + expected + ", "));
}

TEST_CASE_METHOD(Hosts, "bridges that lead nowhere are not taken by themselves", "[interfaces]")
{
    std::vector<std::string> arguments = job("a:1,b:1", "silent");
    arguments.insert(arguments.begin(), "-v");
    const Result result = tuttirun(arguments);
    CAPTURE(result.err);
    CHECK(result.status == 0);
    for (const std::string number : {"1", "2"})
        CHECK(contains(result.err, "other nodes over TCP, eth0 10.77.0." + number + "/24, eth1 10.78.0." +
                                       number + "/24, eth0 fd77::" + number + "/64, eth1 fd78::" + number +
                                       "/64\n"));
    CHECK(contains(result.err, "tutti: rank 0 (host a): to host b over eth0, 10.77.0.1 to 10.77.0.2:"));
    check_quiet_success(tuttirun(job("a:2,b:1,c:1", "messages")));
}

TEST_CASE_METHOD(Hosts, "what cannot be reached is said of both hosts", "[interfaces]")
{
    const std::string choice = GENERATE("docker0", "lo");
    CAPTURE(choice);
    const Result result = soak_over(choice);
    CAPTURE(result.err);
    CHECK(result.status != 0);
    CHECK(contains(result.err, "host a"));
    CHECK(contains(result.err, "host b"));
    const std::string at = (choice == "lo" ? "127.0.0.1 (" : "172.17.0.1 (") + choice + ")";
    CHECK(contains(result.err, at + " from " + at + ": "));
    CHECK(result.seconds < 2 * kBoundSeconds);
}

TEST_CASE_METHOD(Hosts,
                 "hosts that cannot reach each other are told before a program begins that never sends",
                 "[interfaces]")
{
    std::vector<std::string> arguments = job("a:1,b:1,c:1", "silent");
    check_quiet_success(tuttirun(arguments));
    arguments.insert(arguments.begin(), {"--interface", "docker0"});
    const Result result = tuttirun(arguments);
    CAPTURE(result.err);
    CHECK(result.status != 0);
    CHECK(contains(result.err, "172.17.0.1"));
    CHECK(result.seconds < 2 * kBoundSeconds);
}

TEST_CASE_METHOD(Hosts, "an interface or subnet that a host does not have is named with those that it has",
                 "[interfaces]")
{
    const std::string choice = GENERATE("eth7", "192.168.5.0/24");
    const Result result = soak_over(choice);
    CAPTURE(result.err);
    CHECK(result.status != 0);
    CHECK(contains(result.err, choice));
    CHECK(contains(result.err, "eth0"));
    CHECK(contains(result.err, "10.77.0."));

    const Result nonsense = soak_over("10.77.0.0/99");
    CHECK(nonsense.status != 0);
    CHECK(contains(nonsense.err, "10.77.0.0/99"));
}

TEST_CASE_METHOD(Hosts, "hosts whose first network does not work meet over the second", "[interfaces]")
{
    change("b", "ip link set eth0 down",
           "ip link set eth0 up && ip -6 address add fd77::2/64 dev eth0 nodad");
    std::vector<std::string> arguments = job("a:1,10.78.0.2:1", "messages");
    const Result result = tuttirun(arguments);
    CAPTURE(result.err);
    CHECK(result.status == 0);
}

TEST_CASE_METHOD(Hosts, "hosts are named by address, too", "[interfaces]")
{
    for (const std::string hosts : {"10.77.0.1:1,10.77.0.2:1", "a:1,b6:1", "root@b:1,c:1"}) {
        CAPTURE(hosts);
        const Result result = tuttirun(job(hosts, "messages"));
        CAPTURE(result.err);
        CHECK(result.status == 0);
    }
}
