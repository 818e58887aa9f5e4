#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "benchmarks/compare/case_table.hpp"
#include "benchmarks/compare/document.hpp"
#include "benchmarks/compare/measure.hpp"
#include "benchmarks/compare/others.hpp"
#include "benchmarks/compare/scratch_folder.hpp"
#include "benchmarks/suite/command_line/benchmark_catalogue.hpp"

using namespace tutti::bench;

namespace {

namespace fs = std::filesystem;

// Programs that take the place of launchers and benchmarks.
class FakeLibraries {
public:
    FakeLibraries()
    {
        launcher_ = write("launcher", "while [ \"${1#-}\" != \"$1\" ]; do shift 2; done; exec \"$@\"");
    }

    // A run of it writes rows of 8 and 64 bytes with these medians, and then does `last`.
    Contender add(const std::string& name, double first, double second, const std::string& last = "exit 0")
    {
        const std::string rows = fmt::format(
            "{{\"key\": 8, \"labels\": [], \"parts\": [], \"median\": {}, \"low\": {}, \"high\": {}}},"
            "{{\"key\": 64, \"labels\": [], \"parts\": [], \"median\": {}, \"low\": {}, \"high\": {}}}",
            first, first, first, second, second, second);
        return add_writing(
            name,
            "{\"format\": \"tutti-bench-run\", \"version\": 1, \"benchmark\": \"latency\","
            "\"title\": \"Latency Test\", \"library\": \"" +
                name +
                " 1.0\", \"ranks\": 2, \"hosts\": 1,"
                "\"key\": \"Size\", \"value\": \"Latency\", \"unit\": \"us\", \"better\": \"lower\","
                "\"labels\": [], \"parts\": [], \"rows\": [" +
                rows + "]}",
            last);
    }

    Contender add_writing(const std::string& name, const std::string& text, const std::string& last)
    {
        const std::string script = "echo run >>" + (folder_ / (name + ".runs")).string() +
                                   "; for file; do :; done; cat >\"$file\" <<'END'\n" + text + "\nEND\n" +
                                   last;
        return {name, name, launcher_, write(name, script), {}};
    }

    int runs(const std::string& name) const
    {
        std::ifstream stream(folder_ / (name + ".runs"));
        return static_cast<int>(std::count(std::istreambuf_iterator<char>(stream), {}, '\n'));
    }

private:
    fs::path write(const std::string& name, const std::string& script)
    {
        const fs::path path = folder_ / name;
        std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
        fs::permissions(path, fs::perms::owner_all);
        return path;
    }

    ScratchFolder folder_;
    fs::path launcher_;
};

const Case kLatency{.benchmark = "latency", .group = "point-to-point", .arguments = {"latency"}};

CaseResult measured(const std::vector<Contender>& contenders, int rounds, double timeout_seconds = 30)
{
    Thoroughness thoroughness;
    thoroughness.rounds = rounds;
    thoroughness.timeout_seconds = timeout_seconds;
    return measure_case(kLatency, contenders, {}, thoroughness, [](const Contender&, int) {});
}

const std::vector<record::Limit> kLimits = {{"cache line trip", "us", {}, 0.06},
                                            {"memory copy", "MB/s", 1024.0, 100000},
                                            {"memory copy", "MB/s", 1048576.0, 50000}};

}  // namespace

TEST_CASE("libraries run in turn, and a row is held against the best peer", "[benchmarks]")
{
    FakeLibraries libraries;
    const std::vector<Contender> contenders = {libraries.add("tutti", 0.1, 0.6),
                                               libraries.add("openmpi", 0.4, 0.3),
                                               libraries.add("mpich", 0.2, 0.8)};
    std::string order;
    Thoroughness thoroughness;
    thoroughness.rounds = 2;
    const CaseResult result =
        measure_case(kLatency, contenders, {}, thoroughness,
                     [&](const Contender& contender, int) { order += contender.name[0]; });
    CHECK(order == "tomtom");
    CHECK(result.failures.empty());
    REQUIRE(result.order.size() == 2);
    const Judgement small = judge(result, result.order[0], kLimits);
    CHECK(*small.peer == "mpich");
    CHECK(small.ratio->value == Approx(0.5));
    CHECK(small.verdict == Verdict::faster);
    const Judgement large = judge(result, result.order[1], kLimits);
    CHECK(*large.peer == "openmpi");
    CHECK(large.verdict == Verdict::slower);

    const nlohmann::json document = case_document(result, {"tutti", "openmpi", "mpich"}, kLimits);
    CHECK(document["rows"][0]["libraries"]["mpich"]["runs"] == std::vector<double>{0.2, 0.2});
    CHECK(document["rows"][0]["ratio"].get<double>() == Approx(0.5));
    CHECK(document["rows"][1]["verdict"] == "slower");
    CHECK(document["library_names"]["tutti"] == "tutti 1.0");
    CHECK(document["binding"] == "core");
    nlohmann::json whole = comparison_document({"tutti-bench", "compare"}, 2, kLimits);
    whole["cases"].push_back(document);
    const record::Record read = record::parse(whole, "test.json");  // what other tools will make of it
    CHECK(std::get<record::Comparison>(read).cases.at(0).rows.at(1).better_peer == "openmpi");

    Score score;
    score.count(small);
    score.count(large);
    CHECK(score.faster == 1);
    CHECK(score.slower == 1);
    CHECK(score.beyond_limit == 0);
    score.count(judge(result, result.order[0],
                      {{"cache line trip", "us", {}, 1.0}, {"memory copy", "MB/s", 1.0, 1.0}}));
    CHECK(score.beyond_limit == 1);
    CHECK_THAT(slower_rows({result}, kLimits), Catch::Contains("latency, 2 ranks, 64: 2.00 of openmpi"));
    CHECK_THAT(slower_rows({result}, kLimits), !Catch::Contains("ranks, 8:"));
}

TEST_CASE("a library whose run fails has no more of them, and the others go on", "[benchmarks]")
{
    FakeLibraries libraries;
    const std::vector<Contender> contenders = {
        libraries.add("tutti", 0.1, 0.6), libraries.add("openmpi", 0.4, 0.3, "echo out of luck; exit 7"),
        libraries.add_writing("mpich", "{\"format\": \"tutti-bench-run\"}", "exit 0")};
    const CaseResult result = measured(contenders, 3);
    CHECK(libraries.runs("tutti") == 3);
    CHECK(libraries.runs("openmpi") == 1);
    CHECK(libraries.runs("mpich") == 1);
    REQUIRE(result.failures.size() == 2);
    CHECK(result.failures[0].library == "openmpi");
    CHECK_FALSE(result.failures[0].excused);
    CHECK_THAT(result.failures[0].message,
               Catch::Contains("status 7") && Catch::Contains("out of luck") && Catch::Contains("launcher"));
    CHECK_THAT(result.failures[1].message, Catch::Contains("'version' is missing"));
    CHECK_THAT(case_table(result, contenders, {}, false), Catch::Contains("# openmpi: FAILED"));
}

TEST_CASE("a peer that takes too long, or lacks the benchmark, is excused; Tutti is not", "[benchmarks]")
{
    FakeLibraries libraries;
    const std::vector<Contender> contenders = {libraries.add("tutti", 0.1, 0.6),
                                               libraries.add("openmpi", 0.4, 0.3, "sleep 60"),
                                               libraries.add_writing("mpich", "", "exit 3")};
    const CaseResult result = measured(contenders, 2, 2.0);
    REQUIRE(result.failures.size() == 2);
    CHECK(result.failures[0].excused);
    CHECK(result.failures[0].timed_out);
    CHECK(result.failures[1].excused);
    CHECK(result.failures[1].message == "does not offer this");
    // What it had written before it was stopped counts; of a single run there is no verdict.
    CHECK(result.rows.at(result.order[0]).libraries.at("openmpi").rounds.size() == 1);
    CHECK_FALSE(judge(result, result.order[0], {}).verdict.has_value());
    CHECK(judge(result, result.order[0], {}).ratio->value == Approx(0.25));
    const std::string table = case_table(result, contenders, {}, false);
    CHECK_THAT(table, Catch::Contains("  undecided"));
    CHECK_THAT(table, Catch::Contains("# openmpi: took longer than 2 s"));
    CHECK_THAT(table, Catch::Contains("# mpich: does not offer this"));

    const CaseResult own = measured({libraries.add("tutti", 0.1, 0.6, "sleep 60")}, 1, 0.5);
    REQUIRE(own.failures.size() == 1);
    CHECK_FALSE(own.failures[0].excused);
}

TEST_CASE("files of a run that is killed are gone after its case, all others of the folder stay",
          "[benchmarks]")
{
    FakeLibraries libraries;
    const ScratchFolder folder;
    std::ofstream(folder / "of others") << "text";
    const std::string leave =
        "while [ \"$1\" != --folder ]; do shift; done; echo data >\"$2/file\"; "
        "ls \"$2\" >>" +
        (folder / "seen").string() + "; kill -KILL $$";
    Case one = kLatency;
    one.folder = folder.path().string();
    const CaseResult result = measure_case(one, {libraries.add("tutti", 0.1, 0.6, leave)}, {}, {.rounds = 1},
                                           [](const Contender&, int) {});
    REQUIRE(result.failures.size() == 1);
    CHECK_THAT(result.failures[0].message, Catch::Contains("status 137"));
    std::set<std::string> left;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder.path()))
        left.insert(entry.path().filename().string());
    CHECK(left == std::set<std::string>{"of others", "seen"});
    std::string seen;
    std::getline(std::ifstream(folder / "seen"), seen);
    CHECK(seen == "file");
}

TEST_CASE("limits are those of trips and copies", "[benchmarks]")
{
    const auto bound = [](const char* benchmark, std::optional<double> size, int ranks = 2) {
        return bound_of({.benchmark = benchmark, .group = "", .ranks = ranks}, size, kLimits);
    };
    CHECK(bound("latency", 1024)->value == Approx(0.06 + 1024 / 200000.0));  // two cores copy
    CHECK(bound("latency", 1024)->name == "cache line trip + memory copy");
    CHECK(bound("latency", 4.0 * 1024 * 1024)->value == Approx(0.06 + 4 * 1024 * 1024 / 100000.0));
    CHECK(bound("bw", 32768)->value == Approx(2 * std::sqrt(100000.0 * 50000.0)));  // half way, of logarithms
    CHECK(bound("bibw", 1)->value == Approx(200000));
    CHECK(bound("mbw_mr", 1, 4)->value == Approx(400000));
    CHECK(bound("barrier", {}, 2)->value == Approx(0.06));
    CHECK(bound("barrier", {}, 8)->value == Approx(0.18));
    CHECK(bound("barrier", {})->name == "cache line trip");
    CHECK(bound("allgather", 1024, 4)->value == Approx(2 * 0.06 + 3 * 1024 / 100000.0));
    CHECK(bound("gather", 1024, 4)->value == Approx(2 * 0.06 + 0.75 * 1024 / 100000.0));
    CHECK(bound("allgather_persistent", 1024, 4)->value == bound("allgather", 1024, 4)->value);
    CHECK(bound("ring_improbe", 8)->value == bound("ring", 8)->value);
    CHECK_FALSE(bound("iallreduce", 8).has_value());
    CHECK_FALSE(bound("reduce-op", 8192, 1).has_value());  // its limit was not measured
    const std::vector<record::Limit> combining{{"combining", "MB/s", 8192.0, 240'000}};
    const Case kernels{.benchmark = "reduce-op", .group = "", .ranks = 1};
    CHECK(bound_of(kernels, 8192, combining)->value == Approx(240.0));  // GB/s, as its rows
    CHECK(bound_of(kernels, 8192, combining)->name == "combining");
    CHECK(may_be_bounded(kernels));
    CHECK_FALSE(may_be_bounded({.benchmark = "latency", .group = "", .ranks = 1}));
    CHECK_FALSE(may_be_bounded({.benchmark = "idle", .group = "", .ranks = 2}));
    CHECK_FALSE(
        bound_of({.benchmark = "barrier", .group = "", .ranks = 8, .binding = Binding::none}, {}, kLimits));
    CHECK_FALSE(bound_of(kLatency, 8, {}));
    CHECK(share_of({"", 0.05}, 0.10, Better::lower) == Approx(0.5));
    CHECK(share_of({"", 100}, 25, Better::higher) == Approx(0.25));
}

TEST_CASE("both kinds of memory stand beside each other, held against the best of all peers", "[benchmarks]")
{
    FakeLibraries libraries;
    std::vector<Contender> contenders = {
        libraries.add("tutti", 0.2, 1.0), libraries.add("tutti:allocate", 0.1, 0.3),
        libraries.add("mpich", 0.3, 0.9), libraries.add("mpich:tuned", 0.25, 0.5)};
    contenders[1].variant = "tutti::allocate";
    contenders[3].variant = "tuned";
    const CaseResult result = measured(contenders, 3);
    const Judgement own = judge(result, result.order[1], kLimits);
    CHECK(*own.peer == "mpich:tuned");
    CHECK(own.ratio->value == Approx(2.0));
    CHECK(own.verdict == Verdict::slower);
    const Judgement allocated = judge(result, result.order[1], kLimits, kAllocated);
    CHECK(*allocated.peer == "mpich:tuned");
    CHECK(allocated.ratio->value == Approx(0.6));
    CHECK(allocated.verdict == Verdict::faster);

    const nlohmann::json document = case_document(result, {}, kLimits);
    CHECK(document["library_names"]["tutti:allocate"] == "tutti:allocate 1.0, tutti::allocate");
    CHECK(document["library_names"]["mpich:tuned"] == "mpich:tuned 1.0, tuned");
    CHECK(document["rows"][1]["ratio"].get<double>() == Approx(2.0));
    CHECK(document["rows"][1]["allocated"]["ratio"].get<double>() == Approx(0.6));
    CHECK(document["rows"][0]["goal"] == "<= 0.75");
    CHECK(document["rows"][0]["met"] == false);
    CHECK(document["rows"][0]["allocated"]["met"] == true);

    const std::string table = case_table(result, contenders, {}, true);
    CHECK_THAT(table, Catch::Contains("0.80") && Catch::Contains("<= 0.75    MISSED") &&
                          Catch::Contains("0.40") && Catch::Contains("<= 0.75    met"));
    CHECK_THAT(table, Catch::Contains("# Other programs had "));
    CHECK_THAT(missed_goals({result}, {}), Catch::Contains("latency, 2 ranks, 8: 0.80 of mpich:tuned") &&
                                               Catch::Contains("goal: <= 0.75"));
    CHECK_THAT(missed_goals({result}, {}), !Catch::Contains("allocate:"));
    CHECK_FALSE(median_of_collectives({result}, {}).has_value());
    CaseResult collective = result;
    collective.which.benchmark = "allreduce";
    collective.which.group = "collective";
    CHECK(*median_of_collectives({collective}, {}) == Approx((0.8 + 2.0) / 2));
    CHECK(missed_goals({collective}, {}).empty());  // what is slower stands in the other list
    CHECK_THAT(slower_rows({collective}, {}), Catch::Contains("allreduce, 2 ranks, 64: 2.00 of mpich:tuned"));
}

TEST_CASE("what figures are to be read with is said beside them", "[benchmarks]")
{
    CaseResult result{.which = kLatency, .quantity = record::Quantity{}};
    result.which.memory = "malloc";
    result.others_share = 0.17;
    CHECK_THAT(case_table(result, {}, {}, false),
               Catch::Contains("# Other programs had 17 % of the cores meanwhile; buffers of malloc, which "
                               "nobody touches between iterations"));
    result.which.touched = true;
    CHECK_THAT(case_table(result, {}, {}, false),
               Catch::Contains("malloc, written before each iteration and read after it"));
    const nlohmann::json document = case_document(result, {}, {});
    CHECK(document["memory"] == "malloc");
    CHECK(document["touched"] == true);
    CHECK(document["others_share"] == 0.17);
}

TEST_CASE("a bandwidth that falls from one size to the next is named", "[benchmarks]")
{
    record::Run run;
    for (const double value : {10.0, 50.0, 46.0, 41.0, 60.0}) {
        record::RunRow& row = run.rows.emplace_back();
        row.key = 8.0 * static_cast<double>(run.rows.size());
        row.median = value;
    }
    CaseResult result{.which = kLatency, .quantity = {}};
    result.add("tutti", 0, run);
    result.add("mpich", 0, run);
    CHECK(cliffs({result}).empty());
    result.which.benchmark = "bw";
    CHECK(cliffs({result}) == "#   bw, 2 ranks, 32: 41.000, and 46.000 at the size before\n");
}

TEST_CASE("who began otherwise than the others is named", "[benchmarks]")
{
    CaseResult result{.which = kLatency, .quantity = {}};
    record::Run run;
    run.rows.resize(1);
    run.rows[0].key = 8.0;
    result.add("tutti", 0, run);
    CHECK_THAT(case_table(result, {}, {}, false), !Catch::Contains("after barriers"));
    run.rows[0].gave_up_clock = true;
    result.add("mpich", 0, run);
    run.rows[0].gave_up_clock = false;
    result.add("mpich", 1, run);
    CHECK_THAT(case_table(result, {}, {}, false),
               Catch::Contains(
                   "# Began after barriers, others at agreed times; measure again: mpich 8 (1 of 2 runs)"));
}

TEST_CASE("a row of which a run has counted few iterations is marked, and told", "[benchmarks]")
{
    CaseResult result{.which = kLatency, .quantity = {}};
    record::Run run;
    run.quantity.key = "Size";
    run.rows.resize(3);
    for (std::size_t i = 0; i < run.rows.size(); ++i)
        run.rows[i].key = 8.0 * static_cast<double>(i + 1);
    run.rows[0].iterations = 100;
    run.rows[1].iterations = 6;  // the third row does not tell
    result.add("tutti", 0, run);
    result.add("mpich", 0, run);
    CHECK_THAT(case_table(result, {}, {}, false), !Catch::Contains("*"));
    run.rows[1].iterations = 2;
    result.add("mpich", 1, run);
    const std::string table = case_table(result, {}, {}, false);
    std::map<std::string, bool> marked;
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);)
        marked[line.substr(0, line.find(' '))] = line.ends_with("  *");
    CHECK(marked.at("16"));
    CHECK_FALSE(marked.at("8"));
    CHECK_FALSE(marked.at("24"));
    CHECK_THAT(table, Catch::Contains("# *: so few iterations were counted that a run says little; give more "
                                      "--seconds: mpich 16 (2)\n"));
}

TEST_CASE("the part of the cores that other programs had is a part", "[benchmarks]")
{
    const Others others;
    const Outcome outcome =
        run_program({"/bin/sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done"}, {}, 60);
    CHECK(outcome.good());
    CHECK(others.share() >= 0.0);
    CHECK(others.share() < 1.0);
}

TEST_CASE("goals apply to their sizes, places and memory", "[benchmarks]")
{
    Case one{.benchmark = "latency", .group = ""};
    CHECK(goal_of(one, 1)->bound == 0.75);
    CHECK(goal_of(one, 2048)->bound == 0.75);
    CHECK_FALSE(goal_of(one, 3000).has_value());
    CHECK(goal_of(one, 4194304)->bound == 0.90);
    CHECK(goal_of(one, 4194304, true)->bound == 0.40);
    CHECK(goal_of({.benchmark = "bw", .group = ""}, 2048)->bound == 1.7);
    CHECK(goal_of({.benchmark = "bw", .group = ""}, 4096)->bound == 1.0);
    CHECK(goal_of({.benchmark = "bw", .group = ""}, 4096, true)->bound == 2.0);
    one.hosts = 2;
    CHECK(goal_of(one, 1)->bound == 0.85);
    Case barrier{.benchmark = "barrier", .group = ""};
    CHECK(goal_of(barrier, {})->bound == 0.80);
    barrier.binding = Binding::none;
    CHECK(goal_of(barrier, {})->kind == Goal::Kind::not_behind);
    Case gather{.benchmark = "gather", .group = "collective"};
    CHECK(goal_of(gather, 65536)->kind == Goal::Kind::not_behind);
    CHECK(goal_of(gather, 65536, true)->bound == 0.70);
    CHECK_FALSE(goal_of(gather, 4).has_value());
    CHECK(counts_for_median(gather, 8));
    gather.binding = Binding::none;
    CHECK(goal_of(gather, 65536)->kind == Goal::Kind::not_behind);
    CHECK_FALSE(counts_for_median(gather, 8));
    CHECK(goal_of({.benchmark = "mbw_mr", .group = "", .binding = Binding::none}, 8)->kind ==
          Goal::Kind::not_behind);
    CHECK(goal_of({.benchmark = "launch", .group = "", .binding = Binding::none}, {})->bound == 0.5);

    CHECK(goal_of({.benchmark = "put_latency", .group = "one-sided"}, 8)->bound == 0.25);
    CHECK(goal_of({.benchmark = "get_latency", .group = "one-sided"}, 8)->bound == 0.25);
    CHECK(goal_of({.benchmark = "put_latency", .group = "one-sided"}, 64)->kind == Goal::Kind::not_behind);
    CHECK(goal_of({.benchmark = "put_latency", .group = "one-sided", .hosts = 2}, 8)->bound == 0.8);
    CHECK(goal_of(
              {.benchmark = "get_latency", .group = "one-sided", .arguments = {"get_latency", "-s", "flush"}},
              8)
              ->bound == 0.25);
    for (const char* const other : {"lock", "lock_all", "pscw", "fence", "flush_local"})
        CHECK(
            goal_of(
                {.benchmark = "put_latency", .group = "one-sided", .arguments = {"put_latency", "-s", other}},
                8)
                ->kind == Goal::Kind::not_behind);
    for (const char* const update : {"acc_latency", "fop_latency", "cas_latency"})
        CHECK(goal_of({.benchmark = update, .group = "one-sided"}, 8)->bound == 0.3);
    CHECK(goal_of({.benchmark = "get_bw", .group = "one-sided"}, 65536)->bound == 2.0);
    CHECK(goal_of({.benchmark = "put_bw", .group = "one-sided"}, 1024)->kind == Goal::Kind::not_behind);
    CHECK(goal_of({.benchmark = "put_bibw", .group = "one-sided"}, 65536)->kind == Goal::Kind::not_behind);
    CHECK(goal_of({.benchmark = "counter", .group = "counter", .ranks = 8, .binding = Binding::none}, {})
              ->bound == 3.0);
    for (const char* const polling : {"ring_test", "ring_iprobe", "ring_improbe"}) {
        CHECK(goal_of({.benchmark = polling, .group = "ring", .binding = Binding::none}, 8)->bound == 2.0);
        CHECK_FALSE(goal_of({.benchmark = polling, .group = "ring"}, 8).has_value());
    }
    CHECK(goal_of({.benchmark = "file_write_all", .group = "file"}, 65536)->bound == 2.0);
    CHECK(goal_of({.benchmark = "file_read_all", .group = "file", .hosts = 2}, 512)->kind ==
          Goal::Kind::not_behind);
    CHECK(goal_of({.benchmark = "file_write_all", .group = "file"}, 1 << 24)->kind == Goal::Kind::not_behind);
    CHECK(goal_of({.benchmark = "file_view", .group = "file"}, {})->bound == 1.0);
    CHECK(goal_of({.benchmark = "file_write_shared", .group = "file"}, 64)->kind == Goal::Kind::value);
    CHECK(goal_of({.benchmark = "ring", .group = "ring", .binding = Binding::none}, 8)->kind ==
          Goal::Kind::not_behind);
    for (const Benchmark& each : catalogue()) {
        CAPTURE(each.name);
        if (to_string(each.group) != std::string("one-sided"))
            continue;
        for (const int ranks : {2, 4})
            for (const int hosts : {1, 2})
                for (const Binding binding : {Binding::core, Binding::none}) {
                    const auto goal = goal_of({.benchmark = each.name,
                                               .group = "one-sided",
                                               .ranks = ranks,
                                               .hosts = hosts,
                                               .binding = binding},
                                              32);
                    REQUIRE(goal.has_value());
                    CHECK(goal->kind == Goal::Kind::not_behind);
                }
    }

    const Goal below{0, 1, 0.70};
    CHECK(meets(below, Better::lower, 0.09, 0.70, {}) == true);
    CHECK(meets(below, Better::lower, 0.09, 0.71, {}) == false);
    CHECK_FALSE(meets(below, Better::lower, 0.09, {}, {}).has_value());
    CHECK(meets({0, 1, 2.0}, Better::higher, 4e7, 2.0, {}) == true);
    CHECK(meets({0, 1, 2.0}, Better::higher, 4e7, 1.9, {}) == false);
    CHECK(meets({0, 1, 0.1, Goal::Kind::value}, Better::lower, 0.05, {}, {}) == true);
    CHECK(meets({0, 1, 0.1, Goal::Kind::value}, Better::lower, 0.2, 0.02, {}) == false);
    const Goal not_behind{0, 1, 1.0, Goal::Kind::not_behind};
    CHECK(meets(not_behind, Better::lower, 0.2, 1.1, Verdict::same) == true);
    CHECK(meets(not_behind, Better::lower, 0.2, 1.1, Verdict::slower) == false);
    CHECK_FALSE(meets(not_behind, Better::lower, 0.2, 1.1, {}).has_value());  // of a single round
}
