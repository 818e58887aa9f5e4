// Texts as OSU's and Intel's programs print them.
#include <catch2/catch.hpp>

#include <fstream>

#include "benchmarks/diff/diff.hpp"
#include "benchmarks/record/foreign_text.hpp"
#include "benchmarks/tests/temporary_folder.hpp"

using namespace tutti::bench;

namespace {

constexpr const char* kOsuLatency = R"(
# OSU MPI Latency Test v7.4
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)        Validation
1                       0.12              Pass
65536                   4.37              Fail
)";

constexpr const char* kOsuOldBandwidth = R"(# OSU MPI Bandwidth Test v5.6.3
# Size      Bandwidth (MB/s)
1                       5.11
4194304             12034.90
)";

constexpr const char* kOsuAllreduce = R"(
# OSU MPI Allreduce Latency Test v7.4
# Datatype: MPI_INT.
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
4                       0.25              0.20              0.31        1000
)";

constexpr const char* kOsuBarrier = R"(
# OSU MPI Barrier Latency Test v7.4
# Avg Latency(us)
             0.19
)";

constexpr const char* kOsuRate = R"(
# OSU MPI Multiple Bandwidth / Message Rate Test v7.4
# [ pairs: 1 ] [ window size: 64 ]
# Datatype: MPI_CHAR.
# Size                  MB/s        Messages/s
1                       7.50        7500000.00
)";

constexpr const char* kImb = R"(#----------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.7, MPI-1 part
#----------------------------------------------------------------
# Date                  : Tue Nov 24 02:00:00 2026

#---------------------------------------------------
# Benchmarking PingPong 
# #processes = 2 
# ( 2 additional processes waiting in MPI_Barrier)
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec      defects
            0         1000         0.21         0.00         0.00
         4096         1000         0.61      6714.75         1.00

#----------------------------------------------------------------
# Benchmarking Allreduce 
# #processes = 4 
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            8         1000         0.90         1.10         1.00
         1024  out-of-mem.; needed X=    0.002 GB; use flag "-mem X" or MAX_MEM_USAGE>=X (IMB_mem_info.h)

#---------------------------------------------------
# Benchmarking Barrier 
# #processes = 4 
#---------------------------------------------------
 #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1000         0.31         0.33         0.32

# All processes entering MPI_Finalize
)";

std::vector<record::Run> runs_of(const char* text)
{
    CHECK(record::is_foreign_text(text));
    return record::parse_foreign_text(text, "a.txt");
}

}  // namespace

TEST_CASE("OSU's texts are read: title, sizes, the first column", "[benchmarks]")
{
    const record::Run latency = runs_of(kOsuLatency).at(0);
    CHECK(latency.quantity.benchmark == "Latency Test");
    CHECK(latency.quantity.unit == "us");
    CHECK(latency.quantity.lower_is_better);
    CHECK(latency.quantity.key == "Size");
    REQUIRE(latency.rows.size() == 2);
    CHECK(latency.rows[1].key == 65536.0);
    CHECK(latency.rows[1].median == 4.37);
    CHECK(latency.rows[0].valid.value_or(true));
    CHECK(latency.rows[1].valid == false);

    const record::Run bandwidth = runs_of(kOsuOldBandwidth).at(0);
    CHECK(bandwidth.quantity.benchmark == "Bandwidth Test");
    CHECK(bandwidth.quantity.unit == "MB/s");
    CHECK_FALSE(bandwidth.quantity.lower_is_better);
    CHECK(bandwidth.rows.at(1).median == 12034.90);

    CHECK(runs_of(kOsuAllreduce).at(0).rows.at(0).median == 0.25);
    const record::Run barrier = runs_of(kOsuBarrier).at(0);
    CHECK_FALSE(barrier.rows.at(0).key);
    CHECK(barrier.rows.at(0).median == 0.19);
    const record::Run rate = runs_of(kOsuRate).at(0);
    CHECK(rate.quantity.benchmark == "Multiple Bandwidth / Message Rate Test");
    CHECK(rate.rows.at(0).median == 7.5);
    CHECK_FALSE(rate.quantity.lower_is_better);
}

TEST_CASE("IMB's tables are read: a run each, with its number of ranks", "[benchmarks]")
{
    const std::vector<record::Run> runs = runs_of(kImb);
    REQUIRE(runs.size() == 3);
    CHECK(runs[0].quantity.benchmark == "PingPong");
    CHECK(runs[0].quantity.ranks == 2);
    CHECK(runs[0].rows.at(1).key == 4096.0);
    CHECK(runs[0].rows.at(1).median == 0.61);
    CHECK(runs[0].rows.at(0).valid.value_or(true));
    CHECK(runs[0].rows.at(1).valid == false);
    CHECK(runs[1].quantity.ranks == 4);
    REQUIRE(runs[1].rows.size() == 1);
    CHECK(runs[1].rows[0].median == 1.0);  // t_avg
    CHECK_FALSE(runs[2].rows.at(0).key);
    CHECK(runs[2].rows.at(0).median == 0.32);
}

TEST_CASE("texts of several starts in a file are compared", "[benchmarks]")
{
    const TemporaryFolder folder;
    const auto write = [&](const char* name, double factor) {
        std::ofstream file(folder.path() / name);
        for (int start = 0; start < 5; ++start)
            file << "# OSU MPI Latency Test v7.4\n# Size          Latency (us)\n65536  "
                 << factor * (4 + 0.01 * start) << "\n";
        return (folder.path() / name).string();
    };
    const std::string before = write("a.txt", 1), after = write("b.txt", 1.5);
    const auto diff = [](const std::string& from, const std::string& to) {
        const char* const words[] = {"tutti-bench diff", from.c_str(), to.c_str()};
        return run_diff(3, words);
    };
    CHECK(diff(before, after) == 1);
    CHECK(diff(after, before) == 0);
    CHECK(diff(before, before) == 0);
    const std::vector<RowChange> rows = changes(series_of(record::read_all(before), "tutti"),
                                                series_of(record::read_all(after), "tutti"), 0.05);
    CHECK(rows.at(0).name == "Latency Test, 64K");
    CHECK(rows.at(0).starts_before == 5);
    CHECK(rows.at(0).shift->ratio == Approx(1.5).epsilon(0.02));
}

TEST_CASE("texts without a row, and other texts, are refused", "[benchmarks]")
{
    CHECK_THROWS_WITH(record::parse_foreign_text("# OSU MPI Init Test v7.4\nnprocs: 2, min: 1 ms\n", "a.txt"),
                      Catch::Contains("a.txt: has titles of OSU's or IMB's, and no row"));
    CHECK_FALSE(record::is_foreign_text("a text about # OSU \n"));
    CHECK_FALSE(record::is_foreign_text("{}"));
}
