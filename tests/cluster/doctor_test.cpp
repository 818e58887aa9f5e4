// tuttirun --doctor over hosts: what is well, and what is not.
#include <catch2/catch.hpp>

#include "tests/cluster/cluster.hpp"
#include "tests/json.hpp"

using namespace tutti::test;

namespace {

/// The only thing that a check of the doctor's found about these hosts.
Json finding(const Result& result, const std::string& check, const std::vector<std::string>& hosts)
{
    const Json document(result.out);
    std::vector<Json> found;
    for (const Json& finding : document["findings"].elements()) {
        if (finding["check"] == check && finding["hosts"].texts() == hosts)
            found.push_back(finding);
    }
    REQUIRE(found.size() == 1);
    return found.front();
}

}  // namespace

TEST_CASE_METHOD(Hosts, "the doctor finds all hosts well, and their way to each other", "[doctor]")
{
    const Result result = tuttirun({"--doctor", "--host", "a,b,c"});
    CAPTURE(result.out, result.err);
    CHECK(result.status == 0);
    CHECK(!contains(result.out, "[FAIL]"));
    for (const std::string host : {"a", "b", "c"})
        CHECK(contains(result.out, host + ": Tutti"));
    for (const std::string pair : {"a -> b", "b -> c", "c -> a"})
        CHECK(contains(result.out, pair));
    // And not over bridges that lead nowhere.
    CHECK(contains(result.out,
                   "b: networks: eth0 10.77.0.2/24, eth1 10.78.0.2/24, eth0 fd77::2/64, eth1 "
                   "fd78::2/64\n"));
}

TEST_CASE_METHOD(Hosts, "the doctor names a host where no daemon can be started, and looks at the others",
                 "[doctor]")
{
    change("b", "kill $(cat /run/sshd.pid)", "/usr/sbin/sshd -f /etc/ssh/sshd_config -E /run/sshd.log");
    const Result result = tuttirun({"--doctor", "--host", "a,b,c"});
    CAPTURE(result.out, result.err);
    CHECK(result.status != 0);
    CHECK(contains(result.out, "[FAIL]"));
    CHECK(contains(result.out, "Connection refused"));
    CHECK(contains(result.out, "a -> c"));
}

TEST_CASE_METHOD(Hosts, "what the doctor finds is there for programs, too", "[doctor]")
{
    change("b", "kill $(cat /run/sshd.pid)", "/usr/sbin/sshd -f /etc/ssh/sshd_config -E /run/sshd.log");
    const Result result = tuttirun({"--doctor", "--json", "--host", "a,b"});
    CAPTURE(result.out, result.err);
    CHECK(result.status == 1);
    CHECK(result.out.starts_with("{\n  \"version\": "));
    CHECK(contains(result.out, R"("failures": 1,)"));
    CHECK(contains(result.out, R"("level": "failure",
      "hosts": [
        "b"
      ],
      "text": "cannot start tuttirun on b: )"));
    CHECK(contains(result.out, "Connection refused"));
}

TEST_CASE_METHOD(Hosts, "the doctor says which hosts do not reach each other over the networks chosen",
                 "[doctor]")
{
    const Result result = tuttirun({"--doctor", "--interface", "docker0", "--host", "a,b"});
    CAPTURE(result.out, result.err);
    CHECK(result.status != 0);
    CHECK(contains(result.out, "a -> b: cannot connect"));
    CHECK(contains(result.out, "172.17.0.1"));
}

TEST_CASE_METHOD(Hosts, "the doctor measures what the way between two hosts carries", "[doctor]")
{
    // 100 mbit/s are 12.5e6 bytes, and half a MiB at once on the way.
    const auto [rate, least, most] =
        GENERATE(table<std::string, double, double>({{"100mbit", 3e6, 20e6}, {"none", 20e6, 1e12}}));
    CAPTURE(rate);
    limit("b", rate);
    const Result result = tuttirun({"--doctor", "--json", "--host", "a,b"});
    CAPTURE(result.out, result.err);
    CHECK(result.status == 0);
    for (const std::vector<std::string>& pair : {std::vector<std::string>{"a", "b"}, {"b", "a"}}) {
        const auto reach = finding(result, "reach", pair);
        CHECK(reach["level"] == "ok");
        CHECK(reach["bytes_per_s"].number() > least);
        CHECK(reach["bytes_per_s"].number() < most);
        // Two processes that wake each other on one machine.
        CHECK(reach["latency_us"].number() > 1);
        CHECK(reach["latency_us"].number() < 100'000);
    }
}

TEST_CASE_METHOD(Hosts, "the doctor measures limits, names and clocks on each host", "[doctor]")
{
    // As b's login might have it.
    change(
        "a",
        R"(printf '#!/bin/sh\nexec ssh -o BatchMode=yes $1 "ulimit -Sl 64; ulimit -n 2000; $2"\n' > /tmp/agent &&)"
        " chmod +x /tmp/agent",
        "rm /tmp/agent");
    change("b", "mount --bind /dev/null /etc/hosts", "umount /etc/hosts");
    const Result result = tuttirun({"--doctor", "--json", "--launch-agent", "/tmp/agent", "--host", "a,b"});
    CAPTURE(result.out, result.err);
    CHECK(result.status == 0);
    CHECK(contains(finding(result, "locked_memory", {"b"})["text"].text(), "locked memory: 64 KiB"));
    CHECK(!contains(finding(result, "locked_memory", {"a"})["text"].text(), "locked memory: 64 KiB"));
    const auto files = finding(result, "open_files", {"b"});
    CHECK(files["level"] == "warning");
    CHECK(files["text"] == "b: up to 2000 open files a process");
    CHECK(contains(files["remedy"].text(), "'nofile'"));
    const auto names = finding(result, "names", {"b"});
    CHECK(names["level"] == "warning");
    CHECK(names["text"] == "b: cannot resolve a, b");
    CHECK(finding(result, "names", {"a"})["level"] == "ok");
    for (const std::string host : {"a", "b"}) {
        CHECK(finding(result, "shared_memory", {host})["level"] == "ok");
        CHECK(finding(result, "cross_memory_attach", {host})["level"] == "ok");
    }
    // Of one machine: the clocks are the same, and so is the kernel.
    const auto clock = finding(result, "clock", {"b"});
    CHECK(clock["offset_s"].number() < 1);
    CHECK(clock["offset_s"].number() > -1);
    CHECK(finding(result, "same_machine", {"b", "a"})["level"] == "warning");
}

TEST_CASE_METHOD(Hosts, "the doctor names a host with another Tutti, and the remedy", "[doctor]")
{
    change("b", other_tuttirun("/tmp/other"), "rm -r /tmp/other");
    const Result result = tuttirun({"--doctor", "--json", "--prefix", "/tmp/other", "--host", "a,b"});
    CAPTURE(result.out, result.err);
    CHECK(result.status == 1);
    const auto start = finding(result, "start", {"b"});
    CHECK(start["level"] == "failure");
    CHECK(contains(start["text"].text(), "cannot start tuttirun on b: "));
    CHECK(contains(start["text"].text(), "unknown option '--daemon'"));
    CHECK(contains(start["text"].text(), "another Tutti is installed there: install the same version"));
}
