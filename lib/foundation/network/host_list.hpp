// Lists of hosts, and of counts for them, as Slurm and other resource managers write them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::network {

/// A list has at most so many names or counts, and no larger count.
inline constexpr std::size_t kMostListed = 65536;

/// Whether `name` can be the name or address of a host. Commands and shells cannot take a name that passes
/// for an option or for several words.
bool is_host_name(std::string_view name);

/// The names in a list: "node[01-03,7],login" is node01, node02, node03, node7, login. A name may have
/// several brackets. Throws std::invalid_argument for anything else and for more than kMostListed names.
std::vector<std::string> expand_host_list(std::string_view text);

/// "2(x3),1" is 2, 2, 2, 1. Throws std::invalid_argument likewise.
std::vector<int> expand_counts(std::string_view text);

}  // namespace tutti::network
