// Facts about this host, which its daemon collects for --doctor.
#pragma once

#include "launcher/doctor/messages.hpp"

namespace tutti::launcher::doctor {

/// Fills in all but the network and the cores. Blocks for many seconds where a name server does not answer.
void collect_facts(const FactsTask& task, Facts& facts);

}  // namespace tutti::launcher::doctor
