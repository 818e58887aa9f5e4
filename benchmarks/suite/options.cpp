#include "benchmarks/suite/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <sstream>

#include "lib/reduction/types.hpp"

namespace tutti::bench {

namespace {

struct SizeRange {
    std::optional<std::size_t> min;
    std::size_t max;
};

// Plain bytes, the whole text: '1k' or '-1' are mistakes, not sizes. `whole` is for the complaint.
std::size_t parse_size(std::string_view text, std::string_view whole)
{
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        throw CLI::ValidationError(
            "-m", fmt::format("'{}' is not MIN:MAX or MAX in bytes: write for example -m 1:4194304", whole));
    return value;
}

// MIN:MAX, or MAX with the benchmark's own minimum.
SizeRange parse_range(const std::string& text)
{
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos)
        return {std::nullopt, parse_size(text, text)};
    const SizeRange range{parse_size(std::string_view(text).substr(0, colon), text),
                          parse_size(std::string_view(text).substr(colon + 1), text)};
    if (*range.min > range.max)
        throw CLI::ValidationError(
            "-m", fmt::format("the smallest size {} is above the largest {}", *range.min, range.max));
    return range;
}

struct Command {
    const char* name;
    const char* description;
    Defaults defaults;
};

constexpr std::size_t kMiB = 1024 * 1024;

// Loop counts as in OSU's benchmarks, except that the bandwidth of small messages runs longer: 100 windows
// last 0.1 ms, which one timer interrupt can double.
constexpr Command kSizedCommands[] = {
    {"latency", "Ping-pong of 2 ranks: half the round trip, us", {1, 4 * kMiB, {10000, 100}, {1000, 10}}},
    {"bw",
     "Bandwidth from rank 0 to rank 1, windows of isend, MB/s (MB = 10^6 bytes)",
     {1, 4 * kMiB, {1000, 100}, {20, 2}}},
    {"bibw", "Bandwidth of both directions at once, MB/s", {1, 4 * kMiB, {1000, 100}, {20, 2}}},
    {"rate", "Messages a second from rank 0 to rank 1, windows of isend", {8, 8, {10000, 100}, {20, 2}}},
    {"ring", "A token goes round all ranks: time of a round / ranks, us", {8, 8, {1000, 100}, {100, 10}}},
    {"allreduce",
     "Sum of floats, everywhere: mean time over the ranks, us",
     {4, kMiB, {1000, 100}, {100, 10}}},
    {"broadcast", "Bytes of rank 0 to all: mean time over the ranks, us", {1, kMiB, {1000, 100}, {100, 10}}},
    {"reduce", "Sum of floats at rank 0: mean time over the ranks, us", {4, kMiB, {1000, 100}, {100, 10}}},
    {"allgather", "A block of every rank to all: mean time, us", {1, kMiB, {1000, 100}, {100, 10}}},
    {"alltoall", "A block of every rank to every other: mean time, us", {1, kMiB, {1000, 100}, {100, 10}}},
    {"gather", "A block of every rank to rank 0: mean time, us", {1, kMiB, {1000, 100}, {100, 10}}},
    {"scatter", "A block of rank 0's to every rank: mean time, us", {1, kMiB, {1000, 100}, {100, 10}}},
    {"reduce_scatter",
     "Sums of floats, a block to every rank: mean time, us",
     {4, kMiB, {1000, 100}, {100, 10}}},
    {"iallreduce",
     "Overlap of a sum of floats with computing: overall time, us, and its parts",
     {4, kMiB, {1000, 100}, {100, 10}}},
    {"ibroadcast", "Overlap of a broadcast with computing", {1, kMiB, {1000, 100}, {100, 10}}},
    {"iallgather", "Overlap of an allgather with computing", {1, kMiB, {1000, 100}, {100, 10}}},
    {"ialltoall", "Overlap of an alltoall with computing", {1, kMiB, {1000, 100}, {100, 10}}},
};
constexpr Command kReduceOp = {
    "reduce-op",
    "Reduction kernels of one rank: bytes read and written, GB/s, and the ratio to a plain copy's",
    {8192, 32 * kMiB, {0, 3}, {0, 1}, 64}};
// Not sized: they have rows of other kinds, or one value.
constexpr Command kBarrier = {"barrier", "Barrier: mean time over the ranks, us", {0, 0, {1000, 100}, {}}};
constexpr Command kMatching = {
    "matching",
    "Time of a message when many receives are posted, or many messages unexpected, us",
    {8, 8, {20000, 2000}, {}}};
constexpr Command kIdle = {"idle", "CPU seconds that a rank uses while it waits in recv", {0, 0, {1, 0}, {}}};

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

// What all commands share. `command` must outlive the parse: the tables above do.
CLI::App* add_command(CLI::App& app, Options& options, const Command& command)
{
    CLI::App* sub = app.add_subcommand(command.name, command.description);
    sub->callback([&options, &command] {
        options.benchmark = command.name;
        options.defaults = command.defaults;
        if (!options.sizes.empty())
            parse_range(options.sizes);  // complain now, not in the middle of a run
    });
    sub->add_option("-r,--repetitions", options.repetitions, "Measure N times, show the median")
        ->check(CLI::Range(1, 100000));
    sub->add_option("--json", options.json_file, "Also write every repetition to this file");
    return sub;
}

void add_loop_options(CLI::App* sub, Options& options)
{
    sub->add_option("-i,--iterations", options.iterations, "Iterations (unless given: fewer from 64 KiB on)")
        ->check(CLI::Range(1, 1000000000));
    sub->add_option("-x,--warmup", options.warmup, "Untimed iterations before them")
        ->check(CLI::Range(0, 1000000000));
}

void add_tune(CLI::App& app, Options& options)
{
    CLI::App* tune = app.add_subcommand(
        "tune", "Time every algorithm of each collective in this job, and write the rules that follow");
    tune->callback([&options, tune] {
        options.benchmark = "tune";
        options.defaults = {8, kMiB, {1, 0}, {1, 0}, 4};
        if (tune->count("--repetitions") == 0)
            options.repetitions = 5;
        if (tune->count("--seconds") == 0)
            options.seconds = 60;
        if (!options.sizes.empty())
            parse_range(options.sizes);  // complain now, not in the middle of a run
    });
    tune->add_option("-r,--repetitions", options.repetitions, "Measure up to N times (5), take the median")
        ->check(CLI::Range(1, 100000));
    tune->add_option("-s,--seconds", options.seconds, "Time for all (60), shared out over the sizes")
        ->check(CLI::Range(0.1, 86400.0));
    tune->add_option("-m,--message-size", options.sizes, "MIN:MAX or MAX in bytes (8:1048576), by factors of 4")
        ->type_name("SIZES");
    tune->add_option("--collective", options.collectives, "Only these collectives")->delimiter(',');
    tune->add_option("-o,--output", options.rules_file, "The file for TUTTI_RULES (tutti-rules.json)")
        ->type_name("FILE");
}

void add_commands(CLI::App& app, Options& options, bool own_library)
{
    app.require_subcommand(1);
    for (const Command& command : kSizedCommands) {
        CLI::App* sub = add_command(app, options, command);
        add_loop_options(sub, options);
        sub->add_option("-m,--message-size", options.sizes, "MIN:MAX or MAX, bytes; sizes double")
            ->type_name("SIZES");
        sub->add_option("--memory", options.memory,
                        "Where buffers come from: 'library' (tutti::allocate, MPI_Alloc_mem) or 'malloc'")
            ->check(CLI::IsMember({"library", "malloc"}));
        sub->add_flag("-c,--validate", options.validate, "Check every byte of some untimed transfers a size");
        sub->add_flag("-f,--full", options.full, "Also show the ranks' smallest and largest mean");
        const std::string name = command.name;
        if (name == "bw" || name == "bibw" || name == "rate")
            sub->add_option("-W,--window-size", options.window, "Messages in flight")
                ->check(CLI::Range(1, 1000000));
        if (is_overlap(name))
            sub->add_option("-t,--tests", options.tests, "Calls that test the request amid the computing")
                ->check(CLI::Range(0, 1000000));
    }
    CLI::App* barrier = add_command(app, options, kBarrier);
    add_loop_options(barrier, options);
    barrier->add_flag("-f,--full", options.full, "Also show the ranks' smallest and largest mean");

    CLI::App* matching = add_command(app, options, kMatching);
    add_loop_options(matching, options);
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

    CLI::App* reduce_op = add_command(app, options, kReduceOp);
    add_loop_options(reduce_op, options);
    reduce_op
        ->add_option("-m,--message-size", options.sizes,
                     "MIN:MAX or MAX, bytes of an operand; by factors of 64")
        ->type_name("SIZES");
    reduce_op->add_option("--op", options.ops, "Only these operators")
        ->delimiter(',')
        ->check(CLI::IsMember(names_of_ops()));
    reduce_op->add_option("--type", options.types, "Only these types of elements")
        ->delimiter(',')
        ->check(CLI::IsMember(names_of_types()));

    CLI::App* idle = add_command(app, options, kIdle);
    idle->add_option("-s,--seconds", options.seconds, "How long to wait")->check(CLI::Range(0.0, 86400.0));
    if (own_library) {
        CLI::App* limits = app.add_subcommand(
            "limits", "What this machine's memory, caches and scheduler allow (start it without a launcher)");
        limits->callback([&options] { options.benchmark = "limits"; });
        limits->add_option("--json", options.json_file, "Also write the figures to this file");
        limits->add_option("-i,--iterations", options.iterations, "Scale of the loops, 1000 is usual")
            ->check(CLI::Range(1, 1000000));
        add_tune(app, options);
    }
}

constexpr const char* kExamples =
    "Examples:\n"
    "  tuttirun -n 2 --bind-to core build/benchmarks/tutti-bench latency -m 1:4194304 -i 1000 -x 100\n"
    "  tuttirun -n 2 --bind-to core build/benchmarks/tutti-bench bw -W 64 -r 5 --json bw.json\n"
    "  tuttirun -n 8 build/benchmarks/tutti-bench allreduce -c -f -m 4:1048576\n"
    "  tuttirun -n 2 -x TUTTI_PROGRESS=thread build/benchmarks/tutti-bench iallreduce -m 65536:1048576\n"
    "  tuttirun -n 2 build/benchmarks/tutti-bench matching --depth 10,10000 --mode unexpected\n"
    "  build/benchmarks/tutti-bench matching --sources 100\n"
    "  tuttirun -n 1 build/benchmarks/tutti-bench reduce-op --op sum,min --type float32,bfloat16\n"
    "  build/benchmarks/tutti-bench limits\n"
    "  tuttirun -n 8 build/benchmarks/tutti-bench tune --seconds 120 -o rules.json\n"
    "Exit status: 0; 1 when a checked byte was wrong (-c); 2 for a command line or a job that does not suit.";

}  // namespace

LoopCount Options::loop_count(std::size_t size_bytes) const
{
    const LoopCount usual = size_bytes >= kLargeBytes ? defaults.large : defaults.small;
    return {iterations.value_or(usual.iterations), warmup.value_or(usual.warmup)};
}

std::vector<std::size_t> Options::size_list() const
{
    std::size_t min = defaults.min_size_bytes;
    std::size_t max = defaults.max_size_bytes;
    if (!sizes.empty()) {
        const SizeRange range = parse_range(sizes);
        max = range.max;
        min = range.min.value_or(std::min(min, max));
    }
    std::vector<std::size_t> list;
    for (std::size_t size = min; size <= max; size = size == 0 ? 1 : size * defaults.growth) {
        list.push_back(size);
        if (size > max / defaults.growth && size != 0)
            break;  // the next could overflow
    }
    return list;
}

bool is_overlap(std::string_view benchmark) noexcept
{
    return benchmark == "iallreduce" || benchmark == "ibroadcast" || benchmark == "iallgather" ||
           benchmark == "ialltoall";
}

CommandLine parse_command_line(int argc, const char* const* argv, bool own_library)
{
    CLI::App app{own_library ? "Benchmarks of Tutti, in the manner and with the output of OSU's."
                             : "The loops of tutti-bench over MPI, for comparison."};
    if (own_library)
        app.footer(kExamples);
    CommandLine result;
    add_commands(app, result.options, own_library);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::ostringstream text;
        result.status = app.exit(error, text, text) == 0 ? 0 : 2;
        result.message = text.str();
    }
    return result;
}

void CommandLine::say() const
{
    std::FILE* stream = status == 0 ? stdout : stderr;
    fmt::print(stream, "{}", message);
    std::fflush(stream);
}

}  // namespace tutti::bench
