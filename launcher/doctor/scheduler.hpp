// Whether a scheduler gives the hosts, and can start daemons on them.
#pragma once

#include "launcher/doctor/finding.hpp"

namespace tutti::launcher::doctor {

/// From the environment of this process and its PATH.
Finding judge_scheduler();

}  // namespace tutti::launcher::doctor
