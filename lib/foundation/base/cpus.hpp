// How many cores this process may really use.
#pragma once

namespace tutti::base {

/// Hardware threads that the machine has, less what a cgroup's CPU quota takes away; at least 1. The affinity
/// mask is left out on purpose: a launcher narrows it rank by rank.
double machine_cpus();

/// Whether `local_ranks` ranks have to share cores: more of them than machine_cpus(), or TUTTI_SHARED_CORES=1
/// from a launcher that knows better (0 says no).
bool cores_are_shared(int local_ranks);
/// Whether so many share them that the turns of all others take longer than falling asleep and being woken.
bool cores_are_crowded(int local_ranks);

/// How many cores the calling thread's process has to itself: those of its affinity mask, at most an equal
/// share of the machine's; at least 1. Launchers give ranks masks of their own or none.
int cores_owned(int local_ranks);

/// The CPU for number `index` of `count` processes that share evenly those that this thread may run on,
/// neighbours together; -1 where that is unknown.
int cpu_of(int index, int count) noexcept;

/// Keeps the calling thread off `cpu`, where it may run on others.
void leave_cpu(int cpu) noexcept;

/// Moves the calling thread to `cpu`, if it is not there and may be, without tying it to it.
void move_to_cpu(int cpu) noexcept;

}  // namespace tutti::base
