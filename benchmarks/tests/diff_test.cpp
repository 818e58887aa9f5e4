#include <catch2/catch.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "benchmarks/diff/diff.hpp"

using namespace tutti::bench;

namespace {

using nlohmann::json;

json run_row(double key, double median, double half_width)
{
    return {{"key", key},       {"labels", json::array()},    {"parts", json::array()},
            {"median", median}, {"low", median - half_width}, {"high", median + half_width}};
}

json run_document(const std::vector<json>& rows, const char* better = "lower", int ranks = 2)
{
    return {{"format", "tutti-bench-run"},
            {"version", 1},
            {"benchmark", "allreduce"},
            {"title", "Allreduce Latency Test"},
            {"library", "Tutti 0.1.0"},
            {"ranks", ranks},
            {"hosts", 1},
            {"key", "Size"},
            {"value", "Avg Latency"},
            {"unit", "us"},
            {"better", better},
            {"labels", json::array()},
            {"parts", json::array()},
            {"environment", {{"processor", "Xeon"}, {"cores", 2}}},
            {"rows", rows}};
}

json comparison_document_of(double tutti, double openmpi)
{
    const auto library = [](double median) {
        return json{{"median", median}, {"low", median}, {"high", median}, {"runs", {median}}};
    };
    json one = run_document({});
    one["group"] = "collective";
    one["binding"] = "core";
    one["libraries"] = {"tutti", "openmpi"};
    one["library_names"] = {{"tutti", "Tutti 0.1.0"}, {"openmpi", "Open MPI"}};
    one["failures"] = json::array();
    const json row = {{"key", 8.0},
                      {"labels", json::array()},
                      {"libraries", {{"tutti", library(tutti)}, {"openmpi", library(openmpi)}}},
                      {"better_peer", "openmpi"},
                      {"ratio", tutti / openmpi},
                      {"ratio_low", nullptr},
                      {"ratio_high", nullptr},
                      {"verdict", nullptr},
                      {"limit", nullptr},
                      {"limit_name", nullptr},
                      {"share", nullptr}};
    one["rows"] = json::array({row});
    return {{"format", "tutti-bench-comparison"},
            {"version", 1},
            {"command", json::array()},
            {"environment", {{"processor", "EPYC"}, {"cores", 2}}},
            {"repetitions", 1},
            {"limits", json::array()},
            {"cases", json::array({one})}};
}

std::vector<RowChange> compared(const json& before, const json& after, double threshold = 0.05,
                                const std::string& library = "tutti")
{
    return changes(series_of(record::parse(before, "a.json"), library),
                   series_of(record::parse(after, "b.json"), library), threshold);
}

// Of one row whose median goes from 10 to `after`.
Change change_to(double after, double half_width, const char* better = "lower")
{
    return compared(run_document({run_row(8, 10, 0.2)}, better),
                    run_document({run_row(8, after, half_width)}, better))
        .at(0)
        .change;
}

class TwoFiles {
public:
    TwoFiles(const std::string& before, const std::string& after)
        : folder_(std::filesystem::temp_directory_path() / fmt::format("diff_test-{}", getpid()))
    {
        std::filesystem::create_directories(folder_);
        std::ofstream(folder_ / "a.json") << before;
        std::ofstream(folder_ / "b.json") << after;
    }
    TwoFiles(const TwoFiles&) = delete;
    TwoFiles& operator=(const TwoFiles&) = delete;
    ~TwoFiles() { std::filesystem::remove_all(folder_); }

    int diff(const std::vector<const char*>& more = {}) const
    {
        const std::string before = (folder_ / "a.json").string();
        const std::string after = (folder_ / "b.json").string();
        std::vector<const char*> words{"tutti-bench diff", before.c_str(), after.c_str()};
        words.insert(words.end(), more.begin(), more.end());
        return run_diff(static_cast<int>(words.size()), words.data());
    }

private:
    std::filesystem::path folder_;
};

}  // namespace

TEST_CASE("slower is what differs by more than the threshold and beyond noise", "[benchmarks]")
{
    CHECK(change_to(12, 0.2) == Change::slower);
    CHECK(change_to(12, 1.9) == Change::same);     // the intervals meet
    CHECK(change_to(10.45, 0.1) == Change::same);  // below the threshold
    CHECK(change_to(8, 0.2) == Change::faster);
    CHECK(change_to(9.6, 0.1) == Change::same);
    CHECK(change_to(12, 0.2, "higher") == Change::faster);
    CHECK(change_to(8, 0.2, "higher") == Change::slower);
}

TEST_CASE("rows are matched by key and labels, and those of one file are told", "[benchmarks]")
{
    const std::vector<RowChange> rows = compared(run_document({run_row(8, 1, 0), run_row(64, 2, 0)}),
                                                 run_document({run_row(512, 9, 0), run_row(64, 3, 0)}));
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].change == Change::only_before);
    CHECK(rows[1].change == Change::slower);
    CHECK(rows[2].change == Change::only_after);
    const std::string text = diff_text(rows, 0.05);
    CHECK_THAT(text, Catch::Contains("slower  allreduce, 2 ranks, 64: 2 -> 3 us (+50.0 %)\n"));
    CHECK_THAT(text, Catch::Contains("gone    allreduce, 2 ranks, 8: 1 us\n"));
    CHECK_THAT(text, Catch::Contains("new     allreduce, 2 ranks, 512: 9 us\n"));
    CHECK_THAT(text, Catch::Contains("# 1 slower, 0 faster, 0 the same within noise and 5 %; 1 gone, 1 new"));
}

TEST_CASE("a run is compared with a comparison by the same benchmark", "[benchmarks]")
{
    const json run = run_document({run_row(8, 10, 0.1)});
    CHECK(compared(run, comparison_document_of(20, 40)).at(0).change == Change::slower);
    CHECK(compared(comparison_document_of(20, 40), run).at(0).change == Change::faster);
    CHECK(compared(comparison_document_of(20, 40), comparison_document_of(20, 80), 0.05, "openmpi")
              .at(0)
              .change == Change::slower);
    CHECK(compared(comparison_document_of(20, 40), comparison_document_of(20, 80)).at(0).change ==
          Change::same);
}

TEST_CASE("wrong bytes are worse than slow ones", "[benchmarks]")
{
    json after = run_document({run_row(8, 1, 0)});
    after["rows"][0]["valid"] = false;
    CHECK(compared(run_document({run_row(8, 10, 0)}), after).at(0).change == Change::wrong);
}

TEST_CASE("what cannot be compared is said", "[benchmarks]")
{
    const json two = run_document({run_row(8, 1, 0)});
    CHECK_THROWS_WITH(compared(two, run_document({run_row(8, 1, 0)}, "lower", 8)),
                      Catch::Contains("allreduce, 2 ranks before, allreduce, 8 ranks after"));
    json other = two;
    other["unit"] = "ms";
    CHECK_THROWS_AS(compared(two, other), NotComparable);
    CHECK_THROWS_AS(compared(comparison_document_of(1, 2), two, 0.05, "mpich"), NotComparable);

    const auto warnings =
        differing_circumstances(record::parse(two, "a"), record::parse(comparison_document_of(1, 2), "b"));
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0] == "processor: Xeon before, EPYC after");
}

TEST_CASE("thresholds are in percent", "[benchmarks]")
{
    CHECK(parse_threshold("5%") == Approx(0.05));
    CHECK(parse_threshold("2.5") == Approx(0.025));
    CHECK(parse_threshold("0") == 0.0);
    for (const char* text : {"", "%", "5%%", "five", "-1", "5 %", "inf"})
        CHECK_THROWS_AS(parse_threshold(text), std::invalid_argument);
}

TEST_CASE("the exit status is a gate", "[benchmarks]")
{
    const std::string before = run_document({run_row(8, 10, 0.1)}).dump();
    const std::string slower = run_document({run_row(8, 12, 0.1)}).dump();
    CHECK(TwoFiles(before, before).diff() == 0);
    CHECK(TwoFiles(before, slower).diff() == 1);
    CHECK(TwoFiles(slower, before).diff() == 0);
    CHECK(TwoFiles(before, slower).diff({"--threshold", "30%"}) == 0);
    CHECK(TwoFiles(before, slower).diff({"--threshold", "much"}) == 2);
    CHECK(TwoFiles(before, "no json").diff() == 2);
    CHECK(TwoFiles("{\"format\": \"other\", \"version\": 1}", before).diff() == 2);
    CHECK(TwoFiles("{\"format\": \"tutti-bench-run\", \"version\": 99}", before).diff() == 2);
    CHECK(TwoFiles(before, run_document({run_row(8, 1, 0)}, "lower", 8).dump()).diff() == 2);
    const char* missing[] = {"tutti-bench diff", "/no/such/file", "/no/such/file"};
    CHECK(run_diff(3, missing) == 2);
    CHECK(run_diff(2, missing) == 2);
}

TEST_CASE("rows that are gone do not pass the gate unless that is allowed", "[benchmarks]")
{
    const std::string two = run_document({run_row(8, 10, 0.1), run_row(64, 20, 0.1)}).dump();
    const std::string one = run_document({run_row(8, 10, 0.1)}).dump();
    const std::string none = run_document({}).dump();
    CHECK(TwoFiles(two, one).diff() == 1);
    CHECK(TwoFiles(two, one).diff({"--allow-missing"}) == 0);
    CHECK(TwoFiles(one, two).diff() == 0);
    for (const auto& [before, after] : {std::pair(two, none), {none, two}, {none, none}}) {
        CHECK(TwoFiles(before, after).diff() == 2);
        CHECK(TwoFiles(before, after).diff({"--allow-missing"}) == 2);
    }
    CHECK(TwoFiles(two, two).diff({"--library", "bogus"}) == 2);
    CHECK(TwoFiles(two, two).diff({"--library", "mpich"}) == 0);
    CHECK(TwoFiles(two, two).diff({"--library", "tutti:allocate"}) == 0);
    CHECK(TwoFiles(two, two).diff({"--library", "mpich:tuned"}) == 0);
}
