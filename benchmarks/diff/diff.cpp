#include "benchmarks/diff/diff.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <exception>
#include <iterator>
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
        case Change::same:
            break;
    }
    return "same";
}

std::string line(const RowChange& row)
{
    if (row.change == Change::only_before || row.change == Change::only_after)
        return fmt::format("{:<8}{}: {:.4g} {}\n", word(row.change), row.name, row.before, row.unit);
    const std::string change =
        row.before > 0 ? fmt::format(" ({:+.1f} %)", 100 * (row.after / row.before - 1)) : std::string();
    return fmt::format("{:<8}{}: {:.4g} -> {:.4g} {}{}\n", word(row.change), row.name, row.before, row.after,
                       row.unit, change);
}

std::ptrdiff_t count(const std::vector<RowChange>& rows, Change change)
{
    return std::count_if(rows.begin(), rows.end(),
                         [&](const RowChange& row) { return row.change == change; });
}

constexpr const char* kDiffExamples =
    "A and B are what --json has written: runs of one benchmark, or comparisons, of which Tutti's rows "
    "count.\n"
    "Examples:\n"
    "  tutti-bench diff before.json after.json\n"
    "  tutti-bench diff main.json branch.json --threshold 10%\n"
    "  tutti-bench diff monday.json friday.json --library openmpi\n"
    "  tutti-bench diff all.json latency.json --allow-missing\n"
    "Exit status: 0; 1 when a row got slower, has wrong bytes, or is gone; 2 when the files cannot be "
    "compared "
    "or the\n"
    "command line is mistaken.";

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
    const record::Record before = record::read(options.before);
    const record::Record after = record::read(options.after);
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
    return count(rows, Change::slower) + count(rows, Change::wrong) > 0 ? 1 : 0;
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
    for (const Change change :
         {Change::wrong, Change::slower, Change::faster, Change::only_before, Change::only_after}) {
        for (const RowChange& row : rows) {
            if (row.change == change)
                text += line(row);
        }
    }
    fmt::format_to(std::back_inserter(text),
                   "# {} slower, {} faster, {} the same within noise and {:g} %; {} gone, {} new\n",
                   count(rows, Change::slower), count(rows, Change::faster), count(rows, Change::same),
                   100 * threshold, count(rows, Change::only_before), count(rows, Change::only_after));
    return text;
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
