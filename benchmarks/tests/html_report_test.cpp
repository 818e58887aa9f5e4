// The report as HTML and Markdown: what it says, and that texts of files stay texts.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "benchmarks/plot/script.hpp"
#include "benchmarks/report/escape.hpp"
#include "benchmarks/report/facts.hpp"
#include "benchmarks/report/markdown.hpp"
#include "benchmarks/report/overview.hpp"
#include "benchmarks/report/page.hpp"
#include "benchmarks/report/picture.hpp"
#include "benchmarks/report/report_command.hpp"
#include "benchmarks/report/sections.hpp"
#include "benchmarks/tests/needs_gnuplot.hpp"
#include "benchmarks/tests/temporary_folder.hpp"

using namespace tutti::bench;

namespace {

const std::string kHostile = "<script>alert('x')</script>\" onload=\"x `rm` [a](b) | \\ _c_";

std::vector<record::Record> report_records(const std::vector<std::string>& names)
{
    std::vector<record::Record> records;
    for (const std::string& name : names)
        records.push_back(record::read(std::string(TUTTI_TEST_DATA) + "/" + name));
    return records;
}

std::string html_of(const std::vector<record::Record>& records, const DrawSvg& draw)
{
    const std::vector<Topic> topics = topics_of(records);
    return html_report({"A title", records, topics}, draw);
}

std::string draw_by_gnuplot(const Chart& chart)
{
    return run_gnuplot(gnuplot_script(chart, Picture::inline_svg));
}

bool has_text(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

// A comparison in which every text is hostile.
record::Comparison hostile_comparison()
{
    record::Comparison comparison =
        std::get<record::Comparison>(record::read(std::string(TUTTI_TEST_DATA) + "/comparison.json"));
    comparison.cases.resize(1);
    comparison.command = {kHostile, kHostile};
    comparison.environment =
        std::make_shared<const nlohmann::json>(nlohmann::json{{"processor", kHostile}, {kHostile, kHostile}});
    comparison.limits = {{kHostile, kHostile, 1.0, 1.0}};
    record::Case& one = comparison.cases[0];
    one.group = kHostile;
    one.quantity.benchmark = one.quantity.title = one.quantity.value = one.quantity.unit = kHostile;
    one.quantity.key = kHostile;
    one.quantity.labels = {kHostile};
    one.failures = {{kHostile, kHostile}};
    for (auto& [library, name] : one.library_names)
        name = kHostile;
    for (record::CaseRow& row : one.rows) {
        row.labels = {kHostile};
        row.limit_name = kHostile;
    }
    return comparison;
}

// What a browser takes for markup: tags, without what is quoted in them.
std::string markup_of(const std::string& page)
{
    std::string markup;
    char quote = '\0';
    bool in_tag = false;
    for (const char letter : page) {
        if (!in_tag)
            in_tag = letter == '<';
        else if (quote != '\0')
            quote = letter == quote ? '\0' : quote;
        else if (letter == '"' || letter == '\'')
            quote = letter;
        else
            in_tag = letter != '>';
        if (in_tag && quote == '\0')
            markup += letter;
    }
    return markup;
}

int report_status(std::vector<const char*> arguments)
{
    arguments.insert(arguments.begin(), "tutti-bench report");
    return run_report(static_cast<int>(arguments.size()), arguments.data());
}

}  // namespace

TEST_CASE("texts are escaped for markup and shells", "[benchmarks]")
{
    CHECK(html_text("<a href=\"x\">'&'") == "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;");
    CHECK(markdown_text("a|b\n<i> *c* [d](e) `f` \\") == "a\\|b &lt;i> \\*c\\* \\[d\\](e) \\`f\\` \\\\");
    CHECK(command_text({"/secret/folder/tutti-bench", "--only", "a b", "it's", ""}) ==
          "tutti-bench --only 'a b' 'it'\\''s' ''");
    CHECK(command_text({}).empty());
}

TEST_CASE("the environment is reported in words, known facts first", "[benchmarks]")
{
    const Facts facts = facts_of({{"memory_bytes", 8589934592},
                                  {"other", {"0", "1"}},
                                  {"turbo", nullptr},
                                  {"sanitizers", nlohmann::json::array()},
                                  {"virtual_machine", false},
                                  {"processor", "A CPU"}});
    CHECK(facts ==
          Facts{{"Processor", "A CPU"}, {"Memory", "8 GiB"}, {"Virtual machine", "no"}, {"other", "0, 1"}});
    CHECK(facts_of(nullptr).empty());
}

TEST_CASE("the overview counts rows and sorts them, the worst first", "[benchmarks]")
{
    const std::vector<record::Record> records = report_records({"comparison.json", "run_mpich.json"});
    const std::vector<Topic> topics = topics_of(records);
    const Overview overview = overview_of(topics);
    CHECK(overview.tally.faster == 35);
    CHECK(overview.tally.same == 8);
    CHECK(overview.tally.slower == 6);
    CHECK(overview.tally.alone == 0);
    REQUIRE(overview.cases.size() == 6);
    CHECK(overview.cases[2].second.slower == 2);
    CHECK(*overview.cases[4].second.advantage() == Approx(31.0 / 11.2).epsilon(0.001));
    REQUIRE(overview.worst.size() == 49);
    for (const auto& standing : overview.worst)  // in one direction, of times and of rates
        CHECK((standing.row->verdict == "slower" ? standing.cost > 1
                                                 : standing.row->verdict != "faster" || standing.cost < 1));
    CHECK(overview.worst[0].topic->name == "reduce-op-1");
    CHECK(overview.worst[0].row->labels[1] == "float32");
    CHECK(overview.worst[0].cost == Approx(1 / 0.93).epsilon(0.001));
    CHECK(overview.worst[5].row->verdict == "slower");
    CHECK(overview.worst[6].row->verdict == "same");
    CHECK(sentence(overview.tally) == "35 of 49 rows are faster than the best peer, 8 the same, 6 slower.");
    CHECK(sentence({}) == "No row has been compared with a peer.");
    CHECK(sentence({.faster = 1, .same = 0, .slower = 0, .undecided = 2, .alone = 3}) ==
          "1 of 1 rows are faster than the best peer, 0 the same, 0 slower. 2 are undecided: they need more "
          "runs. 3 have no peer.");
    CHECK_FALSE(Tally{}.advantage().has_value());
}

TEST_CASE("tables have what was measured, and no column of nothing", "[benchmarks]")
{
    const std::vector<record::Record> records =
        report_records({"comparison.json", "run_mpich.json", "run_tutti.json"});
    const std::vector<Topic> topics = topics_of(records);
    const tutti::bench::ReportTable latency = tables_of(topics[0]).at(0);
    CHECK(latency.columns == std::vector<std::string>{"Size", "Tutti 0.1.0", "Open MPI 4.1.4", "MPICH 4.0.2",
                                                      "Ratio", "Tutti is", "Of the limit"});
    REQUIRE(latency.rows.size() == 9);
    CHECK(latency.rows[0][1].text == "0.0850");
    CHECK(latency.rows[0][1].detail == "0.0833\u20130.0867");
    CHECK(latency.rows[0][4].text == "0.500");
    CHECK(latency.rows[0][5].text == "faster");
    CHECK(latency.rows[0][5].detail == "than Open MPI 4.1.4");
    CHECK(latency.rows[0][5].tone == Tone::good);
    CHECK(latency.rows[0][6].text == "75 %");
    CHECK(latency.rows[4][0].text == "4 KiB");

    const tutti::bench::ReportTable allreduce = tables_of(topics[3]).at(0);
    CHECK(allreduce.columns == std::vector<std::string>{"Size", "Tutti 0.1.0", "Open MPI 4.1.4", "Gloo 0.5.0",
                                                        "Ratio", "Tutti is"});
    REQUIRE(allreduce.notes.size() == 1);
    CHECK(allreduce.notes[0].starts_with("MPICH 4.0.2: took longer than 20 s"));

    const tutti::bench::ReportTable bandwidth = tables_of(topics[1]).at(0);
    REQUIRE_FALSE(topics[1].quantity.lower_is_better);
    for (const auto& row : bandwidth.rows)
        CHECK((row[5].text == "faster") == (std::stod(row[4].text) < 1 && row[5].text != "same"));

    const tutti::bench::ReportTable limits = limits_table(std::get<record::Comparison>(records[0]).limits);
    CHECK(limits.columns ==
          std::vector<std::string>{"Size", "cache line trip (\u00b5s)", "memory copy (MB/s)"});
    REQUIRE(limits.rows.size() == 3);
    CHECK(limits.rows[0][0].text.empty());
    CHECK(limits.rows[0][1].text == "0.0640");
    CHECK(limits.rows[1][0].text == "64 KiB");
    CHECK(limits.rows[1][1].text.empty());
    CHECK(limits.rows[1][2].text == "52000");

    const std::vector<tutti::bench::ReportTable> runs = tables_of(topics[6]);
    REQUIRE(runs.size() == 2);
    CHECK(runs[0].columns == std::vector<std::string>{"Size", "Median", "Min", "90 %", "99 %", "99.9 %",
                                                      "Max", "Iterations", "Outliers", "Valid"});
    CHECK(runs[0].rows[4][1].text.ends_with("*"));  // wider than asked
    CHECK(runs[0].notes.size() == 1);
    CHECK(runs[0].rows[0][9].text == "yes");
    CHECK(runs[0].rows[8][9].text.empty());
}

TEST_CASE("both kinds of memory stand beside each other, with what they are to be read with", "[benchmarks]")
{
    std::ifstream stream(std::string(TUTTI_TEST_DATA) + "/comparison.json");
    nlohmann::json document = nlohmann::json::parse(stream);
    document["cases"].erase(document["cases"].begin() + 1, document["cases"].end());
    nlohmann::json& one = document["cases"][0];
    one.update({{"memory", "malloc"}, {"touched", true}, {"others_share", 0.034}});
    for (nlohmann::json& row : one["rows"])
        row["allocated"] = {{"ratio", 0.25}, {"ratio_low", 0.2}, {"ratio_high", 0.3}, {"verdict", "faster"}};
    const std::vector<record::Record> records = {record::parse(document, "both.json")};
    const std::vector<Topic> topics = topics_of(records);
    const tutti::bench::ReportTable table = tables_of(topics[0]).at(0);
    CHECK(table.columns == std::vector<std::string>{"Size", "Tutti 0.1.0", "Open MPI 4.1.4", "MPICH 4.0.2",
                                                    "Ratio", "Tutti is", "Of the limit", "Ratio, allocate",
                                                    "Tutti is, allocate"});
    CHECK(table.rows[0][4].text == "0.500");
    CHECK(table.rows[0][7].text == "0.250");
    CHECK(table.rows[0][7].detail == "0.200\u20130.300");
    CHECK(table.rows[0][8].detail == "than Open MPI 4.1.4");
    REQUIRE(table.notes.size() == 1);
    CHECK(table.notes[0] ==
          "Other programs had 3 % of the cores meanwhile. Buffers of malloc, written before each "
          "iteration and read after it.");
    CHECK_THAT(
        summary_of(overview_of(topics)),
        Catch::Contains("Out of tutti::allocate: 9 of 9 rows are faster than the best peer, 0 the same"));
}

TEST_CASE("a report as HTML has summary, environment, pictures and tables", "[benchmarks]")
{
    const std::vector<record::Record> records =
        report_records({"comparison.json", "run_mpich.json", "run_tutti.json"});
    int drawn = 0;
    const std::string page = html_of(records, [&](const Chart& chart) {
        ++drawn;
        return "<?xml?>\n<svg \n viewBox=\"0 0 8 4\"\n>\n<title>t</title><g id='gpPt1'><text>" + chart.name +
               "</text></g></svg>";
    });
    CHECK(drawn == 6);  // the barrier's one row needs none
    CHECK(page.starts_with("<!DOCTYPE html>"));
    CHECK(has_text(page, "<title>A title</title>"));
    CHECK(has_text(page, "35 of 49 rows are faster"));
    CHECK(has_text(page, "<dt>Kernel</dt><dd>Linux 6.1.0</dd>"));
    CHECK(has_text(page, "tutti-bench compare --ranks 2,8"));
    CHECK(has_text(page, "<a href=\"#case-allreduce-8\">Allreduce Latency Test, 8 ranks</a>"));
    CHECK(has_text(page, "<h3 id=\"case-allreduce-8\">Allreduce Latency Test, 8 ranks</h3>"));
    CHECK(has_text(page, "viewBox=\"0 0 8 4\""));
    CHECK(has_text(page, "<g id='bw-2-gpPt1'>"));
    CHECK(has_text(page, "MPICH 4.0.2: took longer than 20 s"));
    CHECK_FALSE(has_text(page, "<?xml"));
    CHECK_FALSE(has_text(html_of(records, {}), "<svg"));
}

TEST_CASE("texts of files do not become markup of a report", "[benchmarks]")
{
    if (lacks_gnuplot())
        return;
    const std::vector<record::Record> records = {hostile_comparison()};
    const std::string page = html_of(records, draw_by_gnuplot);
    CHECK(has_text(page, "&lt;script&gt;alert(&#39;x&#39;)"));
    CHECK(has_text(page, "<svg class=\"picture\""));
    const std::string markup = markup_of(page);
    CHECK(has_text(markup, "<table"));
    CHECK_FALSE(has_text(markup, "script"));
    CHECK_FALSE(has_text(markup, "onload"));
    const std::vector<Topic> topics = topics_of(records);
    CHECK(topics[0].name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_-0123456789") == std::string::npos);
    const std::string markdown = markdown_report({kHostile, records, topics}, "pictures");
    CHECK(has_text(markdown, "&lt;script>alert"));
    std::istringstream lines(markdown);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("    "))  // code: the command
            CHECK_FALSE(has_text(line, "<script"));
    }
}

TEST_CASE("a report of nothing says so", "[benchmarks]")
{
    record::Comparison nothing;
    nothing.environment = nullptr;
    const std::vector<record::Record> records = {nothing};
    const std::vector<Topic> topics;
    CHECK(has_text(html_of(records, draw_by_gnuplot), "No row has been compared with a peer."));
    CHECK(
        markdown_report({"Nothing", records, topics}, "").starts_with("# Nothing\n\n## How to read this\n"));
}

TEST_CASE("a picture becomes a part of a page", "[benchmarks]")
{
    const std::string fitted = fitted_picture(
        "<?xml version='1'?><svg \n viewBox=\"0 0 1 2\" xmlns='x'>\n<title>a</title><filter id='f'>b</filter>"
        "<g fill=\"none\">\n</g>\n<g><use xlink:href='#gpPt1'/><path id='gpPt1'/></g></svg>\n",
        "one", "a <label>");
    CHECK(fitted ==
          "<svg class=\"picture\" role=\"img\" aria-label=\"a &lt;label&gt;\" viewBox=\"0 0 1 2\">\n"
          "<g><use xlink:href='#one-gpPt1'/><path id='one-gpPt1'/></g></svg>\n");
    CHECK_THROWS_AS(fitted_picture("<p>", "one", ""), std::runtime_error);
    CHECK(has_text(picture_style(), ".picture [stroke=\"rgb(  0, 114, 178)\"] { stroke: var(--curve0); }"));
}

TEST_CASE("report writes HTML, and Markdown with pictures beside it", "[benchmarks]")
{
    if (lacks_gnuplot())
        return;
    const TemporaryFolder folder;
    const std::string comparison = std::string(TUTTI_TEST_DATA) + "/comparison.json";
    const std::string html = (folder.path() / "r.html").string();
    const std::string markdown = (folder.path() / "r.md").string();
    CHECK(report_status({comparison.c_str(), "-o", markdown.c_str()}) == 0);
    CHECK(std::filesystem::exists(folder.path() / "r/latency-2.svg"));
    CHECK_FALSE(std::filesystem::exists(folder.path() / "r/barrier-8.svg"));
    std::stringstream text;
    text << std::ifstream(markdown).rdbuf();
    CHECK(has_text(text.str(), "![Latency Test, 2 ranks, bound to cores](<r/latency-2.svg>)"));
    CHECK(has_text(text.str(), "| 1 | 0.0850 (0.0833\u20130.0867) |"));
    CHECK(has_text(text.str(), "**slower (than Open MPI 4.1.4)**"));

    CHECK(report_status({comparison.c_str(), "-o", html.c_str(), "--no-plots", "--title", "Mine"}) == 0);
    CHECK(std::filesystem::file_size(html) > 10000);
    CHECK(report_status({"--help"}) == 0);
    CHECK(report_status({comparison.c_str(), "-o", "report.pdf"}) == 2);
    CHECK(report_status({comparison.c_str()}) == 2);
    CHECK(report_status({"/nowhere.json", "-o", html.c_str()}) == 2);
    CHECK(report_status({html.c_str(), "-o", html.c_str()}) == 2);
    CHECK(report_status({comparison.c_str(), "-o", "/nowhere/r.html", "--no-plots"}) == 1);

    const std::string nothing = (folder.path() / "nothing.json").string();
    const std::string page = (folder.path() / "nothing.html").string();
    nlohmann::json document = nlohmann::json::parse(std::ifstream(comparison));
    document["cases"] = nlohmann::json::array();
    std::ofstream(nothing) << document;
    CHECK(report_status({nothing.c_str(), "-o", page.c_str()}) == 1);
    CHECK_FALSE(std::filesystem::exists(page));
}

TEST_CASE("what figures suffer from stands on top of a report", "[benchmarks]")
{
    record::Comparison comparison =
        std::get<record::Comparison>(record::read(std::string(TUTTI_TEST_DATA) + "/comparison.json"));
    comparison.cases[0].others_share = 0.37;
    comparison.cases[0].rows[0].share = 1.3;
    comparison.cases[0].rows[0].libraries.at("tutti").trips_ns = {25, 26, 250};
    const std::vector<std::string> found = admissions({comparison});
    REQUIRE(found.size() == 3);
    CHECK(found[0] == "Other programs had up to 37 % of the cores while it was measured.");
    CHECK_THAT(found[1], Catch::StartsWith("Rows beyond the limit of the machine: 1,"));
    CHECK(found[2] ==
          "1 of 3 runs were taken in another mode of the machine, in which cores are not 26 ns apart as "
          "usual.");
    CHECK(admissions({record::Run{}}).empty());
}
