// Dates and times as text.
#pragma once

#include <ctime>
#include <string>

namespace tutti::base {

/// @p time as @p format says it to strftime, at most 63 characters. Where fmt's own words for times are
/// included, a unit compiles twice as long.
std::string utc_text(std::time_t time, const char* format);
/// The same in this machine's time zone.
std::string local_text(std::time_t time, const char* format);

}  // namespace tutti::base
