// The rows of tuttirun --top: a line for all ranks that do the same, as wide as there is room.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "launcher/top/snapshot.hpp"

namespace tutti::launcher {

enum class TopOrder { time, processors, memory, bytes, ranks };

/// The groups in this order, the largest first.
std::vector<const RankGroup*> ordered(const TopSnapshot& snapshot, TopOrder order);

/// Job and sums, and who waits longest.
std::vector<std::string> head_lines(const TopSnapshot& snapshot);

/// A line of titles and one for each group. What a line does not hold is cut; columns that have no room are
/// left out.
std::vector<std::string> table_lines(const std::vector<const RankGroup*>& groups, std::size_t width);

/// "950", "1.2k", "35M": at most five characters.
std::string short_number(double value);
/// At most five characters, in units of 1024: "1.2M".
std::string short_bytes(double bytes);
/// "0-2, 4", at most `width` characters; "+7" stands for as many ranks that have no room.
std::string short_ranks(const Ranges& ranges, int count, std::size_t width);

}  // namespace tutti::launcher
