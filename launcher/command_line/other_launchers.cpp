#include "launcher/command_line/other_launchers.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "launcher/base/option_values.hpp"

namespace tutti::launcher {
namespace {

constexpr const char* kMca = "--mca,--gmca,--prtemca,--pmixmca";

struct WithoutEffect {
    const char* names;
    int values;
    const char* placeholder;
    const char* help;
};

constexpr WithoutEffect kWithoutEffect[] = {
    {kMca, 2, "KEY VALUE", "Open MPI's own, but for plm_rsh_agent and plm_rsh_args"},
    {"--tune,--am", 1, "FILE", "the same from a file"},
    {"--allow-run-as-root", 0, "", "root may run jobs anyway"},
    {"--oversubscribe,--use-hwthread-cpus", 0, "", "any number of ranks runs on any number of cores"},
    {"--nooversubscribe", 0, "", "max_slots in a hostfile limits ranks"},
    {"--genvall,--envall", 0, "", "ranks inherit the whole environment anyway"},
    {"--display-allocation,--display-devel-map", 0, "", "--display-map shows hosts and ranks"},
    {"--print-all-exitcodes", 0, "", "the rank that failed first is named anyway"},
    {"--disable-auto-cleanup", 0, "", "a rank that fails ends the job"},
    {"--ordered-output", 0, "", "lines of different ranks do not mix anyway"},
    {"--get-stack-traces,--report-state-on-timeout", 0, "", "where ranks are is not printed"},
    {"--enable-x,--disable-x,--disable-hostname-propagation,--noprefix", 0, "",
     "see --launch-agent, --prefix"},
    {"--hetero-nodes,--novm,--do-not-resolve,--noconf,--silent-abort", 0, "", "nothing to switch"},
    {"--rmk,--topolib,--demux,--usize,--localhost", 1, "WHAT", "nothing to choose"},
    {"--membind,--branch-count,--tmpdir,--gpus-per-proc", 1, "WHAT", "nothing to choose"},
};

struct Shorthand {
    const char* word;
    const char* option;
    const char* value;
};

constexpr Shorthand kShorthands[] = {
    {"bycore", "--map-by", "core"},
    {"bynode", "--map-by", "node"},
    {"bysocket", "--map-by", "socket"},
    {"byslot", "--map-by", "slot"},
    {"rr", "--map-by", "node"},
    {"bind-to-core", "--bind-to", "core"},
    {"bind-to-none", "--bind-to", "none"},
    {"bind-to-socket", "--bind-to", "socket"},
    {"pernode", "-N", "1"},
};

/// Those of --map-by and --bind-to that say what Tutti does anyway, or what has no meaning here.
constexpr std::array<std::string_view, 8> kModifiers = {
    "oversubscribe", "nooversubscribe", "overload-allowed", "if-supported",
    "span",          "hwtcpus",         "inherit",          "noinherit"};

/// Of Open MPI's parameters: the command that starts daemons, and what is added to it. Of several commands
/// the first.
bool says_how_to_reach_hosts(JobOptions& options, const std::string& option, Definer::Values values)
{
    const std::string& key = values.front();
    if (key == "plm_rsh_agent" || key == "plm_ssh_agent" || key == "orte_rsh_agent") {
        options.launch_agent = parse_agent(option, values.back());
        options.launch_agent.erase(std::ranges::find(options.launch_agent, ":"), options.launch_agent.end());
    } else if (key == "plm_rsh_args" || key == "plm_ssh_args") {
        options.agent_arguments = parse_agent(option, values.back());
    } else {
        return false;
    }
    return true;
}

}  // namespace

void define_options_of_other_launchers(Definer& define, JobOptions& options)
{
    std::vector<std::string>& given = options.without_effect;
    define.group("Options of other launchers, without effect (-v lists those that were given)");
    for (const WithoutEffect& option : kWithoutEffect) {
        define.add(option.names, option.values, option.placeholder, option.help,
                   [&given, &options](const std::string& name, Definer::Values values) {
                       if (values.size() == 2 && says_how_to_reach_hosts(options, name, values))
                           return;
                       std::string words = name;
                       for (const std::string& value : values)
                           words += ' ' + value;
                       if (std::ranges::find(given, words) == given.end())
                           given.push_back(words);
                   });
    }
}

void add_shorthands(Dictionary& dictionary)
{
    for (const Shorthand& shorthand : kShorthands) {
        const std::string& canonical = dictionary.at(shorthand.option).canonical;
        for (const char* dashes : {"-", "--"})
            dictionary.emplace(dashes + std::string(shorthand.word),
                               KnownOption{canonical, 0, shorthand.value});
    }
}

std::string take_modifiers(const std::string& option, std::string value,
                           const std::function<void(const std::string& option, std::string_view text)>& cores)
{
    while (true) {
        const std::size_t colon = value.rfind(':');
        std::string modifier = colon == std::string::npos ? "" : value.substr(colon + 1);
        std::ranges::transform(modifier, modifier.begin(), [](unsigned char c) { return std::tolower(c); });
        if (modifier.starts_with("pe="))
            cores(option, modifier.substr(3));
        else if (value == "core:" + modifier && modifier.find_first_not_of("0123456789") == std::string::npos)
            cores(option, modifier);
        else if (std::ranges::find(kModifiers, modifier) == kModifiers.end())
            return value == "package" ? "socket" : value;  // as Open MPI 5 calls it
        value.erase(colon);
    }
}

bool belongs_to_other_library(std::string_view variable)
{
    static constexpr std::array<std::string_view, 6> kPrefixes = {"I_MPI_",     "OMPI_",  "PRTE_",
                                                                  "MPIR_CVAR_", "MPICH_", "HYDRA_"};
    return std::ranges::any_of(kPrefixes,
                               [variable](std::string_view prefix) { return variable.starts_with(prefix); });
}

}  // namespace tutti::launcher
