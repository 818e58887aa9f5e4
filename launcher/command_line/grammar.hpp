// The launcher's options: their spellings, values, help lines and effects.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "launcher/base/words.hpp"
#include "launcher/job/job.hpp"

namespace CLI {
class App;
}

namespace tutti::launcher {

/// What has been read so far. Options of the whole job may stand before any program; -n, -x, -env and -wdir
/// belong to the program that follows them.
struct CommandLine {
    Options options;
    AppContext app;                                                    // the section being read
    std::vector<std::pair<std::string, std::string>> job_environment;  // -genv
    std::map<std::string, std::string> typed;                          // canonical spelling -> as typed
    std::map<std::string, std::string> job_values;  // of all sections, to find contradictions
    std::map<std::string, std::string> app_values;  // likewise, of this section
    bool help = false;
    bool version = false;

    /// How the user wrote the option, for messages.
    std::string spelled(const std::string& canonical) const;
};

/// Adds all options to `grammar`. Parsing writes into `line`, which must outlive it, and throws UsageError
/// for wrong values and for an option that is given twice with different values.
void define_options(CLI::App& grammar, CommandLine& line);

/// Every spelling that is accepted: short, long, and long with a single dash as Hydra has it.
Dictionary spellings_of(const CLI::App& grammar);

}  // namespace tutti::launcher
