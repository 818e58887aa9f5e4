#include "benchmarks/suite/command_line/one_sided_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

namespace tutti::bench {

namespace {

template <class Value, std::size_t N>
Value value_of_word(const char* option, const std::string& text, const std::array<OneSidedWord, N>& words)
{
    const auto found =
        std::find_if(words.begin(), words.end(), [&](const OneSidedWord& one) { return text == one.word; });
    if (found != words.end())
        return static_cast<Value>(found - words.begin());
    std::vector<std::string> known;
    for (const OneSidedWord& one : words)
        known.emplace_back(one.word);
    throw CLI::ValidationError(option,
                               fmt::format("'{}' is not offered: write {}", text, fmt::join(known, ", ")));
}

struct SynchronizationChoice {
    bool (*takes)(Synchronization wanted);
    const char* words;
    const char* description;
    const char* why_no_other;
};

SynchronizationChoice choice_of(const Benchmark& benchmark)
{
    if (std::string_view(benchmark.name) == "put_bibw")
        return {is_active, "pscw|fence", "What completes operations: 'pscw' (usual) or 'fence'",
                "both ranks of put_bibw take part: write -s pscw or -s fence"};
    if (!is_one_sided(benchmark))
        return {is_flush, "flush|flush_local", "What completes operations: 'flush' (usual) or 'flush_local'",
                "the epoch lasts as long as the iterations: write -s flush or -s flush_local"};
    return {[](Synchronization) { return true; }, "lock|flush|flush_local|lock_all|pscw|fence",
            "What completes operations: 'lock', 'flush' (usual), 'flush_local', 'lock_all', 'pscw', 'fence'",
            ""};
}

}  // namespace

void add_one_sided_options(CLI::App* sub, SuiteOptions& options, const Benchmark& benchmark)
{
    sub->add_option_function<std::string>(
           "-w,--win-option",
           [&options](const std::string& text) {
               options.window_kind = value_of_word<WindowKind>("-w", text, kWindowKinds);
           },
           "The window is of memory that the library allocates ('allocate'), of the benchmark's ('create'), "
           "of memory that all ranks of a node use directly ('shared'), or of the benchmark's, attached to "
           "it "
           "later ('dynamic', only MPI)")
        ->type_name("allocate|create|shared|dynamic");
    const SynchronizationChoice choice = choice_of(benchmark);
    sub->add_option_function<std::string>(
           "-s,--sync-option",
           [&options, choice](const std::string& text) {
               const auto wanted = value_of_word<Synchronization>("-s", text, kSynchronizations);
               if (!choice.takes(wanted))
                   throw CLI::ValidationError("-s", choice.why_no_other);
               options.synchronization = wanted;
           },
           choice.description)
        ->type_name(choice.words);
}

}  // namespace tutti::bench
