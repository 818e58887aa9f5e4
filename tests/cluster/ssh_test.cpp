// Daemons that cannot be started: which host it is, the command, ssh's own words, and what helps.
#include <catch2/catch.hpp>

#include "tests/cluster/cluster.hpp"

using namespace tutti::test;

namespace {

Result start_on(const std::string& hosts, const std::vector<std::string>& before = {})
{
    std::vector<std::string> arguments = before;
    for (const std::string& word : {std::string("--host"), hosts, std::string("hostname")})
        arguments.push_back(word);
    return Hosts::tuttirun(arguments);
}

void check_failure(const Result& result, const std::vector<std::string>& words)
{
    CAPTURE(result.err);
    CHECK(result.status != 0);
    CHECK(result.out == "");
    CHECK(result.seconds < kBoundSeconds);
    for (const std::string& word : words) {
        CAPTURE(word);
        CHECK(contains(result.err, word));
    }
}

}  // namespace

TEST_CASE_METHOD(Hosts, "a host that nobody knows", "[ssh]")
{
    check_failure(start_on("a:1,b:1,nowhere:1"), {"nowhere", "ssh", "Could not resolve hostname nowhere",
                                                  "is the "
                                                  "name right?"});
}

TEST_CASE_METHOD(Hosts, "a host where no sshd listens", "[ssh]")
{
    change("b", "kill $(cat /run/sshd.pid)", "/usr/sbin/sshd -f /etc/ssh/sshd_config -E /run/sshd.log");
    check_failure(start_on("a:1,b:1"), {"b", "Connection refused", "is sshd running on b"});
}

TEST_CASE_METHOD(Hosts, "a host that does not answer", "[ssh]")
{
    cut("b");
    const Result result = start_on("a:1,b:1");
    CAPTURE(result.err);
    CHECK(result.status != 0);
    CHECK(contains(result.err, "cannot start tuttirun on b"));
    CHECK(result.seconds < 2 * kBoundSeconds);
}

TEST_CASE_METHOD(Hosts, "a host whose key is not known, and one that does not know ours", "[ssh]")
{
    const std::string mask = "mount --bind /dev/null /etc/ssh/";
    const std::string unmask = "umount /etc/ssh/";
    change("a", mask + "ssh_known_hosts", unmask + "ssh_known_hosts");
    check_failure(start_on("a:1,b:1"), {"b", "Host key verification failed", "accept its key"});
    change("b", mask + "authorized_keys", unmask + "authorized_keys");
    shell("a", unmask + "ssh_known_hosts");
    check_failure(start_on("a:1,b:1"), {"b", "Permission denied (publickey", "ssh-copy-id"});
    shell("a", mask + "ssh_known_hosts");
}

TEST_CASE_METHOD(Hosts, "a host without Tutti, and one with another version", "[ssh]")
{
    check_failure(start_on("a:1,b:1", {"--prefix", "/no/such/place"}),
                  {"b", "/no/such/place/bin/tuttirun", "ended with status 127", "--prefix DIR"});

    change(
        "b",
        "mkdir -p /tmp/other/bin && printf '#!/bin/sh\\necho \"unknown option --daemon\" >&2\\nexit 2\\n' > "
        "/tmp/other/bin/tuttirun && chmod +x /tmp/other/bin/tuttirun",
        "rm -r /tmp/other");
    check_failure(start_on("a:1,b:1", {"--prefix", "/tmp/other"}), {"b", "unknown option --daemon"});
}

TEST_CASE_METHOD(Hosts, "a host that cannot connect back", "[ssh]")
{
    change("b", "printf '#!/bin/sh\\nsleep 6\\n' > /tmp/agent && chmod +x /tmp/agent", "rm /tmp/agent");
    const Result result =
        start_on("a:1,b:1", {"--start-timeout", "2", "--launch-agent", "ssh -o BatchMode=yes b /tmp/agent"});
    CAPTURE(result.err);
    CHECK(result.status != 0);
    CHECK(contains(result.err, "within 2 s"));
    CHECK(result.seconds < kBoundSeconds);
}

TEST_CASE_METHOD(Hosts, "a working directory that another host does not have", "[ssh]")
{
    change("a", "mkdir /tmp/only-here", "rmdir /tmp/only-here");
    Launched launched(on("a", {"sh", "-c", "cd /tmp/only-here && exec \"$@\"", "sh", tuttirun_command({})[3],
                               "--host", "a:1,b:1", "pwd"}),
                      std::chrono::seconds(60));
    const Result result = launched.wait();
    CAPTURE(result.err);
    CHECK(result.status != 0);
    CHECK(contains(result.err, "/tmp/only-here"));
    CHECK(contains(result.err, "on b"));
    CHECK(contains(result.err, "-wdir"));
}
