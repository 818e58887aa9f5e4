// Where there are many hosts, findings that are alike become one: "node[001-099]: shared memory works".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/doctor/judge.hpp"

namespace tutti::launcher::doctor {

/// For people; programs get each finding. Those of several hosts with the same check, level, words and remedy
/// become one, at the place of the first. Of ways between hosts that fail, those of the host with most of
/// them become one.
std::vector<Finding> fold(const std::vector<Finding>& findings);

/// `text` with HOST where it has the host's name as a word, also with its address ("b (10.0.0.2)"), so that
/// it may be alike for several hosts.
std::string for_any_host(std::string_view text, std::string_view name);

}  // namespace tutti::launcher::doctor
