// From records to charts, to gnuplot's language, to pictures.
#include "benchmarks/plot/plot.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "benchmarks/plot/chart.hpp"
#include "benchmarks/plot/plot_words.hpp"
#include "benchmarks/plot/script.hpp"
#include "benchmarks/tests/needs_gnuplot.hpp"
#include "benchmarks/tests/temporary_folder.hpp"

using namespace tutti::bench;

namespace {

std::string fixture(const std::string& name)
{
    return std::string(TUTTI_TEST_DATA) + "/" + name;
}

std::vector<record::Record> read_fixtures(const std::vector<std::string>& names)
{
    std::vector<record::Record> records;
    for (const std::string& name : names)
        records.push_back(record::read(fixture(name)));
    return records;
}

std::vector<std::string> labels_of(const std::vector<Tick>& ticks)
{
    std::vector<std::string> labels;
    for (const Tick& tick : ticks)
        labels.push_back(tick.label);
    return labels;
}

std::string content(const std::filesystem::path& file)
{
    std::stringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

int plot_status(std::vector<const char*> arguments)
{
    arguments.insert(arguments.begin(), "tutti-bench plot");
    return run_plot(static_cast<int>(arguments.size()), arguments.data());
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("numbers are written as people read them", "[benchmarks]")
{
    CHECK(size_text(1) == "1");
    CHECK(size_text(512) == "512");
    CHECK(size_text(65536) == "64 KiB");
    CHECK(size_text(1.5 * 1024 * 1024) == "1.5 MiB");
    CHECK(number_text(0.09123) == "0.0912");
    CHECK(number_text(1.2) == "1.20");
    CHECK(number_text(13.04) == "13.0");
    CHECK(number_text(13399.6) == "13400");
    CHECK(number_text(0) == "0");
    CHECK(number_text(1.5e-6) == "1.50e-06");
    CHECK(unit_text("us") == "\u00b5s");
    CHECK(unit_text("MB/s") == "MB/s");
    CHECK(job_text(1, 1, "none") == "1 rank");
    CHECK(job_text(8, 2, "core") == "8 ranks on 2 hosts, bound to cores");
}

TEST_CASE("ticks hold the values between them", "[benchmarks]")
{
    CHECK(labels_of(value_ticks(0.3, 0.45)) == Words{"0.2", "0.5"});
    CHECK(labels_of(value_ticks(12, 90)) == Words{"10", "20", "50", "100"});
    CHECK(labels_of(value_ticks(12, 2e6)) ==
          Words{"10", "", "", "100", "", "", "1000", "", "", "10000", "", "", "100000", "", "", "1 M", ""});
    CHECK(labels_of(value_ticks(5, 5)) == Words{"5", "10"});
    CHECK(labels_of(key_ticks(1, 4194304, true)) ==
          Words{"1", "8", "64", "512", "4 KiB", "32 KiB", "256 KiB", "2 MiB"});
    CHECK(labels_of(key_ticks(2, 16, false)) == Words{"2", "4", "8", "16"});
    CHECK(labels_of(key_ticks(64, 64, true)) == Words{"64"});
}

TEST_CASE("each case of a comparison has its chart", "[benchmarks]")
{
    const std::vector<record::Record> records = read_fixtures({"comparison.json"});
    const std::vector<Topic> topics = topics_of(records);
    Words names;
    for (const Topic& topic : topics)
        names.push_back(topic.name);
    CHECK(names == Words{"latency-2", "bw-2", "broadcast-2", "allreduce-8", "barrier-8", "reduce-op-1"});

    const std::vector<Chart> latency = charts_of(topics[0]);
    REQUIRE(latency.size() == 1);
    CHECK(latency[0].title == "Latency Test, 2 ranks, bound to cores");
    CHECK(latency[0].value_axis == "Latency (\u00b5s), lower is better");
    REQUIRE(latency[0].curves.size() == 3);
    CHECK(latency[0].curves[0].name == "Tutti 0.1.0");
    CHECK(latency[0].curves[0].points.size() == 9);
    REQUIRE(latency[0].limits.size() == 2);
    CHECK(latency[0].limits[0].name == "limit: cache line trip");
    CHECK(latency[0].limits[0].points.size() == 3);

    // MPICH, which has no row, has no curve, and Gloo the style that it has elsewhere.
    const std::vector<Chart> allreduce = charts_of(topics[3]);
    REQUIRE(allreduce[0].curves.size() == 3);
    CHECK(allreduce[0].curves[2].name == "Gloo 0.5.0");
    CHECK(allreduce[0].curves[2].style == 3);

    const std::vector<Chart> barrier = charts_of(topics[4]);
    CHECK(barrier[0].dots);
    CHECK(labels_of(barrier[0].key_ticks) == Words{"Tutti 0.1.0", "Open MPI 4.1.4"});

    const std::vector<Chart> operators = charts_of(topics[5]);
    REQUIRE(operators.size() == 1);
    CHECK(operators[0].dots);
    CHECK(operators[0].key_ticks.size() == 12);
    CHECK(operators[0].key_ticks[1].label == "sum float64");
}

TEST_CASE("runs of one benchmark share a chart and are told apart", "[benchmarks]")
{
    std::vector<record::Record> records = read_fixtures({"run_mpich.json", "run_tutti.json"});
    CHECK(topics_of(records).at(0).series[1].name == "Tutti 0.1.0");
    CHECK(topics_of(records).at(0).name == "latency-2");

    std::get<record::Run>(records[0]).library = "Tutti 0.1.0";
    CHECK(topics_of(records).at(0).series[0].name == "Tutti 0.1.0, run_mpich");
    CHECK(topics_of(records).at(0).series[1].name == "Tutti 0.1.0, run_tutti");
    const std::vector<Chart> same_library = charts_of(topics_of(records).at(0));
    CHECK(same_library[0].curves[0].style == 0);
    CHECK(same_library[0].curves[1].style == 1);

    std::get<record::Run>(records[0]).quantity.ranks = 4;
    const std::vector<Topic> two_jobs = topics_of(records);
    CHECK(two_jobs.at(0).name == "latency");
    CHECK(two_jobs.at(0).series[0].name == "Tutti 0.1.0, 4 ranks");

    std::get<record::Run>(records[0]).quantity.unit = "s";
    CHECK(topics_of(records).size() == 2);
}

TEST_CASE("rows with labels become curves where there are more sizes than labels", "[benchmarks]")
{
    Topic topic;
    topic.name = "matching-2";
    topic.quantity.value = "Time";
    topic.quantity.labels = {"Mode"};
    Figures series{"Tutti", "tutti", {}};
    for (const char* const mode : {"posted", "wildcard"}) {
        for (const double depth : {0.0, 1.0, 10.0})
            series.rows.push_back({depth, {mode}, {depth + 1, {depth, depth + 2}}});
    }
    topic.series.push_back(series);
    const std::vector<Chart> charts = charts_of(topic);
    REQUIRE(charts.size() == 1);
    CHECK_FALSE(charts[0].dots);
    REQUIRE(charts[0].curves.size() == 2);
    CHECK(charts[0].curves[1].name == "Tutti, wildcard");
    CHECK(charts[0].curves[0].points.size() == 2);  // a logarithm of 0 there is not

    for (FiguresRow& row : topic.series[0].rows)
        row.key = row.key == 10.0 ? 33554432.0 : 1.0;
    const std::vector<Chart> dots = charts_of(topic);
    REQUIRE(dots.size() == 2);
    CHECK(dots[0].dots);
    CHECK(dots[0].name == "matching-2-1");
    CHECK(dots[1].name == "matching-2-33554432");

    for (FiguresRow& row : topic.series[0].rows)
        row.measured.median = 0.0;
    CHECK(charts_of(topic).empty());
    topic.series.clear();
    CHECK(charts_of(topic).empty());
}

TEST_CASE("a script for gnuplot has the axes, the data, bands and limits", "[benchmarks]")
{
    const std::vector<record::Record> records = read_fixtures({"comparison.json"});
    const std::vector<Topic> topics = topics_of(records);
    const Chart chart = charts_of(topics[0]).at(0);
    const std::string script = gnuplot_script(chart, Picture::svg);
    CHECK(contains(script, "set terminal svg "));
    CHECK(contains(script, "set title 'Latency Test, 2 ranks, bound to cores'\n"));
    CHECK(contains(script, "set logscale xy\n"));
    CHECK(contains(script, "set xtics ('1' 1, '8' 8, "));
    CHECK(contains(script, "set ylabel 'Latency (\u00b5s), lower is better'\n"));
    CHECK(contains(script, "$curve0 << END\n1 0.08502 0.08332 0.08672\n"));
    CHECK(contains(script, "$curve0 using 1:3:4 with filledcurves"));
    CHECK(contains(script, "title 'MPICH 4.0.2'"));
    CHECK(contains(script, "title 'limit: memory copy'"));
    CHECK(contains(gnuplot_script(chart, Picture::png), "set terminal pngcairo "));
    CHECK_FALSE(contains(gnuplot_script(chart, Picture::inline_svg), "set title"));

    const std::string dots = gnuplot_script(charts_of(topics[4]).at(0), Picture::svg);
    CHECK(contains(dots, "set logscale x\n"));
    CHECK(contains(dots, "with xerrorbars"));
    CHECK(contains(dots, "set ytics ('Tutti 0.1.0' 0, 'Open MPI 4.1.4' 1)"));
    CHECK(contains(dots, "unset key\n"));
}

TEST_CASE("texts of charts are neither run nor formatted by gnuplot", "[benchmarks]")
{
    CHECK(gnuplot_quoted("it's") == "'it\u2019s'");
    CHECK(gnuplot_quoted("a\nplot x\t'") == "'a plot x \u2019'");
    if (lacks_gnuplot())
        return;

    const TemporaryFolder folder;
    const std::string made = (folder.path() / "made").string();
    Chart chart;
    chart.title = "`touch " + made + "` \n system('touch " + made + "') @x {/Bold y}";
    chart.key_axis = "'; system 'touch " + made + "' #";
    chart.value_axis = "<b>";
    chart.curves = {{"a'b\\", 0, {{1, 1, 1, 1}, {2, 2, 2, 2}}}};
    chart.key_ticks = key_ticks(1, 2, true);
    chart.value_ticks = value_ticks(1, 2);
    const std::string svg = run_gnuplot(gnuplot_script(chart, Picture::svg));
    CHECK(contains(svg, "`touch " + made + "`"));
    CHECK(contains(svg, "@x {/Bold y}"));
    CHECK(contains(svg, "&lt;b"));
    CHECK(contains(svg, "a\u2019b\\"));
    CHECK_FALSE(std::filesystem::exists(made));
    CHECK_THROWS_WITH(run_gnuplot("set nothing at all\n"), Catch::StartsWith("gnuplot failed: "));
}

TEST_CASE("where gnuplot is missing the remedy is said", "[benchmarks]")
{
    const std::string path = std::getenv("PATH");
    setenv("PATH", "/nowhere", 1);
    std::string complaint;
    try {
        run_gnuplot("");
    } catch (const std::runtime_error& error) {
        complaint = error.what();
    }
    setenv("PATH", path.c_str(), 1);
    CHECK(complaint == "gnuplot is not installed; on Debian: apt-get install gnuplot-nox");
}

TEST_CASE("plot writes pictures into a folder or one file", "[benchmarks]")
{
    if (lacks_gnuplot())
        return;
    const TemporaryFolder folder;
    const std::string comparison = fixture("comparison.json");
    const std::string pictures = (folder.path() / "new/pictures").string();
    CHECK(plot_status({comparison.c_str(), "-o", pictures.c_str(), "--only", "latency,barrier-8"}) == 0);
    CHECK(content(pictures + "/latency-2.png").starts_with("\x89PNG\r\n\x1a\n"));
    CHECK(content(pictures + "/latency-2.svg").starts_with("<?xml"));
    CHECK(contains(content(pictures + "/barrier-8.svg"), "Barrier Latency Test"));
    const std::filesystem::directory_iterator files(pictures);
    CHECK(std::distance(begin(files), end(files)) == 4);

    const std::string one = (folder.path() / "one.svg").string();
    const std::string run = fixture("run_tutti.json"), other = fixture("run_mpich.json");
    CHECK(plot_status({run.c_str(), other.c_str(), "-o", one.c_str()}) == 0);
    CHECK(contains(content(one), "MPICH 4.0.2"));
}

TEST_CASE("plot tells mistakes from failures", "[benchmarks]")
{
    const TemporaryFolder folder;
    const std::string output = (folder.path() / "out.svg").string();
    const std::string comparison = fixture("comparison.json");
    const std::string broken = (folder.path() / "broken.json").string();
    std::ofstream(broken) << R"({"format": "tutti-bench-run", "version": 1})";
    CHECK(plot_status({"--help"}) == 0);
    CHECK(plot_status({}) == 2);
    CHECK(plot_status({"/nowhere.json", "-o", output.c_str()}) == 2);
    CHECK(plot_status({comparison.c_str()}) == 2);
    CHECK(plot_status({comparison.c_str(), "-o", output.c_str()}) == 2);  // six charts, one file
    CHECK(plot_status({comparison.c_str(), "-o", output.c_str(), "--only", "nothing"}) == 2);
    CHECK(plot_status({comparison.c_str(), "-o", output.c_str(), "--format", "gif"}) == 2);
    CHECK(plot_status({broken.c_str(), "-o", output.c_str()}) == 2);
    const std::string pdf = (folder.path() / "x.pdf").string();
    CHECK(plot_status({comparison.c_str(), "-o", pdf.c_str()}) == 2);
    CHECK_FALSE(std::filesystem::exists(pdf));
    CHECK(plot_status({comparison.c_str(), "-o", "/nowhere/out.svg", "--only", "bw"}) == 1);
    CHECK_FALSE(std::filesystem::exists(output));
}
