// How many cores ranks have, as the machine or a user says.
#pragma once

namespace tutti::settings {

/// Whether `local_ranks` ranks must share cores: there are more of them than machine_cpus(), or a launcher
/// sets TUTTI_SHARED_CORES=1 (0 means no).
bool cores_are_shared(int local_ranks);
/// Whether so many ranks share cores that the turns of all others take longer than a sleep and a wake-up.
bool cores_are_crowded(int local_ranks);

/// How many cores the calling thread's process has for itself: those of its affinity mask, at most an equal
/// share of the machine's; at least 1. Launchers give each rank its own mask, or none.
int cores_owned(int local_ranks);

}  // namespace tutti::settings
