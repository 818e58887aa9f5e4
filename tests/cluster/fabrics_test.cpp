// libfabric between hosts, in place of Tutti's own sockets: what those do in other tests, and when it is not
// loaded.
#include <signal.h>

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

#include <catch2/catch.hpp>

#include "tests/cluster/cluster.hpp"

using namespace tutti::test;

namespace {

// What libfabric listens on, so that a rank's own ports are known by their ports.
constexpr int kFirstFabricPort = 20'000;
constexpr int kLastFabricPort = 20'999;

std::vector<std::string> over_libfabric(std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), {"--fabric", "ofi:net", "-x",
                                         "FI_NET_PORT_LOW_RANGE=" + std::to_string(kFirstFabricPort), "-x",
                                         "FI_NET_PORT_HIGH_RANGE=" + std::to_string(kLastFabricPort)});
    return arguments;
}

/// Ports on one of the host's addresses, but libfabric's.
std::set<std::string> listening_ports(const std::string& host, const std::string& address)
{
    std::istringstream lines(Hosts::shell(host, "ss -Hltn | awk '{ print $4 }'"));
    std::set<std::string> ports;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.rfind(':');
        const int port = std::stoi(line.substr(colon + 1));
        if (line.substr(0, colon) == address && (port < kFirstFabricPort || port > kLastFabricPort))
            ports.insert(line.substr(colon + 1));
    }
    return ports;
}

/// Whether libfabric is ever mapped by one of the ranks of a job that takes some time; nothing where none was
/// seen.
std::optional<bool> loads_libfabric(const std::vector<std::string>& arguments, const std::string& host)
{
    const auto launched =
        std::make_unique<Launched>(Hosts::tuttirun_command(arguments), std::chrono::seconds(60));
    const std::vector<pid_t> ranks = Hosts::wait_for_processes(host, "api_soak --seconds", 2);
    bool seen = false;
    bool loaded = false;
    for (bool there = true; there; std::this_thread::sleep_for(std::chrono::milliseconds(20))) {
        there = false;
        for (const pid_t rank : ranks) {
            const std::string maps = file_text("/proc/" + std::to_string(rank) + "/maps");
            there = there || !maps.empty();
            seen = seen || contains(maps, "api_soak");
            loaded = loaded || contains(maps, "libfabric");
        }
    }
    check_quiet_success(launched->wait());
    return seen ? std::optional(loaded) : std::nullopt;
}

}  // namespace

TEST_CASE_METHOD(Hosts, "libfabric is loaded by who wants it only", "[fabrics]")
{
    const std::vector<std::string> soak{program("api_soak"), "--seconds", "0.5"};
    std::vector<std::string> one_host{"-n", "2"};
    one_host.insert(one_host.end(), soak.begin(), soak.end());
    CHECK(loads_libfabric(one_host, "a") == false);
    // Not even when it is wished for.
    CHECK(loads_libfabric(over_libfabric(one_host), "a") == false);
    const std::vector<std::string> two_hosts = job("a:2,b:1", "soak", {"--seconds", "0.5"});
    CHECK(loads_libfabric(two_hosts, "a") == false);
    CHECK(loads_libfabric(over_libfabric(two_hosts), "a") == true);
}

TEST_CASE_METHOD(Hosts, "an adapter that libfabric makes nothing of: TCP, and that is said", "[fabrics]")
{
    for (const std::string host : {"a", "b"})
        change(host,
               "mkdir -p /tmp/class/infiniband/mlx5_0 && cp -a /sys/class/net /tmp/class && "
               "mount --bind /tmp/class /sys/class",
               "umount /sys/class && rm -r /tmp/class");
    std::vector<std::string> arguments = job("a:1,b:1", "soak", {"--seconds", "0.2"});
    arguments.insert(arguments.begin(), "-v");
    const Result result = tuttirun(arguments);
    CAPTURE(result.err);
    CHECK(result.status == 0);
    CHECK(contains(result.err, "rank 0 (host a): other nodes over no adapter: "));
    CHECK(contains(result.err, "rank 0 (host a): other nodes over TCP"));
    CHECK(contains(result.err, "rank 1 (host b): other nodes over TCP"));
    CHECK(!contains(result.err, "other nodes over libfabric"));
}

TEST_CASE_METHOD(Hosts, "a link that is cut in silence ends a job over libfabric on both sides", "[fabrics]")
{
    Launched launched(tuttirun_command(over_libfabric(job("a:2,b:2", "soak", {"--seconds", "1000"}))),
                      std::chrono::seconds(60));
    wait_for_processes("b", "api_soak --seconds", 2);
    shell("a",
          "for i in $(seq 500); do ss -Htn state established | grep -q ':20[0-9][0-9][0-9] ' && exit 0; "
          "sleep 0.02; "
          "done; exit 1");
    cut("b");
    check_cut_ends(launched);
}

TEST_CASE_METHOD(Hosts, "a rank that is killed ends a job over libfabric at once", "[fabrics]")
{
    const Result result = tuttirun(over_libfabric(job("a:2,b:2", "killed", {"recv"})));
    CAPTURE(result.err);
    CHECK(result.status == 128 + SIGKILL);
    CHECK(contains(result.err, "rank 3 (pid "));
    CHECK(contains(result.err, "on b) was killed by signal 9"));
    CHECK(lines_of(result.err).size() == 1);
    CHECK(result.seconds < 2 * kSoonSeconds);
}

TEST_CASE_METHOD(Hosts, "outsiders at the ports of ranks over libfabric", "[fabrics]")
{
    std::vector<std::string> arguments = over_libfabric(job("a:1,b:1", "soak", {"--seconds", "5"}));
    arguments.insert(arguments.begin(), {"--interface", "10.77.0.0/16"});
    Launched launched(tuttirun_command(arguments), std::chrono::seconds(60));
    wait_for_processes("b", "api_soak --seconds", 1);
    for (int tries = 0; tries < 200 && listening_ports("b", "10.77.0.2").empty(); ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const std::set<std::string> ports = listening_ports("b", "10.77.0.2");
    REQUIRE(ports.size() == 1);
    Launched outsider(on("c", {cluster_program("outsider"), "10.77.0.2", *ports.begin(), "1"}),
                      std::chrono::seconds(60));
    check_quiet_success(outsider.wait());
    const Result result = launched.wait();
    CAPTURE(result.err);
    CHECK(result.status == 0);
    CHECK(contains(result.out, "MB checked"));
    CHECK(contains(result.err, "rank 1 on b has dropped, and goes on without it: 10.77.0.3:"));
    CHECK(lines_of(result.err).size() == 1);
}

TEST_CASE_METHOD(Hosts, "a rank that waits for one on another host over libfabric uses no processor time",
                 "[fabrics]")
{
    check_quiet_success(tuttirun(over_libfabric(job("a:2,b:2", "sleeper"))));
}
