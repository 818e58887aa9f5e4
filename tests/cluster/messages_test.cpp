// What works on one host works over several: all kinds of messages and all collectives, every value checked.
#include <sstream>

#include <catch2/catch.hpp>

#include "tests/cluster/cluster.hpp"

using namespace tutti::test;

TEST_CASE_METHOD(Hosts, "messages and collectives over hosts", "[messages]")
{
    const auto [fabric, hosts] = GENERATE(table<std::string, std::string>({{"tcp", "a:2,b:2"},
                                                                           {"tcp", "a:1,b:1,c:1"},
                                                                           {"tcp", "a:1,b:3"},
                                                                           {"tcp", "b:2,c:1"},
                                                                           {"ofi:net", "a:2,b:2"},
                                                                           {"ofi:net", "a:1,b:1,c:1"}}));
    CAPTURE(fabric, hosts);
    for (std::vector<std::string> arguments :
         {job(hosts, "messages"), job(hosts, "every_collective", {"3000"})}) {
        arguments.insert(arguments.begin(), {"--fabric", fabric});
        const Result result = tuttirun(arguments);
        check_quiet_success(result);
        CHECK(result.out == "");
    }
}

TEST_CASE_METHOD(Hosts, "ranks that are dealt to hosts in turn", "[messages]")
{
    for (const std::string name : {"messages", "every_collective"}) {
        std::vector<std::string> arguments = job("a:3,b:2", name, {"3000"});
        arguments.insert(arguments.begin(), {"--map-by", "node"});
        check_quiet_success(tuttirun(arguments));
    }
}

TEST_CASE_METHOD(Hosts, "blocks of all sizes from all to all of hosts, hierarchical and by lanes",
                 "[traffic]")
{
    const auto [algorithm, fabric, hosts, deal] =
        GENERATE(table<std::string, std::string, std::string, std::string>(
            {{"hierarchical", "tcp", "a:2,b:2", "slot"},
             {"hierarchical", "tcp", "a:3,b:1,c:2", "node"},
             {"hierarchical", "ofi:net", "a:2,b:2", "slot"},
             {"lanes", "tcp", "a:2,b:2", "slot"},
             {"lanes", "tcp", "a:2,b:2,c:2", "node"},
             {"lanes", "tcp", "a:3,b:1", "slot"},
             {"lanes", "ofi:net", "a:2,b:2", "slot"}}));
    CAPTURE(algorithm, fabric, hosts, deal);
    std::vector<std::string> arguments = job(hosts, "alltoall", {algorithm});
    arguments.insert(arguments.begin(), {"--fabric", fabric, "--map-by", deal});
    check_quiet_success(tuttirun(arguments));
}

TEST_CASE_METHOD(Hosts, "ranks are dealt to hosts as they are told to", "[messages]")
{
    using Lines = std::vector<std::string>;
    const auto [options, expected] = GENERATE(table<std::string, Lines>({
        {"--map-by slot -n 4", {"0: a", "1: a", "2: b", "3: b"}},
        {"--map-by node -n 4", {"0: a", "1: b", "2: c", "3: a"}},
        {"--map-by ppr:1:node", {"0: a", "1: b", "2: c"}},
        {"--map-by ppr:3:node -n 7", {"0: a", "1: a", "2: a", "3: b", "4: b", "5: b", "6: c"}},
    }));
    CAPTURE(options);
    std::vector<std::string> arguments{"--host", "a:2,b:2,c:2", "-l"};
    std::istringstream words(options);
    for (std::string word; words >> word;)
        arguments.push_back(word);
    arguments.insert(arguments.end(), {"cat", "/proc/sys/kernel/hostname"});
    const Result result = tuttirun(arguments);
    check_quiet_success(result);
    CHECK(sorted(lines_of(result.out)) == expected);
}

TEST_CASE_METHOD(Hosts, "hosts from a file", "[messages]")
{
    change("a", "printf 'b slots=2\\n# a comment\\nc slots=1 max_slots=2\\n' > /tmp/hostfile",
           "rm /tmp/hostfile");
    const Result result = tuttirun({"--hostfile", "/tmp/hostfile", "-l", "cat", "/proc/sys/kernel/hostname"});
    check_quiet_success(result);
    CHECK(sorted(lines_of(result.out)) == std::vector<std::string>{"0: b", "1: b", "2: c"});
}

TEST_CASE_METHOD(Hosts, "a progress thread over hosts", "[messages]")
{
    for (const std::string name : {"messages", "progress"}) {
        CAPTURE(name);
        std::vector<std::string> arguments = job("a:2,b:1", name);
        arguments.insert(arguments.begin(), {"-x", "TUTTI_PROGRESS=thread", "-x", "TUTTI_CORES=2"});
        check_quiet_success(tuttirun(arguments));
    }
}

TEST_CASE_METHOD(Hosts, "a rank that waits for one on another host uses no processor time", "[messages]")
{
    check_quiet_success(tuttirun(job("a:2,b:2", "sleeper")));
}

TEST_CASE_METHOD(Hosts, "a flood of messages from another host is bounded", "[traffic]")
{
    check_quiet_success(tuttirun(job("a:1,b:1", "flood")));
}

TEST_CASE_METHOD(Hosts, "memory that peers of the same host read in place", "[traffic]")
{
    check_quiet_success(tuttirun(job("a:2,b:2", "shared_memory")));
}

TEST_CASE_METHOD(Hosts, "a soak of all kinds of messages over three hosts", "[traffic]")
{
    const Result result = tuttirun(job("a:2,b:2,c:2", "soak", {"--seconds", "4"}));
    check_quiet_success(result);
    CHECK(contains(result.out, "MB checked"));
}

TEST_CASE_METHOD(Hosts, "a soak over a narrow link", "[traffic]")
{
    limit("b", "100mbit");
    const Result result = tuttirun(job("a:2,b:2", "soak", {"--seconds", "1"}));
    check_quiet_success(result);
    CHECK(contains(result.out, "MB checked"));
}

TEST_CASE_METHOD(Hosts, "calls that do not fit are named over hosts, too", "[messages]")
{
    const auto [name, one, other] = GENERATE(table<std::string, std::string, std::string>(
        {{"reduce root", "reduce with root 0", "reduce with root 1"},
         {"blocks of all", "alltoall of 400 bytes", "alltoall of 120 bytes"},
         {"long blocks of all", "alltoall of 80000 bytes", "alltoall of 120004 bytes"}}));
    CAPTURE(name);
    const Result result = tuttirun(job("a:2,b:2", "mismatch", {name}));
    CHECK(result.status != 0);
    CHECK(contains(result.err, one));
    CHECK(contains(result.err, other));
}

TEST_CASE_METHOD(Hosts, "libfabric between hosts", "[traffic]")
{
    const std::string fabric = GENERATE("ofi:net", "ofi:tcp;ofi_rxm");
    CAPTURE(fabric);
    for (std::vector<std::string> arguments :
         {job("a:1,b:1,c:1", "messages"), job("a:2,b:1", "soak", {"--seconds", "0.5"})}) {
        arguments.insert(arguments.begin(), {"--fabric", fabric});
        check_quiet_success(tuttirun(arguments));
    }
}

// On any hosts: run where they have no IPv4, too.
TEST_CASE_METHOD(Hosts, "the default network alone", "[traffic]")
{
    check_quiet_success(tuttirun(job("a:1,b:1,c:1", "messages")));
    const Result result = tuttirun(job("a:2,b:1", "soak", {"--seconds", "1"}));
    check_quiet_success(result);
    CHECK(contains(result.out, "MB checked"));
}

// Longer than any bound on silence: what the kernels do not hold waits at the sender, which has left.
TEST_CASE_METHOD(Hosts, "a rank that leaves waits for a receiver on another host that computes", "[departs]")
{
    // Little room: most of what is sent finds none.
    change("b", "echo '4096 16384 32768' > /proc/sys/net/ipv4/tcp_wmem",
           "echo '4096 16384 4194304' > /proc/sys/net/ipv4/tcp_wmem");
    change("a", "echo '4096 16384 32768' > /proc/sys/net/ipv4/tcp_rmem",
           "echo '4096 131072 6291456' > /proc/sys/net/ipv4/tcp_rmem");
    // A rank that sleeps so long outside of Tutti looks as one that hangs.
    std::vector<std::string> quietly = job("a:1,b:1", "departs", {"12"});
    quietly.insert(quietly.begin(), {"--hang-report", "0"});
    check_quiet_success(tuttirun(quietly));
    // A job that is ended ends at once all the same.
    const Result ended =
        tuttirun({"--timeout", "3", "--host", "a:1,b:1", job("a:1,b:1", "departs").back(), "1000"});
    CHECK(ended.status == 124);
    CHECK(ended.seconds < 3 + 2 * kSoonSeconds);
}
