#include "launcher/command_line/grammar.hpp"

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "launcher/base/usage_error.hpp"
#include "launcher/base/values.hpp"
#include "launcher/hosts/hostfile.hpp"

namespace tutti::launcher {
namespace {

using Values = std::vector<std::string>;
using Words = std::span<const std::string_view>;

// In the order of the enumerations in job.hpp.
constexpr std::array<std::string_view, 5> kBindings = {"none", "core", "socket", "numa", "hwthread"};
constexpr std::array<std::string_view, 6> kMapBy = {"slot", "core", "socket", "numa", "hwthread", "node"};
constexpr std::array<std::string_view, 5> kRankBy = {"slot", "core", "socket", "numa", "node"};
constexpr std::array<std::string_view, 2> kLaunchers = {"ssh", "slurm"};
constexpr std::array<std::string_view, 1> kDisplays = {"map"};
constexpr std::array<std::string_view, 2> kStdinWords = {"all", "none"};

/// Remembers `value` for `what`. False when it had the same value before. Throws when it had another one; the
/// message calls it `shown`.
bool first_time(std::map<std::string, std::string>& seen, const std::string& what, const std::string& shown,
                const std::string& value)
{
    const auto [entry, fresh] = seen.try_emplace(what, value);
    if (!fresh && entry->second != value) {
        throw UsageError(
            fmt::format("{} is given twice, as '{}' and as '{}'; say it once", shown, entry->second, value));
    }
    return fresh;
}

/// "ppr:N:node" is N; nothing for other values of --map-by.
std::optional<int> parse_per_node(const std::string& option, std::string_view text)
{
    constexpr std::string_view kPrefix = "ppr:";
    constexpr std::string_view kSuffix = ":node";
    if (!text.starts_with(kPrefix))
        return std::nullopt;
    if (!text.ends_with(kSuffix) || text.size() < kPrefix.size() + kSuffix.size()) {
        throw UsageError(
            fmt::format("{}: '{}' is not understood; write ppr:N:node for N ranks a node", option, text));
    }
    text.remove_prefix(kPrefix.size());
    text.remove_suffix(kSuffix.size());
    return parse_number(option, "number of ranks a node", text, 1, kMaxRanks);
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

/// Adds options; `store` and `parse` get the option as the user wrote it, and its value.
class Definer {
public:
    using Store = std::function<void(const std::string& option, const std::string& value)>;
    using StorePair =
        std::function<void(const std::string& option, const std::string& first, const std::string& second)>;
    using Seen = std::map<std::string, std::string> CommandLine::*;

    Definer(CLI::App& grammar, CommandLine& line) : grammar_(grammar), line_(line) {}

    /// The heading of the help for all options that follow.
    void group(const std::string& name) { grammar_.option_defaults()->group(name); }

    /// An option with one value. It may be given again with the same value.
    void single(const std::string& names, const std::string& value, const std::string& help, Store store,
                Seen seen = &CommandLine::job_values)
    {
        // The first of the names stands for all of them.
        const std::string what = names.substr(0, names.find(','));
        const auto checked = [this_line = &line_, seen, what, store = std::move(store)](
                                 const std::string& option, const std::string& text) {
            if (first_time(this_line->*seen, what, "option " + option, text))
                store(option, text);
        };
        repeated(names, value, help, checked);
    }

    /// Likewise: `target` becomes what `parse` reads.
    template <class Target, class Parse>
    void value(const std::string& names, const std::string& value, const std::string& help, Target& target,
               Parse parse, Seen seen = &CommandLine::job_values)
    {
        const auto store = [&target, parse](const std::string& option, const std::string& text) {
            target = parse(option, text);
        };
        single(names, value, help, store, seen);
    }

    /// Likewise: one of `words`, of which the first stands for `first`.
    template <class Enum>
    void choice(const std::string& names, const std::string& help, Enum& target, Words words, Enum first)
    {
        value(
            names, "WHAT", help, target, [words, first](const std::string& option, const std::string& text) {
                return static_cast<Enum>(static_cast<std::size_t>(first) + parse_choice(option, text, words));
            });
    }

    /// An option with one value that may be given many times.
    void repeated(const std::string& names, const std::string& value, const std::string& help, Store store)
    {
        add(names, value, help, 1,
            [store = std::move(store)](const std::string& option, const Values& texts) {
                for (const std::string& text : texts)
                    store(option, text);
            });
    }

    /// An option with two values that may be given many times.
    void repeated_pair(const std::string& names, const std::string& value, const std::string& help,
                       StorePair store)
    {
        add(names, value, help, 2,
            [store = std::move(store)](const std::string& option, const Values& texts) {
                for (std::size_t i = 0; i + 1 < texts.size(); i += 2)
                    store(option, texts[i], texts[i + 1]);
            });
    }

    /// An option without a value; giving it again changes nothing.
    void flag(const std::string& names, const std::string& help, bool& target)
    {
        grammar_.add_flag_callback(
            names, [&target] { target = true; }, help);
    }

    /// An option without a value that counts how often it is given.
    void counter(const std::string& names, const std::string& help, int& target)
    {
        grammar_.add_flag_function(
            names, [&target](std::int64_t count) { target += static_cast<int>(count); }, help);
    }

    /// Accepted because command lines for other launchers have it.
    void without_effect(const std::string& names, const std::string& help) { grammar_.add_flag(names, help); }

private:
    /// `store` gets all the values of one section at once, those of a repeated option in their order.
    void add(const std::string& names, const std::string& value, const std::string& help, int values,
             std::function<void(const std::string&, const Values&)> store)
    {
        // The callback needs the option's own name, which is known only when the option exists.
        auto canonical = std::make_shared<std::string>();
        CLI::Option* option = grammar_.add_option(
            names,
            [this_line = &line_, canonical, store = std::move(store)](const CLI::results_t& texts) {
                store(this_line->spelled(*canonical), texts);
                return true;
            },
            help);
        *canonical = option->get_name();
        option->type_name(value)->type_size(1)->expected(values);
        option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
    }

    CLI::App& grammar_;
    CommandLine& line_;
};

void define_programs(Definer& define, CommandLine& line)
{
    define.group("What to run (each for the program that follows)");
    define.value(
        "-n,-c,--np,--n", "N", "number of ranks (default: one a slot, that is a core)", line.app.ranks,
        [](const std::string& option, const std::string& text) {
            return parse_number(option, "number of ranks", text, 1, kMaxRanks);
        },
        &CommandLine::app_values);
    define.value("--wdir,--wd", "DIR", "working directory of the ranks", line.app.working_directory,
                 parse_path, &CommandLine::app_values);

    const auto set = [&line](std::pair<std::string, std::string> variable) {
        const std::string shown = "variable " + variable.first;
        if (first_time(line.app_values, shown, shown, variable.second))
            line.app.environment.push_back(std::move(variable));
    };
    define.repeated(
        "-x", "VAR[=VALUE]", "set VAR; without a value: check that it is set, and hand it on",
        [set](const std::string& option, const std::string& text) { set(parse_assignment(option, text)); });
    define.repeated_pair("--env", "VAR VALUE", "the same in two words",
                         [set](const std::string& option, const std::string& name, const std::string& value) {
                             set({parse_variable_name(option, name), value});
                         });
}

void define_job(Definer& define, CommandLine& line)
{
    define.group("The job");
    define.repeated_pair(
        "--genv", "VAR VALUE", "set VAR for all programs; a program's own -x goes first",
        [&line](const std::string& option, const std::string& name, const std::string& value) {
            const std::string shown = "variable " + name;
            if (first_time(line.job_values, shown, shown, value))
                line.job_environment.emplace_back(parse_variable_name(option, name), value);
        });
    define.flag("--rank-env", "set RANK, WORLD_SIZE, LOCAL_RANK and more, as torchrun does",
                line.options.rank_variables);
    define.value("--timeout", "SECONDS", "end the job after this time, with status 124",
                 line.options.timeout_seconds, parse_seconds);
    define.value("--forward-signals", "LIST", "also pass these signals on to the ranks: WINCH,SIGURG,40",
                 line.options.forward_signals, parse_signals);
}

void define_placement(Definer& define, CommandLine& line)
{
    Options& options = line.options;
    define.group("Where ranks go");
    define.value("-H,--host,--hosts", "LIST", "hosts and their slots: a:2,user@b (default: this machine)",
                 options.hosts, parse_host_list);
    define.value("-f,--hostfile,--machinefile", "FILE",
                 "the same, a host a line: 'a:2' or 'a slots=2 user=me'", options.hosts,
                 [](const std::string& option, const std::string& text) {
                     return read_hostfile(parse_path(option, text));
                 });
    define.choice("--bind-to", "bind each rank to: none, core, socket, numa, hwthread", options.binding,
                  kBindings, Binding::none);
    const auto per_node = [&line](int ranks) {
        if (first_time(line.job_values, "ranks a node", "the number of ranks a node", std::to_string(ranks)))
            line.options.ranks_per_node = ranks;
    };
    define.single("--map-by", "WHAT", "over: slot, core, socket, numa, hwthread, node, ppr:N:node",
                  [&options, per_node](const std::string& option, const std::string& text) {
                      if (const std::optional<int> ranks = parse_per_node(option, text))
                          per_node(*ranks);
                      else
                          options.map_by = static_cast<MapBy>(parse_choice(option, text, kMapBy));
                  });
    define.single("-N,--ppn,--perhost,--npernode", "N", "N ranks on each host, as --map-by ppr:N:node",
                  [per_node](const std::string& option, const std::string& text) {
                      per_node(parse_number(option, "number of ranks a node", text, 1, kMaxRanks));
                  });
    define.choice("--rank-by", "number them over: slot, core, socket, numa, node", options.rank_by, kRankBy,
                  RankBy::slot);
    define.flag("--report-bindings", "print the cores that each rank is bound to", options.report_bindings);
    define.flag("--display-map", "print which rank goes where", options.display_map);
    define.single("--display", "WHAT", "the same: map",
                  [&options](const std::string& option, const std::string& text) {
                      parse_choice(option, text, kDisplays);
                      options.display_map = true;
                  });
}

void define_hosts(Definer& define, CommandLine& line)
{
    Options& options = line.options;
    define.group("Other hosts");
    const auto job_variable = [&line](const char* name, const std::string& value) {
        line.job_environment.emplace_back(name, value);
    };
    define.single("--interface", "LIST", "networks to use, by name or address: eth0,10.1.0.0/16",
                  [&options, job_variable](const std::string& option, const std::string& text) {
                      parse_list(option, text);
                      options.interface = text;
                      job_variable("TUTTI_INTERFACE", text);
                  });
    define.single("--fabric", "WHAT", "tcp, ofi or ofi:PROVIDER (default: ofi with RDMA, else tcp)",
                  [job_variable](const std::string& option, const std::string& text) {
                      job_variable("TUTTI_FABRIC", parse_fabric(option, text));
                  });
    define.value("--launcher", "WHAT", "start by: ssh, slurm (default: slurm in an allocation)",
                 options.launcher, [](const std::string& option, const std::string& text) {
                     return static_cast<StartMethod::Agent>(parse_choice(option, text, kLaunchers));
                 });
    define.value("--launch-agent,--launcher-exec", "CMD", "instead of ssh: 'ssh -p 2222'",
                 options.launch_agent, parse_agent);
    define.value("--prefix", "DIR", "Tutti is in DIR on other hosts (default: same path as here)",
                 options.prefix, parse_absolute_path);
    define.value("--start-timeout", "SECONDS", "how long a host may take to connect (default: 30)",
                 options.start_timeout_seconds, parse_seconds);
    define.value("--daemon-timeout", "SECONDS", "a host's daemon silent for so long is lost; 0: never (30)",
                 options.daemon_timeout_seconds, [](const std::string& option, const std::string& text) {
                     return text == "0" ? 0 : parse_seconds(option, text);
                 });
}

void define_input_output(Definer& define, CommandLine& line)
{
    Options& options = line.options;
    OutputOptions& output = options.output;
    define.group("Input and output");
    define.single("--stdin", "RANK|all|none", "who gets the standard input (default: rank 0)",
                  [&options](const std::string& option, const std::string& text) {
                      const bool number = text.find_first_not_of("-0123456789") == std::string::npos;
                      if (number) {
                          options.stdin_rank = parse_number(option, "rank", text, 0, kMaxRanks - 1);
                      } else {
                          const bool all = parse_choice(option, text, kStdinWords) == 0;
                          options.stdin_target = all ? StdinTarget::all : StdinTarget::none;
                      }
                  });
    define.flag("-l,--prepend-rank", "put the rank in front of each line: '3: '", output.label);
    define.flag("--tag-output", "put rank and stream in front of each line: '[3]<stderr>: '", output.tag);
    define.flag("--timestamp-output", "put date and time in front of each line", output.timestamp);
    define.flag("--merge-stderr-to-stdout", "write the ranks' stderr to stdout", output.merge_stderr);
    define.value("--output-filename", "DIR", "also write DIR/rank.N/stdout and DIR/rank.N/stderr",
                 output.directory, parse_path);
}

void define_the_rest(Definer& define, CommandLine& line)
{
    define.group("Tuttirun itself");
    define.flag("-q,--quiet", "print nothing of its own but errors", line.options.quiet);
    define.counter("-v,--verbose", "tell what is being done; twice: in detail", line.options.verbosity);
    define.flag("--doctor", "start nothing; check the hosts for what breaks jobs", line.options.doctor);
    define.flag("--json", "what --doctor finds as a JSON document", line.options.json);
    define.flag("-V,--version", "print the version and stop", line.version);
    define.flag("-h,--help", "print this and stop", line.help);

    define.group("Known from elsewhere, without effect");
    define.without_effect("--oversubscribe", "any number of ranks runs on any number of cores anyway");
    define.without_effect("--allow-run-as-root", "root may run jobs anyway");
    define.without_effect("--genvall,--envall", "ranks inherit the whole environment anyway");
}

}  // namespace

std::string CommandLine::spelled(const std::string& canonical) const
{
    const auto found = typed.find(canonical);
    return found == typed.end() ? canonical : found->second;
}

void define_options(CLI::App& grammar, CommandLine& line)
{
    grammar.set_help_flag();
    Definer define(grammar, line);
    define_programs(define, line);
    define_job(define, line);
    define_placement(define, line);
    define_hosts(define, line);
    define_input_output(define, line);
    define_the_rest(define, line);
}

Dictionary spellings_of(const CLI::App& grammar)
{
    Dictionary dictionary;
    for (const CLI::Option* option : grammar.get_options()) {
        const KnownOption known{option->get_name(), option->get_items_expected_min()};
        for (const std::string& name : option->get_lnames()) {
            dictionary.try_emplace("--" + name, known);
            dictionary.try_emplace("-" + name, known);
        }
        for (const std::string& name : option->get_snames())
            dictionary.insert_or_assign("-" + name, known);
    }
    return dictionary;
}

}  // namespace tutti::launcher
