#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "benchmarks/diff/diff.hpp"
#include "benchmarks/tests/temporary_folder.hpp"

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
        return json{
            {"median", median}, {"low", median}, {"high", median}, {"runs", std::vector<double>(5, median)}};
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

std::vector<record::Record> records_of(const std::vector<json>& documents)
{
    std::vector<record::Record> records;
    for (const json& document : documents)
        records.push_back(record::parse(document, "a.json"));
    return records;
}

std::vector<RowChange> compared(const std::vector<json>& before, const std::vector<json>& after,
                                double threshold = 0.05, const std::string& library = "tutti")
{
    return changes(series_of(records_of(before), library), series_of(records_of(after), library), threshold);
}

// Nine starts of a program whose row takes about `median`, each with an interval of its own that is narrow.
const std::vector<double> kNoise = {0.99, 1.01, 1.0, 0.985, 1.015, 0.995, 1.005, 1.02, 0.98};

std::vector<json> starts_of(double median, const char* better = "lower", double spread = 1.0)
{
    std::vector<json> documents;
    for (const double noise : kNoise)
        documents.push_back(run_document({run_row(8, median * (1 + spread * (noise - 1)), 0.001)}, better));
    return documents;
}

// The same, some of whose starts were disturbed.
std::vector<json> disturbed(double median, std::size_t how_many)
{
    std::vector<json> documents = starts_of(median);
    for (std::size_t i = 0; i < how_many; ++i)
        documents[i] = run_document({run_row(8, 27.94 * median, 0.001)});
    return documents;
}

// Of one row whose median goes from 10 to `after`.
Change change_to(double after, double spread, const char* better = "lower")
{
    return compared(starts_of(10, better), starts_of(after, better, spread)).at(0).change;
}

// One file a start, in a folder for either side.
class TwoFolders {
public:
    TwoFolders(const std::vector<json>& before, const std::vector<json>& after)
    {
        write("a", before);
        write("b", after);
    }

    int diff(const std::vector<const char*>& more = {}) const
    {
        const std::string before = (folder_.path() / "a").string();
        const std::string after = (folder_.path() / "b").string();
        std::vector<const char*> words{"tutti-bench diff", before.c_str(), after.c_str()};
        words.insert(words.end(), more.begin(), more.end());
        return run_diff(static_cast<int>(words.size()), words.data());
    }

private:
    void write(const char* side, const std::vector<json>& documents) const
    {
        std::filesystem::create_directory(folder_.path() / side);
        for (std::size_t i = 0; i < documents.size(); ++i)
            std::ofstream(folder_.path() / side / fmt::format("{}.json", i))
                << (documents[i].is_string() ? documents[i].get<std::string>() : documents[i].dump());
    }

    TemporaryFolder folder_;
};

std::vector<json> five(const json& document)
{
    return std::vector<json>(5, document);
}

}  // namespace

TEST_CASE("slower is what differs by more than the threshold and beyond noise", "[benchmarks]")
{
    CHECK(change_to(12, 1) == Change::slower);
    CHECK(change_to(12, 20) == Change::undecided);
    CHECK(change_to(10.45, 0.5) == Change::same);  // below the threshold
    CHECK(change_to(10, 0) == Change::same);
    CHECK(change_to(8, 1) == Change::faster);
    CHECK(change_to(9.7, 0.1) == Change::same);
    CHECK(change_to(12, 1, "higher") == Change::faster);
    CHECK(change_to(8, 1, "higher") == Change::slower);
}

TEST_CASE("disturbed starts make no difference, and hide none", "[benchmarks]")
{
    CHECK(compared(starts_of(10), disturbed(10, 1)).at(0).change == Change::same);
    CHECK(compared(disturbed(10, 1), starts_of(10)).at(0).change == Change::same);
    for (std::size_t count = 2; count <= 5; ++count) {
        CHECK(compared(starts_of(10), disturbed(10, count)).at(0).change == Change::undecided);
        CHECK(compared(disturbed(10, count), starts_of(10)).at(0).change == Change::undecided);
    }
    CHECK(compared(disturbed(10, 1), starts_of(12)).at(0).change == Change::slower);
    CHECK(compared(disturbed(10, 1), disturbed(12, 1)).at(0).change == Change::slower);
    CHECK(compared(starts_of(12), disturbed(10, 1)).at(0).change == Change::faster);
}

TEST_CASE("too few starts decide nothing, however narrow their own intervals are", "[benchmarks]")
{
    const json before = run_document({run_row(8, 10, 0.001)});
    const json after = run_document({run_row(8, 279.4, 0.001)});
    for (const std::size_t count : {1u, 4u}) {
        const std::vector<RowChange> rows =
            compared(std::vector<json>(count, before), std::vector<json>(count, after));
        CHECK(rows.at(0).change == Change::undecided);
        CHECK_THAT(diff_text(rows, 0.05), Catch::Contains("unclear allreduce, 2 ranks, 8: 10 -> 279.4 us"));
        CHECK_THAT(diff_text(rows, 0.05),
                   Catch::Contains(fmt::format("({0} before, {0} after; 5 of each are the least)", count)));
    }
    CHECK(compared(five(before), five(after)).at(0).change == Change::slower);
    CHECK_THAT(diff_text(compared(starts_of(10), disturbed(10, 3)), 0.05),
               Catch::Contains("# 1 undecided, because starts differ too much to know 5 %"));
}

TEST_CASE("starts at which cores were elsewhere do not count", "[benchmarks]")
{
    // Seven runs, of which two were taken while cores were ten times as far from each other.
    const auto comparison = [](double slow_factor, double trip_ns) {
        json document = comparison_document_of(10, 10);
        json& own = document["cases"][0]["rows"][0]["libraries"]["tutti"];
        own["runs"] = {10, 10 * slow_factor, 10.1, 9.9, 10 * slow_factor, 10.05, 9.95};
        own["trips_ns"] = {25, trip_ns, 26, 24, trip_ns, 25, 25};
        return document;
    };
    const std::vector<RowChange> rows = compared({comparison(1, 25)}, {comparison(5, 250)});
    CHECK(rows.at(0).change == Change::same);
    CHECK(rows.at(0).left_out == 2);
    CHECK(rows.at(0).starts_after == 5);
    CHECK_THAT(diff_text(rows, 0.05), Catch::Contains("# Up to 2 starts a row are left out"));
    CHECK(compared({comparison(1, 25)}, {comparison(5, 25)}).at(0).change == Change::undecided);
}

TEST_CASE("the interval of a shift is that of the rank sum test", "[benchmarks]")
{
    const auto shift = shift_of({1, 2, 3, 4, 5}, {10, 20, 30, 40, 50});
    CHECK(shift.ratio == Approx(10));
    REQUIRE(shift.interval);
    CHECK(shift.interval->low == Approx(2));  // of all 25: 1 in 252 ways of dealing ten values is so extreme
    CHECK(shift.interval->high == Approx(50));
    CHECK_FALSE(shift_of({1, 2, 3, 4}, {1, 2, 3, 4}).interval);  // 1 in 70
    CHECK(shift_of({1, 2, 3, 4}, {1, 2, 3, 4, 5, 6, 7}).interval);
    // Tables of the statistic have 11 as the largest that is significant for 9 and 9.
    std::vector<double> ones(9, 1.0), values;
    for (int i = 0; i < 9; ++i)
        values.push_back(i + 1.0);
    REQUIRE(shift_of(ones, values).interval);
    CHECK(shift_of(ones, values).interval->low == Approx(2));  // the 12th of nine times 1, nine times 2 ...
    CHECK(shift_of({0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}).ratio == Approx(1));
}

TEST_CASE("rows are matched by key and labels, and those of one file are reported", "[benchmarks]")
{
    const std::vector<RowChange> rows = compared(five(run_document({run_row(8, 1, 0), run_row(64, 2, 0)})),
                                                 five(run_document({run_row(512, 9, 0), run_row(64, 3, 0)})));
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].change == Change::only_before);
    CHECK(rows[1].change == Change::slower);
    CHECK(rows[2].change == Change::only_after);
    const std::string text = diff_text(rows, 0.05);
    CHECK_THAT(text,
               Catch::Contains(
                   "slower  allreduce, 2 ranks, 64: 2 -> 3 us (+50.0 %; with 99 % +50.0 % to +50.0 %)\n"));
    CHECK_THAT(text, Catch::Contains("gone    allreduce, 2 ranks, 8: 1 us\n"));
    CHECK_THAT(text, Catch::Contains("new     allreduce, 2 ranks, 512: 9 us\n"));
    CHECK_THAT(text,
               Catch::Contains("# 1 slower, 0 faster, 0 the same but for 5 %, 0 undecided; 1 gone, 1 new"));
}

TEST_CASE("a run is compared with a comparison by the same benchmark", "[benchmarks]")
{
    const std::vector<json> runs = five(run_document({run_row(8, 10, 0.1)}));
    const std::vector<json> comparison = {comparison_document_of(20, 40)};
    CHECK(compared(runs, comparison).at(0).change == Change::slower);
    CHECK(compared(comparison, runs).at(0).change == Change::faster);
    const std::vector<json> other = {comparison_document_of(20, 80)};
    CHECK(compared(comparison, other, 0.05, "openmpi").at(0).change == Change::slower);
    CHECK(compared(comparison, other).at(0).change == Change::same);
}

TEST_CASE("wrong bytes are worse than slow ones", "[benchmarks]")
{
    json after = run_document({run_row(8, 1, 0)});
    after["rows"][0]["valid"] = false;
    CHECK(compared({run_document({run_row(8, 10, 0)})}, {after}).at(0).change == Change::wrong);
}

TEST_CASE("what cannot be compared is said", "[benchmarks]")
{
    const json two = run_document({run_row(8, 1, 0)});
    CHECK_THROWS_WITH(compared({two}, {run_document({run_row(8, 1, 0)}, "lower", 8)}),
                      Catch::Contains("allreduce, 2 ranks before, allreduce, 8 ranks after"));
    json other = two;
    other["unit"] = "ms";
    CHECK_THROWS_AS(compared({two}, {other}), NotComparable);
    CHECK_THROWS_AS(compared({two, other}, {two}), NotComparable);
    CHECK_THROWS_AS(compared({comparison_document_of(1, 2)}, {two}, 0.05, "mpich"), NotComparable);

    const auto warnings =
        differing_circumstances(records_of({two, two}), records_of({comparison_document_of(1, 2)}));
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
    const std::vector<json> before = five(run_document({run_row(8, 10, 0.1)}));
    const std::vector<json> slower = five(run_document({run_row(8, 12, 0.1)}));
    CHECK(TwoFolders(before, before).diff() == 0);
    CHECK(TwoFolders(before, slower).diff() == 1);
    CHECK(TwoFolders(slower, before).diff() == 0);
    CHECK(TwoFolders(before, slower).diff({"--threshold", "30%"}) == 0);
    CHECK(TwoFolders(before, slower).diff({"--threshold", "much"}) == 2);
    CHECK(TwoFolders(before, {"no json"}).diff() == 2);
    CHECK(TwoFolders(before, {}).diff() == 2);
    CHECK(TwoFolders(before, {slower[0]}).diff() == 2);  // too few to decide by
    CHECK(TwoFolders({json{{"format", "other"}, {"version", 1}}}, before).diff() == 2);
    CHECK(TwoFolders({json{{"format", "tutti-bench-run"}, {"version", 99}}}, before).diff() == 2);
    CHECK(TwoFolders(before, five(run_document({run_row(8, 1, 0)}, "lower", 8))).diff() == 2);
    const char* missing[] = {"tutti-bench diff", "/no/such/file", "/no/such/file"};
    CHECK(run_diff(3, missing) == 2);
    CHECK(run_diff(2, missing) == 2);
}

TEST_CASE("rows that are gone do not pass the gate unless that is allowed", "[benchmarks]")
{
    const std::vector<json> two = five(run_document({run_row(8, 10, 0.1), run_row(64, 20, 0.1)}));
    const std::vector<json> one = five(run_document({run_row(8, 10, 0.1)}));
    const std::vector<json> none = five(run_document({}));
    CHECK(TwoFolders(two, one).diff() == 1);
    CHECK(TwoFolders(two, one).diff({"--allow-missing"}) == 0);
    CHECK(TwoFolders(one, two).diff() == 0);
    for (const auto& [before, after] : {std::pair(two, none), {none, two}, {none, none}}) {
        CHECK(TwoFolders(before, after).diff() == 2);
        CHECK(TwoFolders(before, after).diff({"--allow-missing"}) == 2);
    }
    CHECK(TwoFolders(two, two).diff({"--library", "bogus"}) == 2);
    CHECK(TwoFolders(two, two).diff({"--library", "mpich"}) == 0);
    CHECK(TwoFolders(two, two).diff({"--library", "tutti:allocate"}) == 0);
    CHECK(TwoFolders(two, two).diff({"--library", "mpich:tuned"}) == 0);
}
