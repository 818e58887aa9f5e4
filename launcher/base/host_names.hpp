// Lists of hosts as messages show them: "node[001-099], login". What stands in brackets is read back where
// hosts are named.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tutti::launcher {

/// With more hosts a report does not show each by itself, but those alike together; -v shows all.
inline constexpr std::size_t kHostsInFull = 6;

/// The names with ranges of numbers folded, each name once, in the order of first appearance: "node[01-03,7],
/// login". In each name one number is folded, the one that most others differ in; numbers of users and of
/// IPv6 addresses are not. What is too long for a line ends by how many more there are.
std::string hosts_in_words(std::span<const std::string> names);

/// All names, folded like those, without blanks, as --host reads them.
std::string folded_hosts(std::span<const std::string> names);

}  // namespace tutti::launcher
