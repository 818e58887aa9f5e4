// The rings of a rank's profile: its last calls and messages.
#pragma once

#include "launcher/profile/rank_profile.hpp"

namespace tutti::launcher {

/// Fills in what a timeline needs. What the rank was writing when it died is left out.
void read_trace(RankProfile& profile, const base::ProfileMemory& memory, const ProfileClock& clock);

}  // namespace tutti::launcher
