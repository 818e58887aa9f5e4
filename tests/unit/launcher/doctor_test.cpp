#include "launcher/doctor/doctor.hpp"

#include <sys/resource.h>

#include <catch2/catch.hpp>

#include <map>
#include <set>

#include "launcher/doctor/doctor_messages.hpp"
#include "launcher/doctor/host_probe.hpp"
#include "tests/json.hpp"

using namespace tutti::launcher;
using namespace tutti::launcher::doctor;

namespace {

tutti::network::HostAddress address(const char* text, unsigned prefix, const char* interface)
{
    return {*tutti::network::IpAddress::parse(text), prefix, interface};
}

/// A host with nothing to complain of.
Facts healthy()
{
    Facts facts;
    facts.host_name = "a";
    facts.version = "0.1.0";
    facts.pmix_version = "OpenPMIx 4.2.2";
    facts.kernel = "Linux 6.1.0";
    facts.boot_id = "b0";
    facts.cores = 8;
    facts.hardware_threads = 16;
    facts.usable_cores = 8;
    facts.memlock_bytes = 8 << 20;
    facts.open_files = 1 << 20;
    facts.addresses = {address("10.0.0.1", 24, "eth0")};
    facts.probe_port = 4000;
    return facts;
}

/// All findings about a host as text.
std::string findings_of(const Facts& facts, bool several = true)
{
    std::string text;
    for (const Finding& finding : judge_host("a", facts, healthy(), several)) {
        text += format(finding);
    }
    for (const Finding& finding : judge_names("a", facts)) {
        text += format(finding);
    }
    return text;
}

}  // namespace

TEST_CASE("A healthy host is all good")
{
    const std::string text = findings_of(healthy());
    CHECK(text.find("[warn]") == std::string::npos);
    CHECK(text.find("[FAIL]") == std::string::npos);
    CHECK_THAT(text, Catch::Contains("[ok]   a: Tutti 0.1.0, OpenPMIx 4.2.2, Linux 6.1.0\n"));
    CHECK_THAT(text, Catch::Contains("8 cores, 16 hardware threads"));
    CHECK_THAT(text, Catch::Contains("networks: eth0 10.0.0.1/24"));
}

TEST_CASE("Every fault of a host is found, with its remedy")
{
    struct Row {
        std::function<void(Facts&)> spoil;
        const char* finding;
        const char* remedy;
    };
    const Row row = GENERATE(values<Row>({
        {[](Facts& facts) { facts.pmix_version = "OpenPMIx 5.0.0"; }, "[warn] a: Tutti 0.1.0, OpenPMIx 5.0.0",
         "install one PMIx"},
        {[](Facts& facts) { facts.usable_cores = 2.5; },
         "[warn] a: 8 cores, 16 hardware threads, but a control", "cpu.max"},
        {[](Facts& facts) { facts.rdma = {"mlx5_0"}; }, "[FAIL] a: RDMA devices mlx5_0; locked memory: 8 MiB",
         "memlock unlimited"},
        {[](Facts& facts) { facts.open_files = 1024; }, "[warn] a: up to 1024 open files", "nofile"},
        {[](Facts& facts) { facts.shared_memory = "no room"; }, "[FAIL] a: no shared memory: no room",
         "seccomp"},
        {[](Facts& facts) { facts.cross_memory_attach = "not permitted"; },
         "[warn] a: ranks may not read each other's memory (CMA): not permitted", "ptrace_scope"},
        {[](Facts& facts) { facts.network_error = "nothing fits"; }, "[FAIL] a: no network: nothing fits",
         "--interface"},
        {[](Facts& facts) {
             facts.unresolved = {"b", "c"};
         },
         "[warn] a: cannot resolve b, c", "/etc/hosts"},
        {[](Facts& facts) { facts.resolving_seconds = 5; }, "[warn] a: looking up a host's name takes 5.0 s",
         "resolv.conf"},
    }));
    Facts facts = healthy();
    row.spoil(facts);
    const std::string text = findings_of(facts);
    CAPTURE(text);
    CHECK_THAT(text, Catch::Contains(row.finding));
    CHECK_THAT(text, Catch::Contains(row.remedy));
}

TEST_CASE("RDMA with enough locked memory is good; a host alone needs no network")
{
    Facts facts = healthy();
    facts.rdma = {"mlx5_0"};
    facts.memlock_bytes = RLIM_INFINITY;
    CHECK_THAT(findings_of(facts),
               Catch::Contains("[ok]   a: RDMA devices mlx5_0; locked memory: unlimited"));
    facts.network_error = "none";
    CHECK(findings_of(facts, false).find("none") == std::string::npos);
}

TEST_CASE("Clocks are compared as well as they are known")
{
    CHECK(judge_clock("a", 0.2, 0.01).level == Severity::good);
    CHECK(judge_clock("a", -1.5, 0.7).level == Severity::good);
    CHECK(judge_clock("a", 5, 0.01).text == "a: the clock is 5.0 s ahead");
    CHECK(judge_clock("a", -5, 0.01).text == "a: the clock is 5.0 s behind");
    CHECK(judge_clock("a", -5, 0.01).level == Severity::warning);
}

TEST_CASE("Probes are reported with their way, or with all ways that failed")
{
    Facts other = healthy();
    other.addresses = {address("10.9.0.1", 24, "eth1")};
    ProbeResult result;
    result.reached = true;
    result.way = "10.0.0.2 (eth0) from 10.0.0.1 (eth0)";
    result.latency_seconds = 12.34e-6;
    result.bytes_per_second = 1.2e9;
    Finding finding = judge_probe("a", healthy(), "b", other, result);
    CHECK(finding.level == Severity::good);
    CHECK(finding.text == "a -> b: 12.3 us, 1.20 GB/s, to 10.0.0.2 (eth0) from 10.0.0.1 (eth0)");
    result.failed = {"10.1.0.2 (eth1) from 10.1.0.1 (eth1): Connection timed out"};
    finding = judge_probe("a", healthy(), "b", other, result);
    CHECK(finding.level == Severity::warning);
    CHECK_THAT(finding.text, Catch::EndsWith("other ways failed before:\n" + result.failed[0]));
    result.reached = false;
    finding = judge_probe("a", healthy(), "b", other, result);
    CHECK(finding.level == Severity::failure);
    CHECK_THAT(finding.text, Catch::StartsWith("a -> b: cannot connect:\n10.1.0.2"));
    CHECK_THAT(finding.remedy, Catch::Contains("a has eth0 10.0.0.1/24; b has eth1 10.9.0.1/24."));
    result.failed.clear();
    CHECK_THAT(judge_probe("a", healthy(), "b", other, result).text,
               Catch::Contains("no address of one can lead"));
}

TEST_CASE("Of many good probes the worst are named")
{
    ProbeSummary summary;
    CHECK(summary.empty());
    ProbeResult result;
    result.reached = true;
    result.latency_seconds = 20e-6;
    result.bytes_per_second = 2e9;
    summary.add("a", "b", result);
    result.latency_seconds = 50e-6;
    summary.add("b", "c", result);
    result.latency_seconds = 30e-6;
    result.bytes_per_second = 1e8;
    summary.add("c", "a", result);
    CHECK_FALSE(summary.empty());
    CHECK(summary.finding().text ==
          "3 pairs of hosts reach each other (-v shows all); the slowest is b -> c with 50.0 us, the "
          "narrowest c -> a "
          "with 100.0 MB/s");
}

TEST_CASE("That pairs are probed in one direction only is said, to programs, too")
{
    const Finding finding = note_one_way_probes(17);
    CHECK(finding.level == Severity::good);
    CHECK(finding.check == "reach");
    CHECK_THAT(finding.text,
               Catch::StartsWith("17 hosts are many: each pair is probed in one direction only"));
}

TEST_CASE("Findings of several lines stay together")
{
    CHECK(format({Severity::warning, "one\ntwo", "three"}) == "[warn] one\n       two\n       three\n");
    CHECK(format({Severity::good, "one"}) == "[ok]   one\n");
}

TEST_CASE("In a tournament all meet once, or once in each direction, and nobody twice in a round")
{
    const int count = GENERATE(0, 1, 2, 3, 4, 5, 8, 17);
    const bool both = GENERATE(false, true);
    std::vector<int> members;
    for (int i = 0; i < count; ++i) {
        members.push_back(10 * i);
    }
    std::map<std::pair<int, int>, int> met;
    for (const auto& round : tournament(members, both)) {
        std::set<int> busy;
        for (const auto& [from, to] : round) {
            CHECK(from != to);
            CHECK(busy.insert(from).second);
            CHECK(busy.insert(to).second);
            ++met[both ? std::pair(from, to) : std::pair(std::min(from, to), std::max(from, to))];
        }
    }
    CHECK(met.size() == static_cast<std::size_t>(count * (count - 1) / (both ? 1 : 2)));
    for (const auto& [pair, times] : met) {
        CHECK(times == 1);
    }
}

TEST_CASE("The doctor's messages arrive as they were sent, and cut ones are refused")
{
    Facts facts = healthy();
    facts.rdma = {"mlx5_0", "mlx5_1"};
    facts.unresolved = {"x"};
    facts.addresses.push_back(address("fd00::1", 64, "eth1"));
    const std::string bytes = encode_with_kind(facts);
    WireReader reader(bytes);
    REQUIRE(decode_kind(reader) == Kind::facts);
    const Facts arrived = decode<Facts>(reader.rest());
    CHECK(arrived.kernel == facts.kernel);
    CHECK(arrived.rdma == facts.rdma);
    CHECK(arrived.unresolved == facts.unresolved);
    CHECK(arrived.addresses == facts.addresses);
    CHECK(arrived.usable_cores == facts.usable_cores);
    CHECK(arrived.probe_port == 4000);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const std::string cut = bytes.substr(0, size);
        const auto decode_cut = [&] {
            WireReader short_reader(cut);
            decode_kind(short_reader);
            decode<Facts>(short_reader.rest());
        };
        CHECK_THROWS_AS(decode_cut(), WireError);
    }

    const ProbeTask task{3, "b", facts.addresses, 77};
    const std::string task_bytes = encode_with_kind(task);
    WireReader task_reader(task_bytes);
    REQUIRE(decode_kind(task_reader) == Kind::probe);
    const ProbeTask task_arrived = decode<ProbeTask>(task_reader.rest());
    CHECK(task_arrived.peer == 3);
    CHECK(task_arrived.addresses == facts.addresses);
    CHECK(task_arrived.port == 77);
    WireReader unknown("\x09");
    CHECK_THROWS_AS(decode_kind(unknown), WireError);
}

TEST_CASE("A probe finds its peer, and nobody else")
{
    using tutti::security::Key;
    const Key key = Key::random();
    const ProbeServer server(key, 5);
    tutti::network::LocalAddress loopback{address("127.0.0.1", 8, "lo")};
    loopback.interface_index = 1;
    const std::vector<tutti::network::LocalAddress> mine = {loopback};
    ProbeTask task{5, "b", {address("127.0.0.1", 8, "lo")}, server.port()};

    const ProbeResult good = probe(key, 4, mine, task);
    CHECK(good.peer == 5);
    REQUIRE(good.reached);
    CHECK(good.latency_seconds > 0);
    CHECK(good.bytes_per_second > 0);
    CHECK(good.way == "127.0.0.1 (lo) from 127.0.0.1 (lo)");
    CHECK(good.failed.empty());

    const ProbeResult outsider = probe(Key::random(), 4, mine, task);
    CHECK_FALSE(outsider.reached);
    CHECK(outsider.failed.size() == 1);
    task.peer = 6;
    CHECK_FALSE(probe(key, 4, mine, task).reached);
    task.peer = 5;
    task.addresses = {address("10.0.0.1", 24, "eth0")};
    CHECK_FALSE(probe(key, 4, mine, task).reached);  // loopback leads nowhere
    CHECK(probe(key, 4, mine, task).failed.empty());
    task.addresses = {address("127.0.0.1", 8, "lo")};
    CHECK(probe(key, 4, mine, task).reached);  // and the server is still there
}

TEST_CASE("Findings as JSON say the same as their lines", "[doctor]")
{
    std::vector<Finding> findings = judge_host("a", healthy(), healthy(), true);
    const std::size_t good = findings.size();
    Facts sick = healthy();
    sick.shared_memory = "no space\xff left";  // as a system might say it: no UTF-8
    for (const Finding& finding : judge_host("b", sick, healthy(), true))
        findings.push_back(finding);
    ProbeResult result;
    result.reached = true;
    result.way = "10.0.0.2 (eth0)";
    result.latency_seconds = 21.5e-6;
    result.bytes_per_second = 1e9;
    findings.push_back(judge_probe("a", healthy(), "b", sick, result));

    Findings all;
    CHECK(all.summary() == "0 warnings, 0 failures");
    for (const Finding& finding : findings)
        all.add(finding);
    CHECK(all.summary() == "0 warnings, 1 failure");
    CHECK(all.count(Severity::good) == findings.size() - 1);

    const tutti::test::Json document(all.to_json({"a", "b"}, true));
    CHECK(document["complete"] == true);
    CHECK(document["hosts"].texts() == std::vector<std::string>{"a", "b"});
    CHECK(document["warnings"] == 0);
    CHECK(document["failures"] == 1);
    REQUIRE(document["findings"].size() == findings.size());
    for (std::size_t i = 0; i < findings.size(); ++i) {
        const tutti::test::Json entry = document["findings"][i];
        CHECK(entry["check"] == findings[i].check);
        CHECK_FALSE(findings[i].check.empty());
        CHECK(entry.contains("remedy") == !(entry["level"] == "ok"));
        if (i < good)
            CHECK(entry["hosts"].texts() == std::vector<std::string>{"a"});
    }
    const tutti::test::Json reach = document["findings"].elements().back();
    CHECK(reach["check"] == "reach");
    CHECK(reach["hosts"].texts() == std::vector<std::string>{"a", "b"});
    CHECK(reach["latency_us"].number() == Approx(21.5));
    CHECK(reach["bytes_per_s"] == 1e9);
}
