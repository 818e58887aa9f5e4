// How a rank's end is judged and put into words.
#pragma once

#include <optional>
#include <string>

#include "launcher/job/messages.hpp"

namespace tutti::launcher {

struct Failure {
    int exit_status = 1;  // what tuttirun exits with
    std::string text;     // the sentence's part after "rank N (pid P, on HOST)"
};

/// Nothing when the rank ended well: status 0 and, if it had joined the job, after it left that.
std::optional<Failure> judge_exit(const ExitReport& report);
/// Of a rank that ended well, and never was in the job that others are in.
Failure judge_absence();
Failure judge_abort(int status, const std::string& message);
/// 127 where there is no such program, 126 where it cannot be run, as shells have it.
Failure judge_start(int error_number, const std::string& what);

}  // namespace tutti::launcher
