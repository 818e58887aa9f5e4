// Who probes whom, and when: no host is in two probes at once, which would measure each other.
#pragma once

#include <utility>
#include <vector>

namespace tutti::launcher::doctor {

/// All ordered pairs of `members` in rounds in which nobody is in two pairs; only one direction of each pair
/// unless `both`.
std::vector<std::vector<std::pair<int, int>>> tournament(std::vector<int> members, bool both);

}  // namespace tutti::launcher::doctor
