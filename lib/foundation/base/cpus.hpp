// The CPUs of this machine, and on which of them a thread runs.
#pragma once

namespace tutti::base {

/// The machine's hardware threads, limited by a cgroup's CPU quota; at least 1. The affinity mask does not
/// count: a launcher narrows it for each rank.
double machine_cpus();

/// The CPU for process number `index` of `count` processes that share the allowed CPUs of this thread evenly,
/// with neighbours side by side; -1 when unknown.
int cpu_of(int index, int count) noexcept;

/// Keeps the calling thread off `cpu`, if it may run on others.
void leave_cpu(int cpu) noexcept;

/// Moves the calling thread to `cpu`, if that is allowed, without binding it there.
void move_to_cpu(int cpu) noexcept;

}  // namespace tutti::base
