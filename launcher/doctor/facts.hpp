// What this host is like: looked up by the daemon for --doctor.
#pragma once

#include "launcher/doctor/messages.hpp"

namespace tutti::launcher::doctor {

/// Fills in all but the network and the cores. Names are looked up as other programs do it, which may take
/// many seconds where a name server does not answer. Not to be called in a thread that has other duties.
void look_around(const FactsTask& task, Facts& facts);

}  // namespace tutti::launcher::doctor
