// PMI_process_mapping: which rank is on which node, as launchers that speak PMI say it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::control {

inline constexpr const char* kProcessMappingKey = "PMI_process_mapping";

/// The node of each of `ranks` ranks. "(vector,(0,2,4),(2,1,8))" has four ranks on each of two nodes from
/// node 0 on, then eight on node 2, and again from the beginning for further ranks. Nothing unless `text` is
/// such.
std::optional<std::vector<int>> nodes_of_mapping(std::string_view text, int ranks);

/// The text for these nodes.
std::string mapping_of_nodes(std::span<const int> node_of_rank);

}  // namespace tutti::control
