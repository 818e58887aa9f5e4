// Files with parts of the command line: Hydra's -configfile, Open MPI's --app.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tutti::launcher {

/// The words of the file at `path`, with ":" between its lines. Each line is a part of the command line:
/// options, a program and its arguments; '#' at its start makes it a comment, '\' at its end joins it with
/// the next, and quotes, '...' or "...", keep blanks within a word. A ':' at the end of a line may be there
/// or not. Throws UsageError for a file without such lines, and for one that cannot be read.
std::vector<std::string> read_configfile(const std::string& path);

}  // namespace tutti::launcher
