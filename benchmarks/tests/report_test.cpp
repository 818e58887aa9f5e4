#include <catch2/catch.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "benchmarks/suite/report.hpp"

using namespace tutti::bench;

TEST_CASE("a report's file has every repetition and the median", "[benchmarks]")
{
    const std::string file =
        (std::filesystem::temp_directory_path() / ("tutti-report-" + std::to_string(getpid()) + ".json"))
            .string();
    Options options;
    options.benchmark = "latency";
    options.json_file = file;
    options.repetitions = 3;
    Report report(options, {"Latency Test", "Size", "Latency", "us"}, "Tutti test", 2);
    report.row(4.0, std::vector{Sample::single(3), Sample::single(1), Sample::single(2)}, 10, true);
    CHECK_FALSE(report.failed());
    report.row(8.0, std::vector{Sample{5, 4, 6}}, 10, false);
    CHECK(report.failed());
    report.finish();

    std::ifstream stream(file);
    const nlohmann::json document = nlohmann::json::parse(stream);
    std::filesystem::remove(file);
    CHECK(document["ranks"] == 2);
    CHECK(document["unit"] == "us");
    REQUIRE(document["results"].size() == 2);
    CHECK(document["results"][0]["size_bytes"] == 4);
    CHECK(document["results"][0]["value"] == 2.0);
    CHECK(document["results"][0]["repetitions"] == nlohmann::json({3.0, 1.0, 2.0}));
    CHECK(document["results"][0]["valid"] == true);
    CHECK(document["results"][1]["min_over_ranks"] == 4.0);
    CHECK(document["results"][1]["max_over_ranks"] == 6.0);
}

TEST_CASE("a file that cannot be written is noticed before anything is measured", "[benchmarks]")
{
    Options options;
    options.json_file = "/nowhere/at/all.json";
    CHECK_THROWS_WITH(Report(options, {"Test", "", "Value", "us"}, "Tutti test", 1),
                      Catch::Contains("/nowhere/at/all.json"));
}
