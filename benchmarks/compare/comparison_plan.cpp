#include "benchmarks/compare/comparison_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "benchmarks/suite/command_line/benchmark_catalogue.hpp"
#include "benchmarks/suite/command_line/suite_options.hpp"
#include "lib/foundation/base/suggest.hpp"

namespace tutti::bench {

namespace {

// The time of a launch: from the launcher's start to its end, for a program that measures nothing.
constexpr double kLaunchSeconds = 0.4;
// Most rows are precise enough long before their time box ends.
constexpr double kShareOfTimeBox = 0.5;

// Growth of sizes: with few sizes a comparison of all benchmarks is long enough.
constexpr std::size_t kUsualGrowth = 8;

// Of a benchmark of accesses to files: rows without blocks, and layouts of blocks.
constexpr int kFileRows = 2;
constexpr int kFileLayouts = 3;

constexpr const char* kLaunch = "launch";

// Limits for options that would take too long in full: every operator on every type, queues of any depth.
std::vector<std::string> usual_arguments(const Benchmark& benchmark, bool quick)
{
    switch (benchmark.group) {
        case Group::idle:
            return {"--wait", quick ? "0.05" : "1"};
        case Group::matching:
            return {"--depth", quick ? "10" : "10,1000"};
        case Group::reduction:
            return {"--op", "sum,max", "--type", "float32,int32"};
        case Group::file_access:
            return quick ? std::vector<std::string>{"--file-size", "128K", "--blocks", "4K"}
                         : std::vector<std::string>{};
        case Group::atomics:  // Open MPI 4.1.4 dies at swaps in memory that it allocates
            return std::string_view(benchmark.name) == "cas_latency"
                       ? std::vector<std::string>{"-w", "create"}
                       : std::vector<std::string>{};
        default:
            return {};
    }
}

void append(std::vector<std::string>& words, std::initializer_list<std::string> more)
{
    words.insert(words.end(), more);
}

std::vector<std::string> arguments_of(const Benchmark& benchmark, const ComparisonChoice& choice)
{
    std::vector<std::string> words{benchmark.name};
    if (choice.passed.empty()) {
        const std::vector<std::string> usual = usual_arguments(benchmark, choice.quick);
        words.insert(words.end(), usual.begin(), usual.end());
    }
    if (benchmark.group != Group::idle && benchmark.group != Group::startup) {
        append(words, {"--seconds", fmt::format("{}", choice.seconds), "--precision",
                       fmt::format("{}", choice.precision)});
        if (choice.iterations)
            append(words, {"-i", fmt::format("{}", *choice.iterations)});
        if (choice.warmup)
            append(words, {"-x", fmt::format("{}", *choice.warmup)});
    }
    if (has_sizes(benchmark)) {
        if (!choice.sizes.empty())
            append(words, {"-m", choice.sizes});
        append(words,
               {"--growth",
                fmt::format("{}", choice.growth.value_or(std::max(kUsualGrowth, benchmark.sizes.growth)))});
        if (choice.memory == "library" && has_memory(benchmark))
            append(words, {"--memory", "library"});
        if (choice.touch && may_be_touched(benchmark))
            append(words, {"--touch"});
    }
    words.insert(words.end(), choice.passed.begin(), choice.passed.end());
    return words;
}

// Parses the arguments as the runs will, to report mistakes before the first run. Returns the number of rows.
int rows_of(const Benchmark& benchmark, const std::vector<std::string>& arguments)
{
    std::vector<const char*> words{"tutti-bench"};
    for (const std::string& argument : arguments)
        words.push_back(argument.c_str());
    const SuiteCommandLine command = parse_command_line(static_cast<int>(words.size()), words.data(), false);
    if (!command.message.empty())
        throw PlanError(fmt::format("{}: {}", fmt::join(arguments, " "), command.message));
    if (benchmark.group == Group::matching)
        return static_cast<int>(command.options.depths.size());
    if (benchmark.group == Group::file_access)
        return kFileRows + kFileLayouts * static_cast<int>(command.options.block_list().size());
    if (benchmark.group == Group::shared_pointer)
        return static_cast<int>(command.options.block_list().size());
    if (benchmark.sizes.max_bytes == 0)
        return 1;
    const int kinds = benchmark.group == Group::reduction ? 5 : benchmark.group == Group::table ? 2 : 1;
    return kinds * static_cast<int>(command.options.size_list().size());
}

int hosts_of(const ComparisonChoice& choice)
{
    return std::max(1, static_cast<int>(choice.hosts.names.size()));
}

// One core for each rank if there are enough. Hosts bind for themselves: they may be namespaces with their
// own cores.
Binding binding_for(int ranks, const ComparisonChoice& choice)
{
    const int cores = usable_cores();
    return choice.hosts.names.empty() && ranks <= cores ? Binding::core : Binding::none;
}

std::vector<int> ranks_of(const ComparisonChoice& choice)
{
    if (!choice.ranks.empty()) {
        for (const int ranks : choice.ranks) {
            if (ranks % hosts_of(choice) != 0)
                throw PlanError(fmt::format("--ranks: {} ranks cannot be dealt evenly over {} hosts", ranks,
                                            hosts_of(choice)));
        }
        return choice.ranks;
    }
    if (choice.hosts.names.empty())
        return {2, 8};
    return {hosts_of(choice), 2 * hosts_of(choice)};
}

bool suits(const Benchmark& benchmark, int ranks)
{
    return ranks >= benchmark.min_ranks && (benchmark.max_ranks == 0 || ranks <= benchmark.max_ranks);
}

std::string needed(const Benchmark& benchmark)
{
    if (benchmark.min_ranks == benchmark.max_ranks)
        return fmt::format("exactly {} ranks", benchmark.min_ranks);
    return benchmark.max_ranks == 0 ? fmt::format("{} ranks or more", benchmark.min_ranks)
                                    : fmt::format("{} to {} ranks", benchmark.min_ranks, benchmark.max_ranks);
}

[[noreturn]] void complain_about(const std::string& name)
{
    std::vector<std::string_view> known{kLaunch};
    for (const Benchmark& benchmark : catalogue())
        known.push_back(benchmark.name);
    const std::string meant = base::did_you_mean(name, known);
    throw PlanError(fmt::format("there is no benchmark '{}'{} 'tutti-bench --help' lists them", name,
                                meant.empty() ? ";" : meant));
}

// In the order of the command line.
std::vector<const Benchmark*> named_benchmarks(const ComparisonChoice& choice)
{
    std::vector<const Benchmark*> found;
    for (const std::string& name : choice.benchmarks) {
        const Benchmark* benchmark = find_benchmark(name);
        if (benchmark == nullptr && name != kLaunch)
            complain_about(name);
        found.push_back(benchmark);
    }
    if (choice.benchmarks.empty()) {
        for (const Benchmark& benchmark : catalogue())
            found.push_back(&benchmark);
        found.push_back(nullptr);
    }
    return found;
}

// Empty if the benchmark does not support so many ranks. nullptr is the launch of an empty program.
std::optional<Case> case_of(const Benchmark* benchmark, int ranks, const ComparisonChoice& choice)
{
    Case one{.benchmark = kLaunch, .group = "startup", .ranks = ranks, .hosts = hosts_of(choice)};
    one.binding = Binding::none;
    if (benchmark == nullptr)
        return one;
    if (!suits(*benchmark, ranks))
        return {};
    one.benchmark = benchmark->name;
    one.group = to_string(benchmark->group);
    one.arguments = arguments_of(*benchmark, choice);
    one.binding = binding_for(ranks, choice);
    one.memory = !has_memory(*benchmark) ? "" : choice.memory == "library" ? "library" : "malloc";
    one.touched = choice.touch && may_be_touched(*benchmark);
    std::vector<std::string> words = one.arguments;
    if (has_file(*benchmark)) {
        one.folder = choice.folder.empty() ? std::filesystem::temp_directory_path().string() : choice.folder;
        append(words, {"--folder", one.folder});
    }
    one.rows = rows_of(*benchmark, words);
    return one;
}

}  // namespace

std::vector<Case> plan_cases(const ComparisonChoice& choice)
{
    std::vector<Case> cases;
    const std::vector<const Benchmark*> benchmarks = named_benchmarks(choice);
    for (const int ranks : ranks_of(choice)) {
        for (const Benchmark* benchmark : benchmarks) {
            if (std::optional<Case> one = case_of(benchmark, ranks, choice))
                cases.push_back(std::move(*one));
        }
    }
    for (const Benchmark* benchmark : benchmarks) {
        if (benchmark == nullptr)
            continue;
        const std::string name = benchmark->name;
        const bool runs =
            std::any_of(cases.begin(), cases.end(), [&](const Case& one) { return one.benchmark == name; });
        if (!runs && !choice.benchmarks.empty())
            throw PlanError(
                fmt::format("{} needs {}, and --ranks has no such number", name, needed(*benchmark)));
    }
    return cases;
}

double estimate_seconds(const std::vector<Case>& cases, const std::vector<Contender>& contenders, int rounds,
                        double seconds_a_row)
{
    double seconds = 0.0;
    for (const Case& one : cases) {
        const auto taking_part =
            std::count_if(contenders.begin(), contenders.end(),
                          [&](const Contender& contender) { return contender.offers(one.benchmark); });
        const double measuring = one.arguments.empty() ? 0.0 : one.rows * seconds_a_row * kShareOfTimeBox;
        seconds += static_cast<double>(taking_part) * rounds * (kLaunchSeconds + measuring);
    }
    return seconds;
}

}  // namespace tutti::bench
