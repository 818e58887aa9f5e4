// The words of a report: what ranks do, and for how long.
#pragma once

#include <string>
#include <string_view>

#include "launcher/report/node_report.hpp"

namespace tutti::launcher {

/// "31 s", "2 min 5 s".
std::string duration_in_words(double seconds);
/// "rank 3", "ranks 0-2, 4".
std::string ranks_in_words(const Ranges& ranges);
/// "allreduce #412 of world, 1 MiB, sum of float32", "recv from 7, tag 42, on "rows"".
std::string call_in_words(const RankGroup& group);
/// The name of the call alone: "allreduce #412 of world", "recv, tag 42".
std::string short_call(const RankGroup& group);
/// "recv from 7, tag 42, for 44 s", "computing for 31 s; its last call: send to 2, tag 0".
std::string group_in_words(const RankGroup& group);

}  // namespace tutti::launcher
