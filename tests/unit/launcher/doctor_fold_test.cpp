#include "launcher/doctor/fold.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace tutti::launcher;
using namespace tutti::launcher::doctor;

namespace {

Facts facts_of(int number)
{
    Facts facts;
    facts.host_name = "node" + std::to_string(number) + ".example";
    facts.version = "0.1.0";
    facts.pmix_version = "OpenPMIx 4.2.2";
    facts.kernel = "Linux 6.1.0";
    facts.cores = facts.hardware_threads = 8;
    facts.usable_cores = 8;
    facts.memlock_bytes = 8 << 20;
    facts.open_files = 1 << 20;
    facts.addresses = {{*tutti::network::IpAddress::parse("10.77.4." + std::to_string(number)), 20, "eth0"},
                       {*tutti::network::IpAddress::parse("fd77::" + std::to_string(number)), 64, "eth0"}};
    return facts;
}

std::string text_of(const std::vector<Finding>& findings)
{
    std::string text;
    for (const Finding& finding : fold(findings))
        text += format(finding);
    return text;
}

}  // namespace

TEST_CASE("Findings that are alike become one, and what differs stays apart", "[doctor]")
{
    std::vector<Finding> findings;
    for (int number = 1; number <= 9; ++number) {
        Facts facts = facts_of(number);
        if (number == 4)
            facts.cores = 6;
        if (number == 5 || number == 6)
            facts.open_files = 1024;
        const std::string name = "node" + std::to_string(number);
        for (const Finding& finding : judge_host(name, facts, facts_of(1), true))
            findings.push_back(finding);
        for (const Finding& finding : judge_names(name, facts))
            findings.push_back(finding);
        findings.push_back(judge_clock(name, 0.001 * number, 0.0005));
    }
    CHECK(text_of(findings) ==
          "[ok]   node[1-9]: Tutti 0.1.0, OpenPMIx 4.2.2, Linux 6.1.0\n"
          "[ok]   node[1-3,5-9]: 8 cores, 8 hardware threads\n"
          "[ok]   node[1-9]: no RDMA devices; locked memory: 8 MiB\n"
          "[ok]   node[1-4,7-9]: up to 1048576 open files a process\n"
          "[ok]   node[1-9]: shared memory works\n"
          "[ok]   node[1-9]: ranks may read each other's memory (CMA)\n"
          "[ok]   node[1-9]: networks: eth0 10.77.0.0/20, eth0 fd77::/64\n"
          "[ok]   node[1-9]: resolves the names of all hosts\n"
          "[ok]   node[1-9]: the clocks differ by 9.50 ms or less\n"
          "[ok]   node4: 6 cores, 8 hardware threads\n"
          "[warn] node[5-6]: up to 1024 open files a process\n"
          "       jobs of many ranks need more: 'nofile' in /etc/security/limits.conf\n");
}

TEST_CASE("What is said of one host, of no host or of two stays as it is", "[doctor]")
{
    const std::vector<Finding> findings = {
        good("a scheduler").about("scheduler", {}),
        good("node1: this host").about("start", {"node1"}),
        failure("cannot start tuttirun on node2, node3: srun said no", "ask it")
            .about("start", {"node2", "node3"}),
        judge_same_machine("node5", "node4"),
    };
    std::string each;
    for (const Finding& finding : findings)
        each += format(finding);
    CHECK(text_of(findings) == each);
    CHECK(text_of({judge_same_machine("node5", "node4"), judge_same_machine("node6", "node4")}) ==
          "[warn] node[5-6]: is the same machine as node4\n"
          "       ranks of two hosts do not share memory: name a machine once, with all its slots\n");
}

TEST_CASE("Hosts where the same start fails are one", "[doctor]")
{
    std::vector<Finding> findings;
    for (const std::string name : {"n1", "n2", "n3"}) {
        const std::string reason = "cannot start tuttirun on " + name + ": 'ssh " + name +
                                   "' ended with status 255\nis sshd running on " + name + "?";
        findings.push_back(failure(reason, "").alike_as(for_any_host(reason, name)).about("start", {name}));
    }
    CHECK(text_of(findings) ==
          "[FAIL] n[1-3]: cannot start tuttirun on HOST: 'ssh HOST' ended with status 255\n"
          "       is sshd running on HOST?\n");
    CHECK(for_any_host("a can a.b at ba, a-b, (a)", "a") == "HOST can HOST.b at ba, a-b, (HOST)");
    CHECK(for_any_host("lost b (10.0.0.2): b (fd00::2) b (gone)", "b") == "lost HOST: HOST HOST (gone)");
    CHECK(for_any_host("nothing", "a") == "nothing");
}

TEST_CASE("Of ways that fail, those of the host that most have in common become one", "[doctor]")
{
    std::vector<Finding> findings;
    const auto add = [&](const std::string& from, const std::string& to) {
        findings.push_back(judge_probe(from, facts_of(1), to, facts_of(2), {}));
    };
    for (const std::string name : {"n1", "n2", "n3"})
        add(name, "n9");
    add("n9", "n4");
    add("n5", "n6");
    const std::vector<Finding> folded = fold(findings);
    REQUIRE(folded.size() == 2);
    CHECK_THAT(folded[0].text,
               Catch::StartsWith("4 ways between n9 and n[1-4] fail, or work on a detour only; the "
                                 "first:\nn1 -> n9: cannot connect"));
    CHECK(folded[0].level == Severity::failure);
    CHECK_THAT(folded[0].remedy, Catch::Contains("Is there a firewall between them?"));
    CHECK(folded[1].text == findings.back().text);
}
