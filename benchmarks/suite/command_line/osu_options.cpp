#include "benchmarks/suite/command_line/osu_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "benchmarks/suite/command_line/osu.hpp"

namespace tutti::bench {

namespace {

// The types of OSU's -T, and double; "all" are OSU's alone.
void parse_types(const std::string& text, std::vector<DataType>& types)
{
    static const std::map<std::string, std::vector<DataType>> kTypes = {
        {"char", {DataType::int8}},
        {"int", {DataType::int32}},
        {"float", {DataType::float32}},
        {"double", {DataType::float64}},
        {"all", {DataType::int8, DataType::int32, DataType::float32}}};
    for (const std::string& name : CLI::detail::split(text, ',')) {
        std::string plain = CLI::detail::to_lower(name);
        if (plain.starts_with("mpi_"))
            plain.erase(0, 4);
        const auto found = kTypes.find(plain);
        if (found == kTypes.end())
            throw CLI::ValidationError(
                "-T", fmt::format("there is no type '{}': write char, int, float, double or all", name));
        types.insert(types.end(), found->second.begin(), found->second.end());
    }
}

void parse_root(const std::string& text, SuiteOptions& options)
{
    constexpr std::string_view kFixed = "fixed:";
    options.rotating_root = text == "rotate";
    if (options.rotating_root)
        return;
    std::string_view number = text;
    if (number.starts_with(kFixed))
        number.remove_prefix(kFixed.size());
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), options.root);
    if (error != std::errc{} || end != number.data() + number.size() || options.root < 0)
        throw CLI::ValidationError(
            "-k", fmt::format("'{}' is neither fixed:RANK nor rotate: write for example -k fixed:1", text));
}

// 0 for a text that is no such number.
int positive_number(const std::string& text)
{
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? std::max(number, 0) : 0;
}

NeighborhoodChoice parse_neighborhood(const std::string& text)
{
    constexpr std::string_view kGraph = "graph:";
    constexpr int kMostDimensions = 16;
    if (text.starts_with(kGraph) && text.size() > kGraph.size())
        return {.graph_file = text.substr(kGraph.size())};
    const std::vector<std::string> words = CLI::detail::split(text, ':');
    NeighborhoodChoice grid;
    if (words.size() == 3 && words[0] == "cart") {
        grid.dimensions = positive_number(words[1]);
        grid.radius = positive_number(words[2]);
        if (grid.dimensions > 0 && grid.dimensions <= kMostDimensions && grid.radius > 0)
            return grid;
    }
    throw CLI::ValidationError(
        "-N", fmt::format("'{}' is neither cart:DIMENSIONS:RADIUS ({} dimensions at most) nor graph:FILE: "
                          "write for example -N cart:2:1",
                          text, kMostDimensions));
}

// `remedy` ends the sentence; `values`: those that are no mistake, because they say what is done anyway.
void refuse(CLI::App* sub, const char* name, const std::string& what, const std::string& remedy,
            std::vector<std::string> values = {})
{
    sub->add_option_function<std::string>(name,
                                          [=](const std::string& value) {
                                              if (std::ranges::find(values, value) == values.end())
                                                  throw CLI::ValidationError(
                                                      name, fmt::format("{} not offered; {}", what, remedy));
                                          })
        ->expected(0, 1)
        ->group("");  // not in the help
}

void refuse_what_there_is_not(CLI::App* sub)
{
    const std::string on_cpus = "buffers are in the memory of the CPU's";
    refuse(sub, "-d,--accelerator", "buffers of accelerators are", on_cpus);
    refuse(sub, "-r,--cuda-target", "computing on accelerators is", on_cpus);
    refuse(sub, "-a,--array-size", "computing on accelerators is", on_cpus);
    refuse(sub, "-P,--papi", "PAPI is", "run the program under perf to count events");
    refuse(sub, "-G,--graph", "graphs are", "write --json FILE and draw it by tutti-bench plot");
    refuse(sub, "-D,--ddt", "other layouts are", "messages are contiguous (-D cont)", {"cont"});
    refuse(sub, "-I,--session", "a choice of ways to join the job is", "leave it out");
}

}  // namespace

void add_osu_options(CLI::App* sub, SuiteOptions& options, const Benchmark& benchmark)
{
    sub->set_version_flag("-v,--version",
                          fmt::format("tutti-bench {}, options and output as those of OSU's benchmarks {}",
                                      TUTTI_BENCH_VERSION, kOsuVersion));
    if (!is_of_osu(benchmark) && !benchmark.collective)
        return;
    if (benchmark.group == Group::startup) {
        refuse(sub, "-I,--session", "a choice of ways to join the job is", "leave it out");
        return;
    }
    if (has_sizes(benchmark))
        sub->add_option_function<std::string>(
               "-T,--type", [&options](const std::string& text) { parse_types(text, options.types_in_turn); },
               "Elements: char, int, float or double (float where they are added, otherwise char); several "
               "(-T int,float) or all: a table each")
            ->type_name("TYPE,...");
    sub->add_option("-u,--validation-warmup", options.validation_warmup,
                    "With -c: exactly N untimed iterations, as -x otherwise")
        ->check(CLI::Range(0, 1000000000));
    if (has_sizes(benchmark))
        sub->add_option("-M,--mem-limit", options.memory_limit,
                        "Leave out sizes for which one of a rank's two buffers would take more bytes (of "
                        "collectives: 536870912)")
            ->check(CLI::Range(std::size_t{1}, ~std::size_t{0}));
    if (benchmark.collective && has_root(*benchmark.collective))
        sub->add_option_function<std::string>(
               "-k,--root-rank", [&options](const std::string& text) { parse_root(text, options); },
               "The root (fixed:0); or a root that changes: iteration i has rank i mod ranks")
            ->type_name("fixed:RANK|rotate");
    if (benchmark.collective && is_neighbourly(*benchmark.collective))
        sub->add_option_function<std::string>(
               "-N,--nhbr",
               [&options](const std::string& text) { options.neighborhood = parse_neighborhood(text); },
               "Whom ranks exchange blocks with (cart:1:1, a ring): in a periodic grid of so many dimensions "
               "all within a radius; or the edges of a file, a line 'SOURCE, DESTINATION' each")
            ->type_name("cart:DIMENSIONS:RADIUS|graph:FILE");
    if (benchmark.windows && !is_one_sided(benchmark))
        sub->add_option_function<std::string>(
               "-b,--buffer-num",
               [&options](const std::string& text) { options.buffer_each = text == "multiple"; },
               "Messages of a window lie in a 'single' place (usual), or in 'multiple', one for each")
            ->type_name("single|multiple")
            ->check(CLI::IsMember({"single", "multiple"}));
    if (std::string_view(benchmark.name) == "mbw_mr") {
        sub->add_option("-R,--print-rate", options.print_rate, "0: without the message rate (1)");
        CLI::Option* const vary =
            sub->add_flag("-V,--vary-window", options.vary_window,
                          "Windows of 1, 2, 4 ... 128 messages, and which of them is the fastest");
        vary->excludes(sub->get_option("-W"));
    }
    refuse_what_there_is_not(sub);
}

}  // namespace tutti::bench
