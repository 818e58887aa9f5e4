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

    change("b", other_tuttirun("/tmp/other"), "rm -r /tmp/other");
    check_failure(
        start_on("a:1,b:1", {"--prefix", "/tmp/other"}),
        {"b", "unknown option '--daemon'", "another Tutti is installed there: install the same version"});
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
    const std::vector<std::string> changed = {"sh", "-c", "cd /tmp/only-here && exec \"$@\"", "sh"};
    const std::vector<std::string> named = {"env"};
    for (const bool by_option : {false, true}) {
        CAPTURE(by_option);
        std::vector<std::string> command = by_option ? named : changed;
        std::vector<std::string> arguments = {"--host", "a:1,b:1", "pwd"};
        if (by_option)
            arguments.insert(arguments.begin(), {"--wdir", "/tmp/only-here"});
        for (const std::string& word : tutti::test::tuttirun_command(arguments))
            command.push_back(word);
        const Result result = run("a", command);
        CAPTURE(result.err);
        CHECK(result.status != 0);
        CHECK(lines_of(result.err).size() == 1);
        CHECK(contains(result.err,
                       "cannot use the working directory /tmp/only-here: No such file or directory"));
        CHECK(contains(result.err, "rank 1 (on b) could not be started"));
        if (!by_option)
            CHECK(contains(result.err, "-wdir"));
    }
}

TEST_CASE_METHOD(Hosts, "a program that another host does not have", "[ssh]")
{
    change("a", "printf '#!/bin/sh\\n' > /tmp/program && chmod +x /tmp/program", "rm /tmp/program");
    const Result result = tuttirun({"--host", "a:1,b:1", "/tmp/program"});
    CAPTURE(result.err);
    CHECK(result.status == 127);
    CHECK(contains(result.err, "/tmp/program: No such file or directory"));
    CHECK(contains(result.err, "on b"));
}

TEST_CASE_METHOD(Hosts, "ranks of another user", "[ssh]")
{
    // b knows a user that this machine does not.
    change("b",
           "{ cat /etc/passwd; echo guest:x:7777:7777::/tmp:/bin/sh; } > /run/passwd && "
           "mount --bind /run/passwd /etc/passwd",
           "umount /etc/passwd");
    const std::string launcher = tutti::test::tuttirun_command({}).front();
    if (run("b", {"setpriv", "--reuid=7777", "--regid=7777", "--clear-groups", "test", "-x", launcher})
            .status != 0) {
        WARN("not tested: other users may not run " << launcher);
        return;
    }
    const Result names = tuttirun({"--host", "a:1,guest@b:1", "-l", "id", "-u"});
    check_quiet_success(names);
    CHECK(sorted(lines_of(names.out)) == std::vector<std::string>{"0: 0", "1: 7777"});
    check_quiet_success(tuttirun(job("a:1,guest@b:2", "messages")));

    check_failure(start_on("a:1,nobody-there@b:1"),
                  {"-l nobody-there b", "Permission denied (publickey",
                   "'ssh nobody-there@b true' must work without a password"});
}

TEST_CASE_METHOD(Hosts, "a name with a domain is this host only if it leads here", "[ssh]")
{
    change("a",
           "cp /etc/hosts /run/hosts && echo '10.77.0.1 a.here.org\n10.77.0.3 a.there.org' >> /etc/hosts",
           "cat /run/hosts > /etc/hosts");
    const Result result =
        tuttirun({"-v", "-l", "--host", "a.here.org:1,a.there.org:1", "cat", "/proc/sys/kernel/hostname"});
    CAPTURE(result.err);
    CHECK(result.status == 0);
    CHECK(sorted(lines_of(result.out)) == std::vector<std::string>{"0: a", "1: c"});
    CHECK(contains(result.err, " a.there.org "));
    CHECK(!contains(result.err, " a.here.org "));  // no command leads to itself
    check_failure(start_on("a.nowhere.org:1"), {"Could not resolve hostname a.nowhere.org"});
}
