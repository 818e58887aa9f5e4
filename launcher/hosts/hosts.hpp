// The hosts of a job and how their daemons are started, from the command line, a hostfile and the scheduler;
// which of them is this machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/job/job_plan.hpp"

namespace tutti::launcher {

struct JobHosts {
    std::vector<Host> hosts;         // never empty
    std::vector<std::string> agent;  // of the allocation that they come from; empty: it brings none
};

/// The nodes of the job in their order: the hosts that the user names, or those of the Slurm allocation or of
/// another one (allocation.hpp), or this one. An allocation is read only where its hosts are used. The slots
/// of a host that is named several times add up; all names of this machine are one host (Host::local). Where
/// srun starts the daemons, the hosts must be in the allocation, which gives the slots that the user does
/// not. Last hosts that cannot get a rank are left out, so that they need no daemon, except with --doctor.
/// Throws UsageError.
JobHosts job_hosts(const JobOptions& options);

/// How the daemons of other hosts are started: by `agent`, from job_hosts(), where the user names no other
/// way. Throws UsageError where that is not possible.
StartMethod start_method(const JobOptions& options, std::vector<std::string> agent);

/// Which process starts a daemon: the head starts the first kTreeRadix, earlier daemons start the others.
/// `index` counts the hosts that are not local; the result is such an index, or -1 for the head.
int starter_of(int index);
/// The hosts that daemon `index` of `count` starts (-1: the head): the first, and one after the last.
std::pair<int, int> started_by(int index, int count);

inline constexpr int kTreeRadix = 32;

/// This machine's name as the system reports it.
std::string local_host_name();

/// Whether `name` is this machine: localhost, its host name with or without its domain, or the address of
/// one of its interfaces. Only the resolver knows a name with a domain that the host name lacks. Asks no
/// name server, so it does not block.
bool is_this_host(std::string_view name);

/// Whether `name` is equal to this machine's up to the first dot: only the resolver can tell whether it is
/// this machine.
bool is_like_this_host(std::string_view name);

/// Whether the system's resolver, which may ask a name server, knows only addresses of this machine for
/// `name`. Another host may have some of them, too, such as those of bridges.
bool resolves_to_this_host(const std::string& name);

/// The names in a list of Slurm's: "node[01-03,7],login" is node01, node02, node03, node7, login. A name
/// may have several brackets. Throws UsageError with `variable` for anything else and for more than
/// kMaxRanks names.
std::vector<std::string> expand_host_list(std::string_view variable, std::string_view text);

/// "2(x3),1" is 2, 2, 2, 1. Throws UsageError like expand_host_list().
std::vector<int> expand_counts(std::string_view variable, std::string_view text);

/// The hosts of the Slurm job that this process belongs to, with one slot for each task; nothing outside of
/// a job. Reads the environment only. Throws UsageError when that contradicts itself.
std::optional<std::vector<Host>> slurm_allocation();

/// Whether `name` is the node of the allocation that this process runs on.
bool is_this_slurm_node(std::string_view name);

}  // namespace tutti::launcher
