// The words of the command line: which benchmark or tool they name, by our names or OSU's, and what is wrong.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <sstream>

#include "benchmarks/suite/command_line/benchmark_options.hpp"
#include "benchmarks/suite/command_line/osu.hpp"
#include "benchmarks/suite/command_line/size_range.hpp"
#include "benchmarks/suite/command_line/suite_options.hpp"
#include "lib/foundation/base/suggest.hpp"

namespace tutti::bench {

namespace {

constexpr const char* kToolsHeading = "Tools";

void add_tune(CLI::App& app, SuiteOptions& options)
{
    CLI::App* tune = app.add_subcommand("tune",
                                        "Time every algorithm of each collective in this job; after five "
                                        "such jobs, write the rules that follow");
    tune->group(kToolsHeading);
    tune->callback([&options, tune] {
        options.benchmark = "tune";
        if (tune->count("--seconds") == 0)
            options.seconds = 60;
        if (!options.sizes.empty())
            parse_range(options.sizes);  // complain now, not in the middle of a run
    });
    tune->add_option("-r,--repetitions", options.repetitions, "Measure up to N times (5), take the median")
        ->check(CLI::Range(1, 100000));
    tune->add_option("-s,--seconds", options.seconds, "Time for all (60), shared out over the sizes")
        ->check(CLI::Range(0.1, 86400.0));
    tune->add_option("-m,--message-size", options.sizes,
                     "MIN:MAX or MAX, bytes or with K, M, G (8:1M), by factors of 4")
        ->type_name("SIZES");
    tune->add_option("--collective", options.collectives, "Only these collectives")->delimiter(',');
    tune->add_option("-o,--output", options.rules_file, "The file for TUTTI_RULES (tutti-rules.json)")
        ->type_name("FILE");
    tune->add_option(
            "--starts", options.starts_file,
            "The file to which each start adds its times, and from which rules are made, of five starts "
            "or more (beside the rules: tutti-rules.starts.json)")
        ->type_name("FILE");
}

// Where `first`, the first word, names a benchmark, no other is added: that takes most of the time of a
// parse.
void add_commands(CLI::App& app, SuiteOptions& options, std::span<const Tool> tools, bool own_library,
                  std::string_view first)
{
    app.require_subcommand(1);
    const Benchmark* const named = find_benchmark(first);
    for (const Benchmark& benchmark : catalogue()) {
        if (named == nullptr || named == &benchmark)
            add_benchmark(app, options, benchmark, own_library);
    }
    if (own_library)
        add_tune(app, options);
    // Tools are only listed: they read their own command lines.
    for (const Tool& tool : tools)
        app.add_subcommand(tool.name, tool.description)->group(kToolsHeading);
}

// The mistake in the word that names what to run; empty if there is none.
std::string complaint_of(int argc, const char* const* argv, const CLI::App& app, const char* program)
{
    if (argc < 2 || argv[1][0] == '-')
        return {};
    std::vector<std::string_view> known;
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
        known.push_back(sub->get_name());
        if (sub->check_name(argv[1]))
            return {};
    }
    return fmt::format("{}: there is no benchmark or tool '{}'{}\n'{} --help' lists them all\n", program,
                       argv[1], base::did_you_mean(argv[1], known), program);
}

// The first of the words that are left over.
std::string complaint_of_extras(const CLI::App& app, const char* program)
{
    std::string name = program;
    std::vector<std::string> options;
    for (const CLI::App* sub : app.get_subcommands()) {
        name += " " + sub->get_name();
        for (const CLI::Option* option : sub->get_options()) {
            for (const std::string& spelling : option->get_lnames())
                options.push_back("--" + spelling);
        }
    }
    const std::string word = app.remaining(true).front();
    const std::vector<std::string_view> known(options.begin(), options.end());
    return fmt::format("{0}: '{1}' is not expected here{2}\n'{0} --help' lists what is\n", name, word,
                       base::did_you_mean(word.substr(0, word.find('=')), known));
}

constexpr const char* kExamples =
    "Examples:\n"
    "  tuttirun -n 2 --bind-to core build/benchmarks/tutti-bench latency -m 1:4194304 -i 1000 -x 100\n"
    "  tuttirun -n 2 --bind-to core build/benchmarks/tutti-bench bw -W 64 --precision 0.5 --json bw.json\n"
    "  tuttirun -n 8 build/benchmarks/tutti-bench allreduce -c -f -m 4:1048576\n"
    "  tuttirun -n 8 build/benchmarks/tutti-bench mbw_mr -p 4 -W 32 -m 8:8\n"
    "  tuttirun -n 8 build/benchmarks/tutti-bench osu_reduce_scatter -z -T all      by OSU's names and "
    "options\n"
    "  tuttirun -n 4 build/benchmarks/tutti-bench allgatherv_persistent -T double --in-place -U\n"
    "  tuttirun -n 2 -x TUTTI_PROGRESS=thread build/benchmarks/tutti-bench iallreduce -m 65536:1048576\n"
    "  tuttirun -n 2 build/benchmarks/tutti-bench matching --depth 10,10000 --mode unexpected\n"
    "  build/benchmarks/tutti-bench matching --sources 100\n"
    "  tuttirun -n 1 build/benchmarks/tutti-bench reduce-op --op sum,min --type float32,bfloat16\n"
    "  tuttirun -n 2 build/benchmarks/tutti-bench table_pull --rows 8192 --table 10000000 -m 64:64\n"
    "  build/benchmarks/tutti-bench limits\n"
    "  for i in 1 2 3 4 5; do tuttirun -n 8 build/benchmarks/tutti-bench tune -o rules.json; done\n"
    "Exit status: 0; 1 when a checked byte was wrong (-c); 2 for a command line or a job that does not "
    "suit;\n"
    "3 when the library does not offer what the benchmark calls.";

// As if it had been called by our names: osu_bcast, as the program's name or its first word, is broadcast.
std::vector<const char*> in_our_words(int argc, const char* const* argv)
{
    std::vector<const char*> words(argv, argv + argc);
    const std::string_view program(argv[0]);
    const std::string_view ours = benchmark_of_program(program.substr(program.find_last_of('/') + 1));
    if (!ours.empty())
        words.insert(words.begin() + 1, ours.data());
    else if (argc > 1 && !benchmark_of_program(argv[1]).empty())
        words[1] = benchmark_of_program(argv[1]).data();
    return words;
}

}  // namespace

SuiteCommandLine parse_command_line(int argc, const char* const* argv, bool own_library,
                                    std::span<const Tool> tools)
{
    const std::vector<const char*> words = in_our_words(argc, argv);
    CLI::App app{own_library ? "Benchmarks of Tutti, in the manner and with the output of OSU's."
                             : "The loops of tutti-bench over MPI, for comparison."};
    if (own_library)
        app.footer(kExamples);
    SuiteCommandLine result;
    result.options.command.assign(words.begin(), words.end());
    const char* const program = own_library ? "tutti-bench" : "peer-bench";
    result.options.command.front() = program;
    app.set_version_flag("--version", fmt::format("{} " TUTTI_BENCH_VERSION, program));
    add_commands(app, result.options, tools, own_library, words.size() > 1 ? words[1] : "");
    result.message = complaint_of(static_cast<int>(words.size()), words.data(), app, program);
    if (!result.message.empty()) {
        result.status = 2;
        return result;
    }
    try {
        app.parse(static_cast<int>(words.size()), words.data());
    } catch (const CLI::ExtrasError&) {
        result.status = 2;
        result.message = complaint_of_extras(app, program);
    } catch (const CLI::ParseError& error) {
        std::ostringstream text;
        result.status = app.exit(error, text, text) == 0 ? 0 : 2;
        result.message = text.str();
    }
    return result;
}

void SuiteCommandLine::say() const
{
    std::FILE* stream = status == 0 ? stdout : stderr;
    fmt::print(stream, "{}", message);
    std::fflush(stream);
}

}  // namespace tutti::bench
