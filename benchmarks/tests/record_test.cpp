// Reading runs and comparisons, and what is said of files that are none.
#include "benchmarks/record/result_record.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <nlohmann/json.hpp>

#include "benchmarks/record/fields.hpp"

using namespace tutti::bench;

namespace {

std::string record_file(const std::string& name)
{
    return std::string(TUTTI_TEST_DATA) + "/" + name;
}

// What reading `name` says when `spoil` has changed the document.
std::string complaint(const std::string& name, const std::function<void(nlohmann::json&)>& spoil)
{
    nlohmann::json document = record::read_json(record_file(name));
    spoil(document);
    try {
        record::parse(document, "some.json");
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "nothing";
}

std::string complaint_of_file(const std::string& file)
{
    try {
        record::read(file);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "nothing";
}

}  // namespace

TEST_CASE("a run is read with all its figures", "[benchmarks]")
{
    const auto run = std::get<record::Run>(record::read(record_file("run_mpich.json")));
    CHECK(run.quantity.benchmark == "latency");
    CHECK(run.quantity.lower_is_better);
    CHECK(run.quantity.ranks == 2);
    CHECK(run.library == "MPICH 4.0.2");
    CHECK(run.start == "free");
    CHECK(run.own_cost_ns == 1.9);
    REQUIRE(run.rows.size() == 9);
    CHECK(run.rows[1].key == 8.0);
    CHECK(run.rows[0].median == 0.2101);
    CHECK(run.rows[0].interval.low == 0.208);
    CHECK(run.rows[0].interval.high == 0.2133);
    CHECK(run.rows[0].percentiles.at("99.9") == 0.6304);
    CHECK(run.rows[4].narrow == false);
    CHECK(run.rows[4].valid == true);
    CHECK_FALSE(run.rows[8].valid.has_value());
    REQUIRE(run.environment);
    CHECK(run.environment->at("kernel") == "Linux 6.1.0");
}

TEST_CASE("a comparison is read with its cases, limits and failures", "[benchmarks]")
{
    const auto comparison = std::get<record::Comparison>(record::read(record_file("comparison.json")));
    CHECK(comparison.repetitions == 5.0);
    REQUIRE(comparison.limits.size() == 3);
    CHECK_FALSE(comparison.limits[0].key.has_value());
    CHECK(comparison.limits[1].key == 65536.0);
    REQUIRE(comparison.cases.size() == 6);

    const record::Case& latency = comparison.cases[0];
    CHECK(latency.libraries == std::vector<std::string>{"tutti", "openmpi", "mpich"});
    CHECK(latency.library_names.at("openmpi") == "Open MPI 4.1.4");
    CHECK(latency.rows[0].verdict == "faster");
    CHECK(latency.rows[0].better_peer == "openmpi");
    CHECK(latency.rows[0].ratio == 0.4998);
    CHECK(latency.rows[0].limit_name == "cache line trip");

    const record::Case& barrier = comparison.cases[4];
    CHECK(barrier.quantity.key.empty());
    CHECK_FALSE(barrier.rows[0].key.has_value());
    CHECK(barrier.rows[0].libraries.size() == 2);
    REQUIRE(barrier.failures.size() == 1);
    CHECK(barrier.failures[0].message == "took longer than 20 s");
    CHECK_FALSE(comparison.cases[5].quantity.lower_is_better);
    CHECK(comparison.cases[5].rows[0].labels == std::vector<std::string>{"sum", "float32"});
}

TEST_CASE("what is wrong with a file is said with its name and the place", "[benchmarks]")
{
    const auto of_run = [](auto spoil) { return complaint("run_tutti.json", spoil); };
    const auto of_comparison = [](auto spoil) { return complaint("comparison.json", spoil); };

    CHECK(of_run([](auto&) {}) == "nothing");
    CHECK(of_run([](auto& run) {
              run["rows"][3].erase("median");
          }).starts_with("some.json: 'rows[3].median' is missing"));
    CHECK(of_run([](auto& run) { run["rows"][3]["low"] = "1"; }) ==
          "some.json: 'rows[3].low' must be a number");
    CHECK(of_run([](auto& run) { run["ranks"] = 1.5; }) == "some.json: 'ranks' must be a whole number");
    CHECK(of_run([](auto& run) { run["rows"] = 3; }) == "some.json: 'rows' must be a list");
    CHECK(of_run([](auto& run) { run["better"] = "up"; }) ==
          "some.json: 'better' is 'up'; it must be 'lower' or 'higher'");
    CHECK(of_run([](auto& run) { run["rows"][0]["labels"] = {"a"}; }) ==
          "some.json: 'rows[0]' has 1 labels where 0 are named");
    CHECK(of_run([](auto& run) { run["format"] = "osu"; }).starts_with("some.json: 'format' is 'osu'"));
    CHECK(of_run([](auto& run) {
              run["version"] = 2;
          }).starts_with("some.json: 'version' is 2; this program reads version 1"));
    CHECK(of_run([](auto& run) { run = nlohmann::json::array(); }) ==
          "some.json: the document must be an object");

    CHECK(of_comparison([](auto& comparison) { comparison["cases"] = nlohmann::json::array(); }) ==
          "nothing");
    CHECK(of_comparison([](auto& comparison) {
              comparison["cases"][1]["rows"][0]["verdict"] = "fine";
          }).starts_with("some.json: 'cases[1].rows[0].verdict' is 'fine'"));
    CHECK(of_comparison([](auto& comparison) {
              comparison["cases"][0]["rows"][2]["libraries"]["mpich"].erase("high");
          }).starts_with("some.json: 'cases[0].rows[2].libraries.mpich.high' is missing"));

    CHECK(of_run([](auto& run) { run["rows"][3]["median"] = -1; }) ==
          "some.json: 'rows[3].median' is -1; a median must not be negative");
    CHECK(of_run([](auto& run) {
              run["rows"][3]["median"] = 2;
              run["rows"][3]["low"] = 3;
              run["rows"][3]["high"] = 4;
          }) == "some.json: 'rows[3].median' is 2, outside its interval from 3 to 4");
    CHECK(of_comparison([](auto& comparison) {
              comparison["cases"][0]["rows"][2]["libraries"]["mpich"]["high"] = 0;
          }).starts_with("some.json: 'cases[0].rows[2].libraries.mpich.median' is "));

    CHECK(complaint_of_file("/") == "/: is a folder, not a file");
    CHECK(complaint_of_file("/nowhere/run.json") ==
          "/nowhere/run.json: cannot be read: No such file or directory");
    CHECK(complaint_of_file(__FILE__).find("record_test.cpp: is not JSON") != std::string::npos);
}
