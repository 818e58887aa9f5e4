#include "benchmarks/suite/command_line/suite_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "benchmarks/suite/command_line/benchmark_options.hpp"
#include "benchmarks/suite/command_line/one_sided_options.hpp"
#include "benchmarks/suite/command_line/osu_options.hpp"
#include "benchmarks/suite/command_line/size_range.hpp"
#include "lib/foundation/reduction/types.hpp"

namespace tutti::bench {

namespace {

std::vector<std::string> names_of_ops()
{
    return {std::begin(reduction::kOpNames), std::end(reduction::kOpNames)};
}

std::vector<std::string> names_of_types()
{
    std::vector<std::string> names;
    for (const DataType type : reduction::all_types())
        names.push_back(reduction::to_string(type));
    return names;
}

// -x allows any number of untimed iterations, -i at least one.
void add_budget(CLI::App* sub, Budget& budget)
{
    sub->add_option("-i,--iterations", budget.iterations,
                    "Exactly N iterations (unless given: until the median is known to --precision)")
        ->check(CLI::Range(1, 1000000000));
    sub->add_option("-x,--warmup", budget.warmup, "Exactly N untimed iterations before them")
        ->check(CLI::Range(0, 1000000000));
    sub->add_option_function<double>(
           "--precision", [&budget](double percent) { budget.precision = percent / 100.0; },
           "Repeat until half the width of the median's 95 % interval is N % of the median (1) ...")
        ->type_name("PERCENT")
        ->check(CLI::Range(0.001, 1000.0));
    sub->add_option("--seconds", budget.seconds, "... or a row has taken so long (1)")
        ->check(CLI::Range(0.001, 86400.0));
}

// Without a value: the percentiles that OSU shows.
std::vector<double> parse_percents(const std::string& text)
{
    if (text.empty())
        return {50, 90, 99};
    std::vector<double> percents;
    for (const std::string& word : CLI::detail::split(text, ',')) {
        double percent = 0.0;
        if (!CLI::detail::lexical_cast(word, percent) || percent < 0.1 || percent > 99.9)
            throw CLI::ValidationError(
                "-z",
                fmt::format("'{}' is no percentile between 0.1 and 99.9: write for example -z90,99.9", word));
        percents.push_back(percent);
    }
    return percents;
}

void add_output(CLI::App* sub, SuiteOptions& options)
{
    sub->add_flag("-f,--full", options.full, "Also show the ranks' smallest and largest median");
    sub->add_option_function<std::string>(
           "-z,--tail-lat", [&options](const std::string& text) { options.tails = parse_percents(text); },
           "Also show the percentiles 50, 90 and 99, or those given: -z90,99.9")
        ->type_name("PERCENT,...")
        ->expected(0, 1);
    sub->add_flag("-U,--uncertainty", options.interval, "Also show the median's 95 % interval, and outliers");
    sub->add_option("--json", options.json_file, "Write all of it to this file, too")->type_name("FILE");
    sub->add_option("--csv", options.csv_file, "Write a line a row to this file")->type_name("FILE");
}

void add_sizes(CLI::App* sub, SuiteOptions& options)
{
    sub->add_option("-m,--message-size", options.sizes, "MIN:MAX, MAX or MIN:, bytes, or with K, M, G")
        ->type_name("SIZES");
    sub->add_option("--growth", options.growth, "From each size to the next: by this factor")
        ->check(CLI::Range(2, 1000000));
}

void add_collective_options(CLI::App* sub, SuiteOptions& options, Collective collective)
{
    if (may_be_in_place(collective))
        sub->add_flag("-l,--in-place", options.in_place, "Input and output in one buffer");
}

void add_keyed(CLI::App* sub, SuiteOptions& options, const Benchmark& benchmark)
{
    const CLI::Range several(std::size_t{1}, std::size_t{1} << 40);
    if (has_rows(benchmark)) {
        sub->add_option("--rows", options.rows, "Rows that each rank names in a call (256)")->check(several);
        sub->add_option("--table", options.table_rows,
                        "Rows or keys of the table (four times as many as a call names, at least as many)")
            ->check(several);
    } else if (benchmark.group == Group::map_reduce) {
        sub->add_option("--words", options.vocabulary, "Words of the text that differ (50000)")
            ->check(several);
    }
}

void add_file(CLI::App* sub, SuiteOptions& options, const Benchmark& benchmark)
{
    const CLI::AsSizeValue size(false);
    const CLI::Range several(std::size_t{1}, std::size_t{1} << 40);
    sub->add_option("--folder", options.folder, "Where the file is made ($TMPDIR, or /tmp)")
        ->type_name("FOLDER");
    if (benchmark.group == Group::file_call)
        return;
    sub->add_option("--blocks", options.blocks,
                    benchmark.group == Group::file_access
                        ? "Bytes that lie together, with K, M, G (512,4K,64K)"
                        : "Bytes of a call, with K, M, G (64)")
        ->delimiter(',')
        ->transform(size)
        ->check(several);
    if (benchmark.group == Group::file_access)
        sub->add_option("--file-size", options.file_bytes, "Bytes of each rank, with K, M, G (16M)")
            ->transform(size)
            ->check(several);
}

void add_loop_options(CLI::App* sub, SuiteOptions& options, const Benchmark& benchmark)
{
    if (has_memory(benchmark))
        sub->add_option("--memory", options.memory,
                        "Where buffers come from: 'malloc', or 'library' (tutti::allocate, MPI_Alloc_mem)")
            ->check(CLI::IsMember({"malloc", "library"}));
    if (may_be_touched(benchmark))
        sub->add_flag("--touch", options.touch,
                      "Write the buffers before each iteration and read them after it, within its time");
    sub->add_flag("-c,--validate", options.validate, "Check every byte of some untimed transfers a size");
    if (has_window(benchmark))
        add_one_sided_options(sub, options, benchmark);
    add_keyed(sub, options, benchmark);
    if (has_file(benchmark))
        add_file(sub, options, benchmark);
    if (benchmark.collective)
        add_collective_options(sub, options, *benchmark.collective);
    if (benchmark.group == Group::collective || benchmark.group == Group::persistent)
        sub->add_option(
               "--start", options.start,
               "How ranks begin an iteration: after a 'barrier', at a time by their 'clock', or 'auto': "
               "clock where each rank has a core")
            ->check(CLI::IsMember({"auto", "barrier", "clock"}));
    if (benchmark.windows)
        sub->add_option("-W,--window-size", options.window, "Messages in flight")
            ->check(CLI::Range(1, 1000000));
    if (std::string_view(benchmark.name) == "mbw_mr")
        sub->add_option("-p,--num-pairs", options.pairs, "Pairs of ranks (half as many as ranks)")
            ->check(CLI::Range(1, 1000000));
    if (benchmark.group == Group::threads)
        sub->add_option("-t,--num-threads", options.threads, "Threads of each rank (2)")
            ->check(CLI::Range(1, 128));
    if (benchmark.group == Group::overlap) {
        sub->add_option("-t,--tests,--num-test-calls", options.tests,
                        "Calls that test the request amid the computing")
            ->check(CLI::Range(0, 1000000));
        sub->add_option(
               "--compute", options.compute,
               "What goes on meanwhile: 'spin', arithmetic on the rank's core, or 'sleep', nothing there, as "
               "where an accelerator computes")
            ->check(CLI::IsMember({"spin", "sleep"}));
    }
}

void add_matching(CLI::App* matching, SuiteOptions& options, bool own_library)
{
    matching->add_option("--depth", options.depths, "Receives posted, or messages unexpected, meanwhile")
        ->delimiter(',')
        ->check(CLI::Range(1, 1000000));
    matching->add_option("--mode", options.mode, "What stands in the queues meanwhile")
        ->check(CLI::IsMember({"posted", "wildcard", "unexpected"}));
    if (own_library)
        matching
            ->add_option("--sources", options.sources,
                         "Match messages of N ranks that live in this process (start it without a launcher); "
                         "otherwise the sources are the job's other ranks, told apart by tags")
            ->check(CLI::Range(1, 1000));
}

void add_operators(CLI::App* reduce_op, SuiteOptions& options)
{
    reduce_op->add_option("--op", options.ops, "Only these operators")
        ->delimiter(',')
        ->check(CLI::IsMember(names_of_ops()));
    reduce_op->add_option("--type", options.types, "Only these types of elements")
        ->delimiter(',')
        ->check(CLI::IsMember(names_of_types()));
}

// The heading in the help.
const char* heading_of(const Benchmark& benchmark)
{
    switch (benchmark.group) {
        case Group::collective:
            return "Collectives";
        case Group::overlap:
            return "Non-blocking collectives, and how much of them hides behind computing";
        case Group::persistent:
            return "Persistent collectives";
        case Group::one_sided:
        case Group::atomics:
        case Group::counter:
        case Group::window_pattern:
        case Group::passive_put:
            return "Windows: one-sided operations on other ranks' memory";
        case Group::table:
        case Group::sparse_table:
        case Group::map_reduce:
            return "Rows and pairs by key";
        case Group::file_call:
        case Group::file_access:
        case Group::shared_pointer:
            return "Files that all ranks open";
        case Group::startup:
        case Group::idle:
        case Group::reduction:
            return "Startup, waiting, arithmetic";
        default:
            return "Messages";
    }
}

// For -m without any size that the benchmark can use: what is wrong, and the remedy.
std::string why_no_size(const SuiteOptions& options, const Benchmark& benchmark)
{
    if (options.size_list(benchmark.sizes).empty())
        return fmt::format("the benchmark's own largest size is {}: write -m {}MAX",
                           benchmark.sizes.max_bytes, options.sizes);
    return fmt::format(
        "no size of {} has room for an element of {} bytes ({}): write for example -m {}:1048576",
        options.sizes, size_bytes(options.element()), reduction::to_string(options.element()),
        size_bytes(options.element()));
}

}  // namespace

void add_benchmark(CLI::App& app, SuiteOptions& options, const Benchmark& benchmark, bool own_library)
{
    CLI::App* sub =
        app.add_subcommand(benchmark.name, fmt::format("{}, {}", benchmark.description, benchmark.unit));
    sub->group(heading_of(benchmark));
    if (*benchmark.alias != '\0')
        sub->alias(benchmark.alias);
    sub->callback([&options, &benchmark] {
        options.benchmark = benchmark.name;
        options.entry = &benchmark;
        if (options.validate && options.validation_warmup)
            options.budget.warmup = options.validation_warmup;
        options.budget.each_alone = !options.tails.empty();
        if (options.types_in_turn.size() == 1)
            options.type = options.types_in_turn.front();
        if (options.types_in_turn.size() > 1 && !(options.json_file.empty() && options.csv_file.empty()))
            throw CLI::ValidationError(
                "-T", "a file has one table: choose one type, or leave out --json and --csv");
        // Complain now, not in the middle of a run.
        if (!options.sizes.empty() && options.size_list().empty())
            throw CLI::ValidationError("-m", why_no_size(options, benchmark));
    });
    add_output(sub, options);
    if (benchmark.group == Group::startup)
        return add_osu_options(sub, options, benchmark);
    if (benchmark.group == Group::idle) {
        sub->add_option("-s,--wait", options.seconds, "Seconds to wait")->check(CLI::Range(0.0, 86400.0));
        return;
    }
    add_budget(sub, options.budget);
    if (has_sizes(benchmark))
        add_sizes(sub, options);
    if (benchmark.group == Group::matching)
        add_matching(sub, options, own_library);
    else if (benchmark.group == Group::reduction)
        add_operators(sub, options);
    else
        add_loop_options(sub, options, benchmark);
    add_osu_options(sub, options, benchmark);
}

std::vector<std::size_t> SuiteOptions::size_list(const Sizes& usual) const
{
    std::size_t min = usual.min_bytes;
    std::size_t max = usual.max_bytes;
    if (!sizes.empty()) {
        const SizeRange range = parse_range(sizes);
        max = range.max.value_or(max);
        min = range.min.value_or(std::min(min, max));
    }
    const std::size_t factor = growth.value_or(usual.growth);
    std::vector<std::size_t> list;
    for (std::size_t size = min; size <= max; size = size == 0 ? 1 : size * factor) {
        list.push_back(size);
        if (size > max / factor && size != 0)
            break;  // the next could overflow
    }
    return list;
}

std::vector<std::size_t> SuiteOptions::size_list() const
{
    Sizes usual = entry->sizes;
    const std::size_t element_bytes = has_elements(*entry) || type ? size_bytes(element()) : 1;
    usual.min_bytes = std::max(usual.min_bytes, element_bytes);
    std::vector<std::size_t> list = size_list(usual);
    std::erase_if(list, [=](std::size_t size) { return size > 0 && size < element_bytes; });
    return list;
}

std::vector<std::size_t> SuiteOptions::block_list() const
{
    if (!blocks.empty())
        return blocks;
    return entry->group == Group::shared_pointer ? std::vector<std::size_t>{64}
                                                 : std::vector<std::size_t>{512, 4096, 65536};
}

DataType SuiteOptions::element() const noexcept
{
    const bool sums = has_rows(*entry) || (entry->collective && is_reduction(*entry->collective));
    const bool words = entry->group == Group::atomics || entry->group == Group::counter;
    return type.value_or(sums ? DataType::float32 : words ? DataType::int64 : DataType::int8);
}

LoopCount SuiteOptions::loop_count(LoopCount usual) const noexcept
{
    return {budget.iterations.value_or(usual.iterations), budget.warmup.value_or(usual.warmup)};
}

}  // namespace tutti::bench
