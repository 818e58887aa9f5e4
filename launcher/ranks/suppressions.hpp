// What leak checkers need to know of the libraries below Tutti, so that a correct program passes under them.
#pragma once

#include <string>

#include "launcher/ranks/rank_environment.hpp"

namespace tutti::launcher {

/// The folder of these files: beside that of this program, share/tutti. Empty where it is not there.
std::string suppressions_folder();

/// Adds the files of `folder` to LSAN_OPTIONS and VALGRIND_OPTS, behind what the user has there.
/// LeakSanitizer takes one file only, so the user's own stays.
void add_suppressions(RankEnvironment& environment, const std::string& folder);

}  // namespace tutti::launcher
