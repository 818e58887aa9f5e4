#include "benchmarks/suite/output/row_report.hpp"

#include <catch2/catch.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace tutti::bench;

namespace {

std::string report_file(const char* ending)
{
    return (std::filesystem::temp_directory_path() / ("tutti-report-" + std::to_string(getpid()) + ending))
        .string();
}

SuiteOptions latency_options()
{
    SuiteOptions options;
    options.benchmark = "latency";
    options.entry = find_benchmark("latency");
    return options;
}

Heading two_ranks()
{
    Heading heading;
    heading.library = "Tutti test";
    heading.placement.cpus = {"0", "1"};
    heading.start = "free";
    return heading;
}

}  // namespace

TEST_CASE("a report's files have every figure of a row", "[benchmarks]")
{
    SuiteOptions options = latency_options();
    options.json_file = report_file(".json");
    options.csv_file = report_file(".csv");
    RowReport report(options, *options.entry, two_ranks());
    Series series(Over::slowest, 2);
    series.add(std::vector{6.0, 2.0, 4.0, 2.0, 2.0, 2.0}, 3);
    Row row = row_of(4.0, series, [](double us) { return us / 2.0; });
    row.valid = true;
    report.row(row);
    CHECK_FALSE(report.failed());
    row.key = 8.0;
    row.valid = false;
    report.row(row);
    CHECK(report.failed());
    report.finish();

    std::ifstream stream(options.json_file);
    const nlohmann::json document = nlohmann::json::parse(stream);
    std::ifstream lines(options.csv_file);
    std::string header;
    std::string first;
    std::getline(lines, header);
    std::getline(lines, first);
    std::filesystem::remove(options.json_file);
    std::filesystem::remove(options.csv_file);
    CHECK(document["format"] == "tutti-bench-run");
    CHECK(document["ranks"] == 2);
    CHECK(document["unit"] == "us");
    CHECK(document["better"] == "lower");
    CHECK(document["environment"]["binding"] == nlohmann::json({"0", "1"}));
    REQUIRE(document["rows"].size() == 2);
    const nlohmann::json& written = document["rows"][0];
    CHECK(written["key"] == 4);
    CHECK(written["median"] == 2.0);
    CHECK(written["low"] == 1.0);
    CHECK(written["high"] == 3.0);
    CHECK(written["iterations"] == 3);
    CHECK(written["rank_min"] == 1.0);
    CHECK(written["rank_max"] == 2.0);
    CHECK(written["percentiles"]["99.9"] == 3.0);
    CHECK(written["valid"] == true);
    CHECK(document["rows"][1]["valid"] == false);
    CHECK(header.starts_with("benchmark,library,ranks,key,"));
    CHECK(first == "latency,Tutti test,2,4,,us,2,1,3,0.7500,2,1,3,2,3,3,3,3,0,0,true");
}

TEST_CASE("a file that cannot be written is noticed before anything is measured", "[benchmarks]")
{
    SuiteOptions options = latency_options();
    options.json_file = "/nowhere/at/all.json";
    CHECK_THROWS_WITH(RowReport(options, *options.entry, two_ranks()),
                      Catch::Contains("/nowhere/at/all.json"));
    options.json_file.clear();
    options.csv_file = "/nowhere/at/all.csv";
    CHECK_THROWS_WITH(RowReport(options, *options.entry, two_ranks()), Catch::Contains("--csv"));
}
