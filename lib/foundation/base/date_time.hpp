// Dates and times as text.
#pragma once

#include <ctime>
#include <string>

namespace tutti::base {

/// @p time as @p format says it to strftime, at most 63 characters. By fmt/chrono.h each
/// unit would have fmt's writers of numbers.
std::string utc_text(std::time_t time, const char* format);
/// utc_text() with the time of this machine's zone.
std::string local_text(std::time_t time, const char* format);

}  // namespace tutti::base
