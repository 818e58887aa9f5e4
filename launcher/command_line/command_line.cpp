#include "launcher/command_line/command_line.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "launcher/base/option_values.hpp"
#include "launcher/command_line/configfile.hpp"
#include "launcher/command_line/grammar.hpp"
#include "launcher/command_line/other_launchers.hpp"
#include "launcher/command_line/settings_files.hpp"

namespace tutti::launcher {
namespace {

constexpr const char* kEventsVariable = "TUTTI_TRACE_EVENTS";
/// Of each rank: below 2 MiB.
constexpr const char* kTraceEvents = "16384";

/// Flushes, since the caller throws.
void print(const std::string& text)
{
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

/// Throws UsageError where the section ends with a variable and its value: the value was probably meant as
/// the program.
void check_last_variable(const Section& section)
{
    if (section.options.empty())
        return;
    const GivenOption& last = section.options.back();
    if (last.canonical == "--env" || last.canonical == "--genv") {
        throw UsageError(
            fmt::format("no program to run: {0} takes two words, so '{2}' is the value of {1}; write "
                        "'{0} {1} VALUE {2}', or '-x {1} {2}' to hand on what is set here",
                        last.typed, last.values.front(), last.values.back()));
    }
}

void check_program(const Section& section, std::size_t sections)
{
    if (section.program.empty()) {
        check_last_variable(section);
        throw UsageError(sections == 1
                             ? "no program to run: name it after the options, as in 'tuttirun -n 4 ./a.out'"
                             : "a part of the command line between ':' names no program");
    }
    if (section.program.front().empty())
        throw UsageError("the program's name is an empty word; is a shell variable unset?");
}

/// Puts the job's variables before each program's own. Where both set one, the program's own stays.
void merge_environment(CommandLine& line)
{
    // Ranks then also say which network they use.
    if (line.options.verbosity > 0)
        line.job_environment.emplace_back("TUTTI_VERBOSE", "1");
    for (AppContext& app : line.options.apps) {
        auto merged = line.job_environment;
        std::erase_if(merged, [&app](const auto& variable) {
            return std::ranges::any_of(app.environment,
                                       [&](const auto& own) { return own.first == variable.first; });
        });
        merged.insert(merged.end(), std::make_move_iterator(app.environment.begin()),
                      std::make_move_iterator(app.environment.end()));
        app.environment = std::move(merged);
    }
}

/// A timeline has events, unless somebody says how many.
void record_trace_events(CommandLine& line)
{
    if (line.options.trace.empty() || !environment_variable(kEventsVariable).empty())
        return;
    ++line.job_values.level;
    set_variable(line.job_values, line.job_environment, kEventsVariable, kTraceEvents);
}

/// Remembers the variables that say nothing to Tutti. Ranks get them all the same.
void note_variables_without_effect(JobOptions& options)
{
    for (const AppContext& app : options.apps) {
        for (const auto& [name, value] : app.environment) {
            const bool noted =
                std::ranges::find(options.without_effect, name) != options.without_effect.end();
            if (belongs_to_other_library(name) && !noted)
                options.without_effect.push_back(name);
        }
    }
}

/// Whether gdb has a place to run. Windows are opened where tuttirun runs.
void check_debugging(const DebugOptions& debug)
{
    if (debug.ranks.empty() && debug.where != DebugWhere::here)
        throw UsageError("--terminal and --gdbserver say how to debug; say which ranks by --debug");
    if (debug.where == DebugWhere::here && debug.ranks.size() > 1)
        throw UsageError(
            "this terminal has room for one gdb; give --terminal tmux, --terminal xterm or --gdbserver for "
            "several ranks");
    if (debug.where == DebugWhere::tmux && environment_variable("TMUX").empty())
        throw UsageError("--terminal tmux opens windows in a tmux session; run tuttirun inside one");
    if (debug.where == DebugWhere::xterm && environment_variable("DISPLAY").empty())
        throw UsageError("--terminal xterm needs a display; set DISPLAY, or give --terminal tmux");
}

/// Checks that need all options.
void check_job(const CommandLine& line)
{
    const JobOptions& options = line.options;
    for (const AppContext& app : options.apps) {
        if (options.apps.size() > 1 && app.ranks == 0) {
            throw UsageError(fmt::format(
                "'{}' has no -n: with several programs each needs its number of ranks", app.argv.front()));
        }
    }
    if (line.job_values.values.contains("-H") && line.job_values.values.contains("-f"))
        throw UsageError("--host and --hostfile both say where ranks go; give one of them");
    if (options.doctor && !options.apps.empty()) {
        throw UsageError(
            fmt::format("--doctor runs no program; leave out '{}'", options.apps.front().argv.front()));
    }
    if (options.json && !options.doctor)
        throw UsageError("--json is for what --doctor finds; give both, or leave it out");
    if (line.status || line.top)
        throw UsageError(fmt::format("{} takes one word at most: the process id of the job's tuttirun",
                                     line.top ? "--top" : "--status"));
    if (options.launcher == StartMethod::Agent::srun && !options.launch_agent.empty())
        throw UsageError("--launcher slurm and --launch-agent contradict each other; leave one out");
    check_debugging(options.debug);
    const bool listed = !options.rankfile.empty() || options.map_by == MachineLevel::seq;
    if (listed && (options.ranks_per.ranks > 0 || options.rank_by != MachineLevel::automatic ||
                   (!options.rankfile.empty() && options.map_by != MachineLevel::slot))) {
        throw UsageError(
            fmt::format("{} says where each rank goes; leave out other --map-by, --rank-by and -N",
                        options.rankfile.empty() ? "--map-by seq" : "--rankfile"));
    }
    if (options.quiet && options.verbosity > 0)
        throw UsageError("--quiet and --verbose contradict each other");
}

/// What the variables of options say, where those are not given: before files, behind the command line. An
/// empty variable counts as unset, as in "MPIEXEC_TIMEOUT= tuttirun ...".
void apply_variables(CommandLine& line, std::span<const OptionDefinition> definitions,
                     const std::vector<std::string>& given)
{
    ++line.job_values.level;
    for (const OptionDefinition& definition : definitions) {
        if (definition.setting == nullptr || definition.setting->variable.empty() ||
            std::ranges::find(given, definition.names.front()) != given.end())
            continue;
        const std::string variable(definition.setting->variable);
        if (const std::string text = environment_variable(variable.c_str()); !text.empty())
            definition.store(variable, std::span(&text, 1));
    }
}

/// The sections of the command line, with those of a configfile in place of its option.
std::vector<Section> sections_of(std::vector<std::string> words, const Dictionary& spellings)
{
    std::vector<Section> sections = split_words(words, spellings);
    const auto given = std::ranges::find(sections.front().options, "--configfile", &GivenOption::canonical);
    if (given == sections.front().options.end())
        return sections;
    const std::string& path = given->values.front();
    if (sections.size() > 1 || !sections.front().program.empty()) {
        throw UsageError(
            fmt::format("{} {} names all programs; no program may stand beside it", given->typed, path));
    }
    const auto attached = std::ranges::find(words, given->typed + '=' + path);
    const auto first = attached != words.end() ? attached : std::ranges::find(words, given->typed);
    words.erase(first, first + (attached != words.end() ? 1 : 2));
    std::ranges::move(read_configfile(parse_path(given->typed, path)), std::back_inserter(words));
    return split_words(words, spellings);
}

const OptionDefinition& definition_of(const GivenOption& given, std::span<const OptionDefinition> definitions)
{
    return *std::ranges::find_if(definitions, [&given](const OptionDefinition& definition) {
        return definition.names.front() == given.canonical;
    });
}

}  // namespace

JobOptions parse_command_line(int argc, const char* const* argv)
{
    CommandLine line;
    const std::vector<OptionDefinition> definitions = define_options(line);
    const std::vector<Section> sections =
        sections_of({argv + std::min(argc, 1), argv + argc}, spellings_of(definitions));
    std::vector<std::string> given;
    for (const Section& section : sections) {
        line.app = AppContext{};
        line.app_values = {};
        for (const GivenOption& option : section.options) {
            definition_of(option, definitions).store(option.typed, option.values);
            given.push_back(option.canonical);
        }
        if (line.help || line.version) {
            print(line.help ? help_text(definitions) : version_text(argc > 0 ? argv[0] : ""));
            throw EarlyExit{};
        }
        if (line.options.doctor && section.program.empty())
            continue;
        if (line.status && line.top)
            throw UsageError("--status shows once what --top shows live; give one of them");
        if ((line.status || line.top) && section.program.size() <= 1 && sections.size() == 1) {
            (line.top ? line.options.top_of : line.options.status_of) =
                section.program.empty() ? "" : section.program.front();
            return std::move(line.options);
        }
        check_program(section, sections.size());
        line.app.argv = section.program;
        line.options.apps.push_back(std::move(line.app));
    }
    apply_variables(line, definitions, given);
    apply_configuration(line, definitions, given);
    record_trace_events(line);
    merge_environment(line);
    note_variables_without_effect(line.options);
    // Cores of its own are what a rank gets without --bind-to.
    if (line.options.cores_per_rank > 0 && line.options.binding == MachineLevel::core)
        line.options.binding = MachineLevel::automatic;
    // The keys are for gdb.
    if (!line.options.debug.ranks.empty() && line.options.debug.where == DebugWhere::here)
        line.options.stdin_target = StdinTarget::none;
    check_job(line);
    return std::move(line.options);
}

}  // namespace tutti::launcher
