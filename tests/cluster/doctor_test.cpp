// tuttirun --doctor over hosts: what is well, and what is not.
#include <catch2/catch.hpp>

#include "tests/cluster/cluster.hpp"

using namespace tutti::test;

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
    CHECK(contains(result.out, "10.77.0.2"));
    CHECK(!contains(result.out, "to 172.17.0.1"));
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
