#include "benchmarks/diff/diff.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <exception>
#include <stdexcept>

#include "benchmarks/peers/contender.hpp"

namespace tutti::bench {

namespace {

const char* word(Change change)
{
    switch (change) {
        case Change::slower:
            return "slower";
        case Change::faster:
            return "faster";
        case Change::wrong:
            return "WRONG";
        case Change::only_before:
            return "gone";
        case Change::only_after:
            return "new";
        case Change::undecided:
            return "unclear";
        case Change::same:
            break;
    }
    return "same";
}

std::string percent(double ratio)
{
    return fmt::format("{:+.1f} %", 100 * (ratio - 1));
}

std::string interval_text(const RowChange& row)
{
    if (!row.shift || !row.shift->interval)
        return "";
    const Interval& interval = *row.shift->interval;
    return fmt::format("; with 99 % {} to {}", percent(interval.low), percent(interval.high));
}

std::string line(const RowChange& row)
{
    if (row.change == Change::only_before || row.change == Change::only_after)
        return fmt::format("{:<8}{}: {:.4g} {}\n", word(row.change), row.name, row.before, row.unit);
    std::string how_much;
    if (row.before > 0)
        how_much = fmt::format(" ({}{})", percent(row.after / row.before), interval_text(row));
    return fmt::format("{:<8}{}: {:.4g} -> {:.4g} {}{}\n", word(row.change), row.name, row.before, row.after,
                       row.unit, how_much);
}

std::ptrdiff_t count(const std::vector<RowChange>& rows, Change change)
{
    return std::count_if(rows.begin(), rows.end(),
                         [&](const RowChange& row) { return row.change == change; });
}

// Rows with too few starts, and rows whose starts differ too much.
std::string why_undecided(const std::vector<RowChange>& rows, double threshold)
{
    const RowChange* few = nullptr;
    std::ptrdiff_t wide = count(rows, Change::undecided);
    for (const RowChange& row : rows) {
        if (row.change != Change::undecided || row.shift->interval)
            continue;
        few = &row;
        --wide;
    }
    std::string text;
    if (few != nullptr)
        text += fmt::format(
            "# Too few starts of the program to decide by ({} before, {} after; {} of each are the least): "
            "give folders of files\n",
            few->starts_before, few->starts_after, kLeastStarts);
    const auto most = std::ranges::max_element(rows, {}, &RowChange::left_out);
    if (most != rows.end() && most->left_out > 0)
        text += fmt::format(
            "# Up to {} starts a row are left out: cores were not as far apart as at most starts before\n",
            most->left_out);
    if (wide > 0)
        text += fmt::format(
            "# {} undecided, because starts differ too much to know {:g} %: measure more of them, on a "
            "machine "
            "with nothing else to do\n",
            wide, 100 * threshold);
    return text;
}

constexpr const char* kDiffExamples =
    "A and B are what --json has written, runs of one benchmark or comparisons, of which Tutti's rows\n"
    "count; what OSU's or Intel's (IMB) programs print; or folders of such files, *.json and *.txt.\n"
    "Each run is one start of the program, also of several in one text; a comparison has one a round.\n"
    "A single start decides nothing: five on either side are the least, nine bear one that was disturbed.\n"
    "Examples:\n"
    "  for i in 1 2 3 4 5; do tuttirun -n 2 tutti-bench latency --json before/$i.json; done\n"
    "  tutti-bench diff before after\n"
    "  tutti-bench diff main.json branch.json --threshold 10%\n"
    "  tutti-bench diff monday.json friday.json --library openmpi\n"
    "  tutti-bench diff all.json latency.json --allow-missing\n"
    "Exit status: 0; 1 when a row got slower, has wrong bytes, or is gone; 2 when nothing can be decided, "
    "the\n"
    "files cannot be compared, or the command line is mistaken.";

struct DiffOptions {
    std::string before;
    std::string after;
    std::string threshold = "5%";
    std::string library = "tutti";
    bool allow_missing = false;
};

int diff(const DiffOptions& options)
{
    const double threshold = parse_threshold(options.threshold);
    const std::vector<record::Record> before = record::read_all(options.before);
    const std::vector<record::Record> after = record::read_all(options.after);
    const std::vector<RowChange> rows =
        changes(series_of(before, options.library), series_of(after, options.library), threshold);
    for (const std::string& sentence : differing_circumstances(before, after))
        fmt::print(stderr, "tutti-bench diff: warning: other circumstances: {}\n", sentence);
    fmt::print("{}", diff_text(rows, threshold));

    const std::ptrdiff_t gone = count(rows, Change::only_before);
    if (gone + count(rows, Change::only_after) == std::ssize(rows))
        throw NotComparable("they have no row in common");
    if (gone > 0 && !options.allow_missing) {
        fmt::print(stderr,
                   "tutti-bench diff: {}: {} of the rows of {} are gone; where that is meant, say "
                   "--allow-missing\n",
                   options.after, gone, options.before);
        return 1;
    }
    if (count(rows, Change::slower) + count(rows, Change::wrong) > 0)
        return 1;
    const bool decided = std::ranges::any_of(
        rows, [](const RowChange& row) { return row.shift.has_value() && row.shift->interval.has_value(); });
    return decided ? 0 : 2;
}

}  // namespace

double parse_threshold(const std::string& text)
{
    const char* end = text.data() + text.size();
    double percent = 0.0;
    const auto [rest, error] = std::from_chars(text.data(), end, percent);
    const bool whole = rest == end || (rest + 1 == end && *rest == '%');
    if (error != std::errc{} || !whole || !std::isfinite(percent) || percent < 0)
        throw std::invalid_argument(
            fmt::format("'{}' is no share of 0 % or more: write for example 5%", text));
    return percent / 100;
}

std::string diff_text(const std::vector<RowChange>& rows, double threshold)
{
    std::string text;
    for (const Change change : {Change::wrong, Change::slower, Change::faster, Change::undecided,
                                Change::only_before, Change::only_after}) {
        for (const RowChange& row : rows) {
            if (row.change == change)
                text += line(row);
        }
    }
    text += fmt::format("# {} slower, {} faster, {} the same but for {:g} %, {} undecided; {} gone, {} new\n",
                        count(rows, Change::slower), count(rows, Change::faster), count(rows, Change::same),
                        100 * threshold, count(rows, Change::undecided), count(rows, Change::only_before),
                        count(rows, Change::only_after));
    return text + why_undecided(rows, threshold);
}

namespace {

std::string is_library(const std::string& word)
{
    if (word == "tutti" || word == kAllocated)
        return {};
    try {
        parse_peer(word);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return {};
}

}  // namespace

int run_diff(int argc, const char* const* argv)
{
    CLI::App app{"Says which rows of B are slower than those of A, beyond noise.", "tutti-bench diff"};
    app.footer(kDiffExamples);
    DiffOptions options;
    app.add_option("A", options.before, "Results from before")->required();
    app.add_option("B", options.after, "Results from after")->required();
    app.add_option("--threshold", options.threshold, "Smaller changes do not count (5%)")
        ->type_name("PERCENT");
    app.add_option(
           "--library", options.library,
           "Whose rows of a comparison: tutti, tutti:allocate, or a peer as --peers named it: mpich:tuned")
        ->type_name("NAME")
        ->check(is_library);
    app.add_flag("--allow-missing", options.allow_missing, "Rows of A that B lacks are no failure");
    try {
        app.parse(argc, argv);
        return diff(options);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::invalid_argument& error) {
        fmt::print(stderr, "tutti-bench diff: --threshold: {}\n", error.what());
    } catch (const NotComparable& error) {
        fmt::print(stderr, "tutti-bench diff: {} and {}: {}\n", options.before, options.after, error.what());
    } catch (const std::exception& error) {
        fmt::print(stderr, "tutti-bench diff: {}\n", error.what());
    }
    return 2;
}

}  // namespace tutti::bench
