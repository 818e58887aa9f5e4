// Whoever does not know the job's key may do what he likes at its ports: he is dropped, and the job goes on.
#include <chrono>
#include <memory>
#include <set>
#include <sstream>
#include <thread>

#include <catch2/catch.hpp>

#include "tests/cluster/cluster.hpp"

using namespace tutti::test;

namespace {

/// The ports that others can reach, but sshd's: of the ranks, and on host a of the head.
std::set<std::string> open_ports(const std::string& host)
{
    std::istringstream lines(
        Hosts::shell(host, "ss -Hltn | awk '{ print $4 }' | grep -v '^127[.]' | grep -v '^.::1' || true"));
    std::set<std::string> ports;
    for (std::string line; std::getline(lines, line);)
        ports.insert(line.substr(line.rfind(':') + 1));
    ports.erase("22");
    return ports;
}

void wait_for_ports(const std::string& host, std::size_t count)
{
    for (int tries = 0; tries < 200 && open_ports(host).size() < count; ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    REQUIRE(open_ports(host).size() == count);
}

/// From a host that has no part in the job.
std::unique_ptr<Launched> knock(const std::string& address, const std::string& port)
{
    return std::make_unique<Launched>(Hosts::on("c", {cluster_program("outsider"), address, port, "1"}),
                                      std::chrono::seconds(60));
}

}  // namespace

TEST_CASE_METHOD(Hosts, "outsiders at the ports of ranks that are at work", "[outsiders]")
{
    // Long enough for the outsiders to come on a machine that others keep busy.
    Launched launched(tuttirun_command(job("a:2,b:1", "soak", {"--seconds", "20"})),
                      std::chrono::seconds(90));
    wait_for_processes("b", "api_soak --seconds", 1);
    wait_for_ports("a", 2);
    wait_for_ports("b", 1);
    std::vector<std::unique_ptr<Launched>> outsiders;
    for (const std::string& port : open_ports("a"))
        outsiders.push_back(knock("10.77.0.1", port));
    for (const std::string& port : open_ports("b"))
        outsiders.push_back(knock("10.77.0.2", port));
    CHECK(outsiders.size() == 3);
    for (const auto& outsider : outsiders)
        check_quiet_success(outsider->wait());

    const Result result = launched.wait();
    CAPTURE(result.err);
    CHECK(result.status == 0);
    CHECK(contains(result.out, "MB checked"));
    CHECK(contains(result.err, "(host a): dropped a connection from 10.77.0.3"));
    CHECK(contains(result.err, "(host b): dropped a connection from 10.77.0.3"));
    // They knocked thousands of times; each kind of outsider is told once.
    CHECK(lines_of(result.err).size() <= 5 * outsiders.size());
}

TEST_CASE_METHOD(Hosts, "outsiders at the port where daemons are awaited", "[outsiders]")
{
    change("a", "printf '#!/bin/sh\\nsleep 3\\nexec ssh \"$@\"\\n' > /tmp/slow && chmod +x /tmp/slow",
           "rm /tmp/slow");
    std::vector<std::string> arguments = job("a:1,b:1", "messages");
    arguments.insert(arguments.begin(), {"--launch-agent", "/tmp/slow"});
    Launched launched(tuttirun_command(arguments), std::chrono::seconds(60));
    wait_for_ports("a", 1);
    const auto outsider = knock("10.77.0.1", *open_ports("a").begin());
    check_quiet_success(outsider->wait());
    const Result result = launched.wait();
    CAPTURE(result.err);
    CHECK(result.status == 0);
    CHECK(contains(result.err, "10.77.0.3"));
    CHECK(lines_of(result.err).size() <= 3);
}

TEST_CASE_METHOD(Hosts, "ranks have no port open where all of them are on one host", "[outsiders]")
{
    Launched launched(tuttirun_command({"-n", "2", program("api_soak"), "--seconds", "2"}),
                      std::chrono::seconds(60));
    wait_for_processes("a", "api_soak --seconds", 2);
    CHECK(open_ports("a").empty());
    check_quiet_success(launched.wait());
}
