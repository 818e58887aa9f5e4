// What tutti-info tells, as text for people and as JSON for programs.
#pragma once

#include <string>

#include "launcher/info/candidates.hpp"
#include "launcher/info/explain.hpp"
#include "launcher/info/options.hpp"
#include "launcher/info/overview.hpp"

namespace tutti::info {

std::string as_text(const Overview& overview);
std::string as_json(const Overview& overview);

/// The answer to --explain.
struct Answer {
    const Options& options;
    const Explanation& explanation;
    const std::vector<Candidate>& candidates;
};
std::string as_text(const Answer& answer);
std::string as_json(const Answer& answer);

/// "1.23 us", with three digits.
std::string in_time(double time_ns);

}  // namespace tutti::info
