#include "launcher/command_line/grammar.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hwloc.h>
#include <pmix.h>

#include "launcher/job/job_messages.hpp"

namespace tutti::launcher {
namespace {

/// Column of the descriptions. Longer lists of spellings have a line of their own.
constexpr std::size_t kOptionColumn = 38;

constexpr std::string_view kUsage =
    R"(Usage: tuttirun [OPTIONS] PROGRAM [ARGUMENTS] [: [OPTIONS] PROGRAM [ARGUMENTS]]...

Starts PROGRAM in several ranks and ends when all of them have. Options end at the first word that
is none, or at '--'. Long options may have one dash or two (-np, --np) and '=' before their value.
Files of settings say what nobody says here: see Files, below.
)";

constexpr std::string_view kBindingNote = R"(
Without --bind-to, a single rank may use all cores. Several ranks get cores of their own: each
OMP_NUM_THREADS of them or, where that is not set, an equal share. When there are more ranks (or
threads) than cores, nobody is bound. --map-by core and hwthread give one of these to each rank.
--bind-to core with more ranks than cores puts several ranks on a core.
)";

constexpr std::string_view kHostsNote = R"(
Ranks fill the slots of one host after the other, and all again when there are more ranks than
slots; --map-by node deals them out in turn. Hosts run the same Tutti at the same path (or see
--prefix), and 'ssh HOST true' must work there without a password.
)";

constexpr std::string_view kShorthandNote = R"(
--bynode, --bycore, --bysocket, --byslot and --rr are --map-by's, --bind-to-core, --bind-to-socket
and --bind-to-none --bind-to's; --pernode is -N 1. slot:PE=4 and core:4 give four cores to a rank.
)";

constexpr std::string_view kExamples = R"(
Examples:
  tuttirun ./a.out                              one rank a core
  tuttirun -n 4 ./a.out input.dat               4 ranks; what follows the program belongs to it
  tuttirun -n 2 --bind-to core --report-bindings ./a.out
                                                one core each, and say which
  tuttirun -n 4 -x OMP_NUM_THREADS=8 ./a.out    4 ranks with 8 threads and 8 cores each
  tuttirun -n 4 --rank-env python3 train.py     each rank has RANK, WORLD_SIZE, LOCAL_RANK,
                                                LOCAL_WORLD_SIZE, NODE_RANK and GROUP_RANK
  tuttirun -n 1 ./server : -n 7 ./worker        two programs, one job: server is rank 0
  tuttirun -n 3 -l hostname                     any program runs; lines are marked '0: ' '1: ' '2: '
  tuttirun -n 2 --timeout 60 --output-filename logs ./a.out
                                                at most a minute; a copy of the output goes to files
  tuttirun -n 4 --debug 1 ./a.out               rank 1 in gdb, in this terminal; the others run
  tuttirun -n 4 --debug 0,3 --terminal tmux ./a.out
                                                two ranks in gdb, a window for each
  tuttirun -n 4 --report-json report.json ./a.out
                                                what became of the job, for scripts
  tuttirun -H a:2,b:4 ./a.out                   2 ranks on host a, 4 on host b, started over ssh
  tuttirun -H 'node[01-16]:8' ./a.out           8 ranks on each of 16 hosts
  tuttirun --hostfile hosts -N 8 ./a.out        8 ranks on each of the hosts in a file
  tuttirun -H a,b --launch-agent 'ssh -p 2222' ./a.out
                                                another port, or another command, instead of ssh
  salloc -N 4 tuttirun ./a.out                  in a Slurm allocation: a rank for each of its tasks
  tuttirun --status                             what do the ranks of my running job wait for?
  tuttirun --top                                watch them
  tuttirun --doctor --hostfile hosts            are these hosts fit for a job, and if not, why?
                                                Beyond 16 hosts each pair is probed one way only
  tuttirun --doctor --json -H a,b               the same for programs

Exit status:
  0          all ranks ended with 0
  1-255      that of the rank that failed first; 128 + N if signal N killed it
  2          the command line, hostfile or environment is wrong, nothing was started
  35         --on-deadlock abort has ended a job whose ranks waited for each other
  66         --check has found mistakes
  124        the time of --timeout is over
  126, 127   the program cannot be executed, or is not found
  130, 143   tuttirun was told to stop: by Ctrl-C, by SIGTERM
  1          of --doctor: something is broken

Environment:
)";

constexpr std::string_view kVariables = R"(  TUTTI_TCP_CONGESTION
                     TCP's congestion control between ranks: one of the kernel's,
                     or 'system' to keep even bbr
  SLURM_JOB_NODELIST, SLURM_TASKS_PER_NODE
                     hosts and slots, where neither -H nor --hostfile is given
  PBS_NODEFILE, LSB_DJOB_HOSTFILE, LSB_MCPU_HOSTS, PE_HOSTFILE, FLUX_URI
                     likewise of PBS, LSF, Grid Engine and Flux
  OMPI_MCA_orte_default_hostfile, HYDRA_HOST_FILE, I_MPI_HYDRA_HOST_FILE
                     likewise a hostfile, as Kubernetes' MPI Operator names it
  OMP_NUM_THREADS    cores that each rank gets when --bind-to is not given
  TUTTI_CONF         files of settings in place of the two below, separated by ':', or 'none'
  Ranks inherit the whole environment, with PMIX_* variables of their own.

Files:
  /etc/tutti/tutti.conf (with another prefix PREFIX/etc/tutti/tutti.conf), ~/.config/tutti.conf
                     'key = value' lines for all jobs. Keys are long options without dashes
                     (bind-to = core, tag-output = yes) and TUTTI_ variables. The second file goes
                     before the first, the environment before both, this command line before all;
                     --tag-output=no takes back an option without a value. 'tutti-info --config'
                     shows each value and where it comes from
)";

/// "  -n, --np N"
std::string spellings(const OptionDefinition& option)
{
    const std::string_view space = option.placeholder.empty() || option.attachable ? "" : " ";
    return fmt::format("  {}{}{}", fmt::join(option.names, ", "), space, option.placeholder);
}

/// The help of an option and, where it says something, its default: on a line of its own where the line is
/// full.
std::string description(const OptionDefinition& option)
{
    constexpr std::size_t kColumns = 100;
    constexpr std::string_view kNothing[] = {"none", "no", "off"};
    if (option.setting == nullptr ||
        std::ranges::find(kNothing, option.setting->otherwise) != std::end(kNothing))
        return option.help;
    const std::string otherwise = fmt::format("(default: {})", option.setting->otherwise);
    const bool fits = kOptionColumn + option.help.size() + 1 + otherwise.size() <= kColumns;
    return option.help + (fits ? " " : '\n' + std::string(kOptionColumn, ' ')) + otherwise;
}

/// What stands below the last option of a group.
std::string_view note_on(std::string_view group)
{
    return group.starts_with("Where")         ? kBindingNote
           : group.starts_with("Other hosts") ? kHostsNote
           : group.starts_with("Options of")  ? kShorthandNote
                                              : "";
}

}  // namespace

std::string help_text(std::span<const OptionDefinition> options)
{
    std::string text(kUsage);
    std::string_view group;
    for (const OptionDefinition& option : options) {
        if (option.group != group) {
            text += note_on(group);
            group = option.group;
            text += fmt::format("\n{}:\n", group);
        }
        const std::string names = spellings(option);
        const bool wide = names.size() >= kOptionColumn;
        text += fmt::format("{:<{}}{}\n", wide ? names + '\n' + std::string(kOptionColumn, ' ') : names,
                            kOptionColumn, description(option));
    }
    text += note_on(group);
    text += kExamples;
    for (const settings::KnownSetting& known : settings::known_settings())
        if (!known.option.empty() && !known.variable.empty())
            text += fmt::format("  {:<18} as --{}, which goes before it\n", known.variable, known.option);
    return text.append(kVariables);
}

std::string version_text(std::string_view command)
{
    const std::string_view name = command.substr(command.rfind('/') + 1);
    const bool stands_in = name.starts_with("mpi");
    return fmt::format(
        "{} (Tutti) {}\n{}PMIx:  {}\nhwloc: {}\n", stands_in ? name : "tuttirun", kVersion,
        stands_in ? "takes the options of mpirun (Open MPI) 4.1 and of mpiexec (MPICH) 4.0\n" : "",
        PMIx_Get_version(), HWLOC_VERSION);
}

}  // namespace tutti::launcher
