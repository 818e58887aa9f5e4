#include "launcher/hosts/hostfile.hpp"

#include <catch2/catch.hpp>

#include "launcher/hosts/hosts.hpp"
#include "tests/unit/launcher/support.hpp"

using namespace tutti::launcher;
using namespace tutti::launcher::test;

TEST_CASE("Hostfiles of both dialects")
{
    struct Row {
        const char* text;
        std::vector<Host> hosts;
    };
    const Row row = GENERATE(values<Row>({
        {"localhost", {{"localhost", 0, 0}}},
        {"localhost\n127.0.0.1\n", {{"localhost", 0, 0}, {"127.0.0.1", 0, 0}}},
        {"localhost:4\n", {{"localhost", 4, 0}}},
        {"localhost slots=4\n", {{"localhost", 4, 0}}},
        {"localhost slots=2 max_slots=4\n", {{"localhost", 2, 4}}},
        {"localhost:2\tmax-slots=2", {{"localhost", 2, 2}}},
        {"localhost max_slots=3", {{"localhost", 0, 3}}},
        {"# all of them\n\n  localhost:1  # mine\n \t \n#end", {{"localhost", 1, 0}}},
        {"localhost:1\r\n", {{"localhost", 1, 0}}},
        {"\xEF\xBB\xBFlocalhost:1\n", {{"localhost", 1, 0}}},
        {"a slots=0\nb slots=2\n", {{"b", 2, 0}}},
        {"::1\n[::1]:2\n[::1]\n", {{"::1", 0, 0}, {"::1", 2, 0}, {"::1", 0, 0}}},
        {"a cpu=2\nb count=3\nc cpus=4 slots_max=5", {{"a", 2, 0}, {"b", 3, 0}, {"c", 4, 5}}},
        {"a slots = 2 max-cpus\t=4\nb slots= 3", {{"a", 2, 4}, {"b", 3, 0}}},
        {"n[08-10]:2 max_slots=3\nl", {{"n08", 2, 3}, {"n09", 2, 3}, {"n10", 2, 3}, {"l", 0, 0}}},
    }));
    CAPTURE(row.text);
    const std::vector<Host> hosts = parse_hostfile("hosts", row.text);
    REQUIRE(hosts.size() == row.hosts.size());
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        CHECK(hosts[i].name == row.hosts[i].name);
        CHECK(hosts[i].slots == row.hosts[i].slots);
        CHECK(hosts[i].max_slots == row.hosts[i].max_slots);
    }
}

TEST_CASE("Errors in hostfiles name the file and the line")
{
    struct Row {
        const char* text;
        const char* message;
    };
    const Row row = GENERATE(values<Row>({
        {"", "hostfile 'hosts' names no host"},
        {"# nothing\n", "hostfile 'hosts' names no host"},
        {"localhost\n-oProxyCommand=x\n", "hosts:2: '-oProxyCommand=x' is no name of a host"},
        {"a;reboot\n", "hosts:1: 'a;reboot' is no name of a host"},
        {"$(reboot)\n", "hosts:1: '$(reboot)' is no name of a host"},
        {"-l@a\n", "hosts:1: '-l' is no name of a user"},
        {"@a\n", "hosts:1: '' is no name of a user"},
        {"me@a user=you\n", "hosts:1: the user is given twice"},
        {"a user=\n", "hosts:1: '' is no name of a user"},
        {"me@\n", "hosts:1: 'me@' names no host"},
        {"localhost:0\n", "hosts:1: 0 is out of range for a number of slots"},
        {"localhost:x\n", "hosts:1: 'x' is not a number of slots"},
        {"localhost:\n", "hosts:1: '' is not a number of slots"},
        {":3\n", "hosts:1: ':3' names no host"},
        {"localhost slots=-1\n", "hosts:1: -1 is out of range"},
        {"localhost slots\n", "hosts:1: 'slots' is not understood"},
        {"localhost slot=2\n", "hosts:1: unknown setting 'slot'; did you mean 'slots'?"},
        {"localhost:2 slots=2\n", "hosts:1: slots is given twice"},
        {"a slots=2 cpu=2\n", "hosts:1: cpu is given twice"},
        {"a slots =\n", "hosts:1: '' is not a slots"},
        {"a\nb:2 binding=user:0,1\n",
         "hosts:2: 'binding' cannot be set for one host; remove it: ranks are bound"},
        {"a cpu_set=0-3\n", "by --bind-to"},
        {"a:2 ifname=eth1\n", "hosts:1: 'ifname' cannot be set for one host; remove it: the network"},
        {"a port=2222\n", "~/.ssh/config"},
        {"rank 0=a slot=1\n", "hosts:1: this is a line of a rankfile, which says where each rank runs; give"},
        {"a\nn[3-1] slots=2\n", "hosts:2: 'n[3-1]' is not understood at position"},
        {"localhost slots=4 max_slots=2\n", "hosts:1: max_slots=2 is less than slots=4"},
    }));
    CAPTURE(row.text);
    CHECK_THAT(usage_error([&] { parse_hostfile("hosts", row.text); }), Catch::Contains(row.message));
}

TEST_CASE("Hosts may have users, in three ways of writing them")
{
    const std::vector<Host> hosts = parse_hostfile(
        "hosts",
        "me@node01:2\nnode02 user=you slots=3\n[fe80::1%eth0]:4 username=we\nan.org@x-y_z\na\\b@c\n");
    REQUIRE(hosts.size() == 5);
    CHECK(hosts[0].user == "me");
    CHECK(hosts[0].name == "node01");
    CHECK(hosts[0].slots == 2);
    CHECK(hosts[1].user == "you");
    CHECK(hosts[1].slots == 3);
    CHECK(hosts[2].user == "we");
    CHECK(hosts[2].name == "fe80::1%eth0");
    CHECK(hosts[3].user == "an.org");
    CHECK(hosts[3].name == "x-y_z");
    CHECK(hosts[4].user == "a\\b");
    CHECK(parse_host_list("-H", "me@a:2,b").at(0).user == "me");
}

TEST_CASE("A list counts a slot for each mention")
{
    const std::vector<Host> hosts = parse_host_list("-H", "localhost,localhost:3,::1");
    REQUIRE(hosts.size() == 3);
    CHECK(hosts[0].slots == 1);
    CHECK(hosts[1].slots == 3);
    CHECK(hosts[2].name == "::1");
    CHECK_THAT(usage_error([] { parse_host_list("-H", "localhost,,localhost"); }),
               Catch::Contains("empty part"));
    CHECK_THAT(usage_error([] { parse_host_list("-H", "localhost:4x"); }),
               Catch::Contains("-H: '4x' is not"));
}

TEST_CASE("Brackets in a list stand for several hosts with the same slots")
{
    const std::vector<Host> hosts = parse_host_list("-H", "me@n[01-02,7].x:3,[::1]:2,l");
    REQUIRE(hosts.size() == 5);
    CHECK(hosts[0].name == "n01.x");
    CHECK(hosts[1].name == "n02.x");
    CHECK(hosts[2].name == "n7.x");
    CHECK(hosts[2].slots == 3);
    CHECK(hosts[2].user == "me");
    CHECK(hosts[3].name == "::1");
    CHECK(hosts[4].slots == 1);
    CHECK_THAT(usage_error([] { parse_host_list("-H", "n[1,2"); }), Catch::StartsWith("-H: 'n[1,2' is not"));
    CHECK_THAT(usage_error([] { parse_host_list("-H", "n[1-99999]"); }),
               Catch::Contains("more than 65536 hosts"));
}

TEST_CASE("What cannot be read as a hostfile is refused without waiting")
{
    const TemporaryFolder folder;
    CHECK_THAT(usage_error([&] { read_hostfile(folder.path().string()); }),
               Catch::Contains("Is a directory"));
    CHECK_THAT(usage_error([] { read_hostfile("/dev/zero"); }), Catch::Contains("longer than"));
    CHECK(read_hostfile(folder.write("hosts", "localhost:2").string()).at(0).slots == 2);
}

TEST_CASE("A name that resolves to this machine only is this machine")
{
    CHECK(resolves_to_this_host("localhost"));
    CHECK_FALSE(resolves_to_this_host("127.0.0.1"));  // no name
    CHECK_FALSE(resolves_to_this_host("203.0.113.77"));
    CHECK_FALSE(resolves_to_this_host("no such name"));
}

TEST_CASE("This machine has several names")
{
    CHECK(is_this_host("localhost"));
    CHECK(is_this_host("127.0.0.1"));
    CHECK(is_this_host("::1"));
    CHECK(is_this_host("0:0:0:0:0:0:0:1"));
    CHECK(is_this_host("::ffff:127.0.0.1"));
    CHECK_FALSE(is_this_host("203.0.113.77"));
    CHECK_FALSE(is_this_host("fe80::dead:beef%lo"));
    CHECK(is_this_host(local_host_name()));
    CHECK(is_this_host(local_host_name().substr(0, local_host_name().find('.'))));
    CHECK_FALSE(is_this_host(local_host_name() + ".example.org"));  // perhaps: the resolver may know
    CHECK_FALSE(is_this_host(local_host_name() + "x"));
    CHECK_FALSE(is_this_host("localhos"));
    CHECK_FALSE(is_this_host(""));
}
