// How many cores this process can really use.
#pragma once

namespace tutti::base {

/// The machine's hardware threads, limited by a cgroup's CPU quota; at least 1. The affinity mask does not
/// count: a launcher narrows it for each rank.
double machine_cpus();

/// Whether `local_ranks` ranks must share cores: there are more of them than machine_cpus(), or a launcher
/// sets TUTTI_SHARED_CORES=1 (0 means no).
bool cores_are_shared(int local_ranks);
/// Whether so many ranks share cores that the turns of all others take longer than a sleep and a wake-up.
bool cores_are_crowded(int local_ranks);

/// How many cores the calling thread's process has for itself: those of its affinity mask, at most an equal
/// share of the machine's; at least 1. Launchers give each rank its own mask, or none.
int cores_owned(int local_ranks);

/// The CPU for process number `index` of `count` processes that share the allowed CPUs of this thread evenly,
/// with neighbours side by side; -1 when unknown.
int cpu_of(int index, int count) noexcept;

/// Keeps the calling thread off `cpu`, if it may run on others.
void leave_cpu(int cpu) noexcept;

/// Moves the calling thread to `cpu`, if that is allowed, without binding it there.
void move_to_cpu(int cpu) noexcept;

}  // namespace tutti::base
