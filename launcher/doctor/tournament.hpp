// The order of probes: no host is in two probes at once, since they would disturb each other.
#pragma once

#include <utility>
#include <vector>

namespace tutti::launcher::doctor {

/// All ordered pairs of `members`, in rounds in which no member is in two pairs. Without `both`, each pair
/// in one direction only.
std::vector<std::vector<std::pair<int, int>>> tournament(std::vector<int> members, bool both);

}  // namespace tutti::launcher::doctor
