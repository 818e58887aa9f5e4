#include "benchmarks/suite/one_sided_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "benchmarks/suite/options.hpp"

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

}  // namespace

void add_one_sided_options(CLI::App* sub, Options& options, const Benchmark& benchmark)
{
    const bool both_ways = std::string_view(benchmark.name) == "put_bibw";
    sub->add_option_function<std::string>(
           "-w,--win-option",
           [&options](const std::string& text) {
               options.window_kind = value_of_word<WindowKind>("-w", text, kWindowKinds);
           },
           "The window is of memory that the library allocates ('allocate'), of the benchmark's ('create'), "
           "or of memory that all ranks of a node use directly ('shared')")
        ->type_name("allocate|create|shared");
    sub->add_option_function<std::string>(
           "-s,--sync-option",
           [&options, both_ways](const std::string& text) {
               options.synchronization = value_of_word<Synchronization>("-s", text, kSynchronizations);
               if (both_ways && !is_active(*options.synchronization))
                   throw CLI::ValidationError("-s",
                                              "both ranks of put_bibw take part: write -s pscw or -s fence");
           },
           both_ways ? "What completes operations: 'pscw' (usual) or 'fence'"
                     : "What completes operations: 'lock', 'flush' (usual), 'flush_local', 'lock_all', "
                       "'pscw', 'fence'")
        ->type_name(both_ways ? "pscw|fence" : "lock|flush|flush_local|lock_all|pscw|fence");
}

}  // namespace tutti::bench
