// The machine's modes: when a comparison waits, repeats a run, and what it says of runs in another mode.
#include <catch2/catch.hpp>

#include <deque>

#include "benchmarks/compare/case_table.hpp"
#include "benchmarks/compare/modes.hpp"

using namespace tutti::bench;

namespace {

// Trips one after the other; the last for ever.
class Trips {
public:
    explicit Trips(std::deque<double> left) : left_(std::move(left)) {}

    std::optional<double> operator()()
    {
        const double now = left_.front();
        if (left_.size() > 1)
            left_.pop_front();
        return now;
    }

private:
    std::deque<double> left_;
};

}  // namespace

TEST_CASE("trips within a factor of 1.5 are of one mode", "[benchmarks]")
{
    CHECK(is_same_mode(25, 30));
    CHECK(is_same_mode(37, 25));
    CHECK_FALSE(is_same_mode(25, 55));
    CHECK_FALSE(is_same_mode(250, 55));
}

TEST_CASE("runs are held until the machine is in its usual mode, while patience lasts", "[benchmarks]")
{
    Modes modes(Trips({55, 54, 250, 56, 55, 250, 250, 57, 250}), 0.5);
    CHECK(*modes.usual_ns() == 55);  // of five, of which one was disturbed
    CHECK(modes.is_usual(60));
    CHECK_FALSE(modes.is_usual(250));
    CHECK(modes.hold() == 57);
    CHECK(modes.hold() == 250);  // for good: patience ends

    Modes impatient(Trips({55, 55, 55, 55, 55, 250}), 0);
    CHECK(impatient.hold() == 250);

    Modes unknown([] { return std::optional<double>(); }, 5);
    CHECK_FALSE(unknown.usual_ns());
    CHECK(unknown.is_usual(unknown.hold()));
}

TEST_CASE("runs in another mode are reported under the table", "[benchmarks]")
{
    const Modes modes(Trips({25}), 0);
    CaseResult result;
    result.trips_ns["tutti"] = {{0, 25}, {1, 27}};
    CHECK(modes_text(result, modes).empty());
    result.trips_ns["mpich"] = {{0, 25}, {1, 251}, {2, 55}};
    CHECK(modes_text(result, modes) ==
          "# In another mode of the machine, in which cores are not 25 ns apart: mpich 2 of 3 runs (251, 55 "
          "ns)\n");
}

TEST_CASE("a repeated run takes the place of the first one", "[benchmarks]")
{
    const auto run_of = [](double median) {
        record::Run run;
        run.rows.emplace_back();
        run.rows[0].key = 8;
        run.rows[0].median = median;
        run.rows[0].interval = {median - 1, median + 1};
        return run;
    };
    CaseResult result;
    result.add("tutti", 0, run_of(50));
    result.add("tutti", 0, run_of(10));
    const Measured& measured = result.rows.at({8, {}}).libraries.at("tutti");
    CHECK(measured.median() == 10);
    CHECK(measured.interval().low == 9);
    CHECK(measured.interval().high == 11);
}
