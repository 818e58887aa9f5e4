// The launcher's options: their spellings, what they take, their help line and what they do, each said once.
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

/// What has been read so far. Options of the whole job may stand before any of the programs; -n, -x, -env and
/// -wdir belong to the program that they precede.
struct CommandLine {
    Options options;
    AppContext app;                                                    // the section being read
    std::vector<std::pair<std::string, std::string>> job_environment;  // -genv
    std::map<std::string, std::string> typed;                          // canonical spelling -> as typed
    std::map<std::string, std::string> job_values;                     // seen so far, to find contradictions
    std::map<std::string, std::string> app_values;                     // likewise, of this section
    bool help = false;
    bool version = false;

    /// How the user wrote the option, for messages.
    std::string spelled(const std::string& canonical) const;
};

/// Adds all options to `grammar`. Parsing with it writes into `line`, which must live as long. Its callbacks
/// throw UsageError for values that make no sense and for an option given twice with different values.
void define_options(CLI::App& grammar, CommandLine& line);

/// Every spelling that is accepted: short, long, and long with a single dash as Hydra has it.
Dictionary spellings_of(const CLI::App& grammar);

}  // namespace tutti::launcher
