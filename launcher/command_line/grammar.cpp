#include "launcher/command_line/grammar.hpp"

#include <array>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "launcher/base/option_values.hpp"
#include "launcher/command_line/configfile.hpp"
#include "launcher/command_line/definer.hpp"
#include "launcher/command_line/other_launchers.hpp"
#include "launcher/hosts/hostfile.hpp"
#include "launcher/hosts/rankfile.hpp"
#include "lib/foundation/network/interface_choice.hpp"
#include "tutti/error.hpp"

namespace tutti::launcher {
namespace {

using Values = Definer::Values;

// In the order of the enumerations in job_plan.hpp.
constexpr std::array<std::string_view, 5> kMpi = {"auto", "own", "preload", "preload=openmpi",
                                                  "preload=mpich"};
constexpr std::array<std::string_view, 2> kOnDeadlock = {"report", "abort"};
constexpr std::array<std::string_view, 2> kLaunchers = {"ssh", "slurm"};
constexpr std::array<std::string_view, 4> kDisplays = {"map", "bind", "bindings", "allocation"};
constexpr std::array<std::string_view, 5> kOutputs = {"tag", "rank", "timestamp", "merge",
                                                      "merge-stderr-to-stdout"};
constexpr std::array<std::string_view, 2> kTerminals = {"tmux", "xterm"};
constexpr std::array<std::string_view, 2> kTraceEndings = {"json", "html"};
constexpr std::array<std::string_view, 2> kStdinWords = {"all", "none"};

/// The levels that each option knows.
struct Levels {
    using enum MachineLevel;
    static constexpr MachineLevel kMapBy[] = {slot, core, socket, numa, l3cache, hwthread, node, seq};
    static constexpr MachineLevel kRankBy[] = {slot, core, socket, numa, l3cache, node};
    static constexpr MachineLevel kBindTo[] = {none, core, socket, numa, l3cache, hwthread};
};

/// One of `known`.
MachineLevel parse_level(std::string_view option, std::string_view text, std::span<const MachineLevel> known)
{
    std::vector<std::string_view> words;
    for (const MachineLevel level : known)
        words.push_back(word_of(level));
    return known[parse_choice(option, text, words)];
}

/// "ppr:2:socket"; nothing for other values of --map-by.
std::optional<RanksPer> parse_ranks_per(const std::string& option, std::string_view text)
{
    constexpr std::string_view kPrefix = "ppr:";
    if (!text.starts_with(kPrefix))
        return std::nullopt;
    const std::string_view rest = text.substr(kPrefix.size());
    const std::size_t colon = rest.find(':');
    if (colon == std::string_view::npos) {
        throw UsageError(fmt::format(
            "{}: '{}' is not understood; write ppr:N:WHAT for N ranks on each WHAT, as ppr:2:node", option,
            text));
    }
    const std::string object =
        rest.substr(colon + 1) == "package" ? "socket" : std::string(rest.substr(colon + 1));
    const MachineLevel level =
        parse_level(option, object, std::span(Levels::kMapBy).subspan(1, 6));  // core to node
    return RanksPer{parse_number(option, fmt::format("number of ranks on each {}", object),
                                 rest.substr(0, colon), 1, kMaxRanks),
                    level};
}

/// The value of --fabric, as ranks read it from TUTTI_FABRIC.
std::string parse_fabric(const std::string& option, const std::string& text)
{
    if (text != "tcp" && text != "ofi" && !(text.starts_with("ofi:") && text.size() > 4)) {
        throw UsageError(
            fmt::format("{}: '{}' is not understood; write tcp for Tutti's own sockets, ofi for "
                        "what libfabric offers best, or ofi:PROVIDER",
                        option, text));
    }
    return text;
}

std::string parse_trace_file(const std::string& option, const std::string& text)
{
    const std::string path = parse_path(option, text);
    const std::size_t dot = path.rfind('.');
    const std::string ending = dot == std::string::npos ? "" : path.substr(dot + 1);
    parse_choice(fmt::format("{} {}, its ending", option, path), ending, kTraceEndings);
    return path;
}

/// Calls `set` for the variables of a list "A,B" that this process has.
void for_each_set_variable(const std::string& option, const std::string& list, const auto& set)
{
    for (const std::string& name : parse_list(option, list))
        if (const char* const value = std::getenv(parse_variable_name(option, name).c_str()))
            set(name, value);
}

/// As the flag with this first name does.
void switch_on(CommandLine& line, const char* flag, bool& target)
{
    if (first_time(line.job_values, flag, fmt::format("option {}", flag), "yes"))
        target = true;
}

void define_programs(Definer& define, CommandLine& line)
{
    define.group("What to run (each for the program that follows)");
    define.number_in(line.app_values, "np", [&line](const std::string& option, const std::string& text) {
        line.app.ranks = parse_number(option, "number of ranks", text, 1, kMaxRanks);
    });
    define.single_in(line.app_values, "wdir", [&line](const std::string& option, const std::string& text) {
        line.app.working_directory = parse_path(option, text);
    });

    const auto set = [&line](const std::string& name, const std::string& value) {
        set_variable(line.app_values, line.app.environment, name, value);
    };
    define.repeated("x", 1, [&line, set](const std::string& option, Values values) {
        const auto [name, value] = parse_assignment(option, values.front());
        if (value)
            set(name, *value);
        else
            line.options.not_set.push_back(name);
    });
    define.repeated("env", 2, [set](const std::string& option, Values values) {
        set(parse_variable_name(option, values.front()), values.back());
    });
    define.repeated("configfile", 1, [](const std::string& option, Values) {
        throw UsageError(fmt::format("{} stands within a configfile, or twice; name one file", option));
    });
    define.repeated("envlist", 1, [set](const std::string& option, Values values) {
        for_each_set_variable(option, values.front(), set);
    });
}

void define_job(Definer& define, CommandLine& line)
{
    define.group("The job");
    const auto set = [&line](const std::string& name, const std::string& value) {
        set_variable(line.job_values, line.job_environment, name, value);
    };
    define.repeated("genv", 2, [set](const std::string& option, Values values) {
        set(parse_variable_name(option, values.front()), values.back());
    });
    define.repeated("genvlist", 1, [set](const std::string& option, Values values) {
        for_each_set_variable(option, values.front(), set);
    });
    define.flag("rank-env", line.options.rank_variables);
    define.flag("mpirun-env", line.options.mpirun_variables);
    define.choice("mpi", line.options.mpi, kMpi, MpiLibraries::automatic);
    define.single("heap", [set](const std::string& option, const std::string& value) {
        static constexpr std::array<std::string_view, 3> kWords = {"auto", "on", "off"};
        parse_choice(option, value, kWords);
        set("TUTTI_HEAP", value);
    });
    define.attachable("check", [set](const std::string&, const std::string& list) {
        set("TUTTI_CHECK", list.empty() ? "on" : list);
    });
    define.attachable("stats", [&line, set](const std::string&, const std::string& file) {
        if (file == "no")
            return;
        line.options.stats = file;
        set("TUTTI_PROFILE", "on");
    });
    define.single("trace", [&line, set](const std::string& option, const std::string& file) {
        line.options.trace = parse_trace_file(option, file);
        set("TUTTI_PROFILE", "on");
    });
    define.value("timeout", line.options.timeout_seconds, parse_seconds);
    define.value("grace", line.options.grace_seconds, parse_seconds_or_zero);
    define.value("hang-report", line.options.hang_report_seconds, parse_seconds_or_zero);
    define.choice("on-deadlock", line.options.on_deadlock, kOnDeadlock, OnDeadlock::report);
    define.value("report-json", line.options.report_json, parse_path);
    define.value("forward-signals", line.options.forward_signals, parse_signals);
}

void define_placement(Definer& define, CommandLine& line)
{
    JobOptions& options = line.options;
    define.group("Where ranks go");
    define.value("host", options.hosts, parse_host_list);
    define.value("hostfile", options.hosts, [](const std::string& option, const std::string& text) {
        return read_hostfile(parse_path(option, text));
    });
    const auto cores = [&line](const std::string& option, std::string_view text) {
        const int count = parse_number(option, "number of cores a rank", text, 1, kMaxRanks);
        if (first_time(line.job_values, "cores a rank", "the number of cores a rank", std::to_string(count)))
            line.options.cores_per_rank = count;
    };
    define.single("bind-to", [&options, cores](const std::string& option, const std::string& text) {
        options.binding = parse_level(option, take_modifiers(option, text, cores), Levels::kBindTo);
    });
    define.single("cpus-per-proc", cores);
    const auto ranks_per = [&line](const RanksPer& per) {
        const std::string shown = fmt::format("ppr:{}:{}", per.ranks, word_of(per.object));
        if (first_time(line.job_values, "ranks a node", "the number of ranks on each host", shown))
            line.options.ranks_per = per;
    };
    const auto rankfile = [&options](const std::string& option, const std::string& text) {
        options.rankfile = read_rankfile(parse_path(option, text));
    };
    define.single("map-by",
                  [&options, ranks_per, cores, rankfile](const std::string& option, const std::string& text) {
                      constexpr std::string_view kRankfile = "rankfile:file=";
                      const std::string place = take_modifiers(option, text, cores);
                      if (const std::optional<RanksPer> per = parse_ranks_per(option, place))
                          ranks_per(*per);
                      else if (place.starts_with(kRankfile))
                          rankfile(option, place.substr(kRankfile.size()));
                      else if (!place.empty() || text.empty())
                          options.map_by = parse_level(option, place, Levels::kMapBy);
                  });
    define.number_in(line.job_values, "ppn", [ranks_per](const std::string& option, const std::string& text) {
        ranks_per({parse_number(option, "number of ranks a node", text, 1, kMaxRanks)});
    });
    define.single("rankfile", rankfile);
    define.value("cpu-set", options.cpu_set, [](const std::string& option, const std::string& text) {
        return parse_ranges(option, "number of a core", text);
    });
    define.value("rank-by", options.rank_by, [](const std::string& option, const std::string& text) {
        return parse_level(option, text, Levels::kRankBy);
    });
    define.flag("report-bindings", options.report_bindings);
    define.flag("display-map", options.display_map);
    define.single("display", [&line, &options](const std::string& option, const std::string& text) {
        for (const std::string& part : parse_list(option, text)) {
            const std::size_t choice = parse_choice(option, part, kDisplays);
            if (choice == 0)
                switch_on(line, "--display-map", options.display_map);
            else if (choice < 3)
                switch_on(line, "--report-bindings", options.report_bindings);
        }
    });
}

void define_hosts(Definer& define, CommandLine& line)
{
    JobOptions& options = line.options;
    define.group("Other hosts");
    const auto job_variable = [&line](const char* name, const std::string& value) {
        set_variable(line.job_values, line.job_environment, name, value);
    };
    define.single("interface", [&options, job_variable](const std::string& option, const std::string& text) {
        parse_list(option, text);
        options.interface = parse_interface(option, text);
        job_variable("TUTTI_INTERFACE", text);
    });
    define.single("fabric", [job_variable](const std::string& option, const std::string& text) {
        job_variable("TUTTI_FABRIC", parse_fabric(option, text));
    });
    define.value("launcher", options.launcher, [](const std::string& option, const std::string& text) {
        return static_cast<StartMethod::Agent>(parse_choice(option, text, kLaunchers));
    });
    define.value("launch-agent", options.launch_agent, parse_agent);
    define.single("launcher-exec-args", [&options](const std::string& option, const std::string& text) {
        options.agent_arguments = parse_agent(option, text);
    });
    define.value("prefix", options.prefix, parse_absolute_path);
    define.value("start-timeout", options.start_timeout_seconds, parse_seconds);
    define.value("daemon-timeout", options.daemon_timeout_seconds, parse_seconds_or_zero);
}

void define_input_output(Definer& define, CommandLine& line)
{
    JobOptions& options = line.options;
    OutputOptions& output = options.output;
    define.group("Input and output");
    define.single("stdin", [&options](const std::string& option, const std::string& text) {
        const bool number = text.find_first_not_of("-0123456789") == std::string::npos;
        if (number) {
            options.stdin_rank = parse_number(option, "rank", text, 0, kMaxRanks - 1);
        } else {
            const bool all = parse_choice(option, text, kStdinWords) == 0;
            options.stdin_target = all ? StdinTarget::all : StdinTarget::none;
        }
    });
    define.flag("prepend-rank", output.label);
    define.flag("tag-output", output.tag);
    define.flag("timestamp-output", output.timestamp);
    define.flag("merge-stderr-to-stdout", output.merge_stderr);
    define.value("output-filename", output.directory, parse_path);
    define.single("output",
                  [&line, &output](const std::string& option, const std::string& text) {
                      for (const std::string& part : parse_list(option, text)) {
                          if (part.starts_with("dir=")) {
                              output.directory = parse_path(option, part.substr(4));
                              continue;
                          }
                          constexpr const char* kMerge = "--merge-stderr-to-stdout";
                          const std::pair<const char*, bool*> flags[] = {
                              {"--tag-output", &output.tag},
                              {"-l", &output.label},
                              {"--timestamp-output", &output.timestamp},
                              {kMerge, &output.merge_stderr},
                              {kMerge, &output.merge_stderr}};
                          const auto& [flag, target] = flags[parse_choice(option, part, kOutputs)];
                          switch_on(line, flag, *target);
                      }
                  });
}

/// "0,3".
std::vector<int> parse_ranks(const std::string& option, const std::string& text)
{
    std::vector<int> ranks;
    for (const std::string& part : parse_list(option, text))
        ranks.push_back(parse_number(option, "rank", part, 0, kMaxRanks - 1));
    return ranks;
}

void define_debugging(Definer& define, CommandLine& line)
{
    DebugOptions& debug = line.options.debug;
    define.group("Debugging");
    define.value("debug", debug.ranks, parse_ranks);
    const auto where = [&line](const std::string& shown, DebugWhere value) {
        if (first_time(line.job_values, "where gdb runs", "where gdb runs", shown))
            line.options.debug.where = value;
    };
    define.single("terminal", [where](const std::string& option, const std::string& text) {
        const std::size_t choice = parse_choice(option, text, kTerminals);
        where(text, choice == 0 ? DebugWhere::tmux : DebugWhere::xterm);
    });
    define.repeated("gdbserver", 0,
                    [where](const std::string& option, Values) { where(option, DebugWhere::server); });
}

void define_the_rest(Definer& define, CommandLine& line)
{
    define.group("Tuttirun itself");
    define.flag("quiet", line.options.quiet);
    define.attachable("verbose", [&line](const std::string& option, const std::string& value) {
        static constexpr std::array<std::string_view, 2> kWords = {"no", "yes"};
        if (value.empty() || parse_choice(option, value, kWords) == 1)
            line.options.verbosity += option == "-vv" ? 2 : 1;
    });
    define.flag("doctor", line.options.doctor);
    define.flag("json", line.options.json);
    define.flag("status", line.status);
    define.flag("top", line.top);
    define.flag("version", line.version);
    define.flag("help", line.help);
}

}  // namespace

std::string parse_interface(const std::string& source, const std::string& text)
{
    try {
        network::InterfaceChoice::parse(text, source);
        return text;
    } catch (const Error& error) {
        throw UsageError(error.what());
    }
}

std::vector<OptionDefinition> define_options(CommandLine& line)
{
    Definer define(line);
    define_programs(define, line);
    define_job(define, line);
    define_placement(define, line);
    define_hosts(define, line);
    define_input_output(define, line);
    define_debugging(define, line);
    define_the_rest(define, line);
    define_options_of_other_launchers(define, line.options);
    return define.take();
}

Dictionary spellings_of(std::span<const OptionDefinition> options)
{
    Dictionary dictionary;
    for (const OptionDefinition& option : options) {
        const KnownOption known{option.names.front(), option.values, {}, option.attachable, option.is_number};
        for (const std::string& name : option.names) {
            dictionary.insert_or_assign(name, known);
            if (name.starts_with("--"))
                dictionary.try_emplace(name.substr(1), known);
        }
    }
    add_shorthands(dictionary);
    return dictionary;
}

}  // namespace tutti::launcher
