// The launcher's options: their spellings, values, help lines and effects.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/base/option_words.hpp"
#include "launcher/command_line/given_values.hpp"
#include "launcher/job/job_plan.hpp"
#include "lib/foundation/settings/known_settings.hpp"

namespace tutti::launcher {

/// `text`, where it names interfaces or subnets. Whether hosts have these is found there.
std::string parse_interface(const std::string& source, const std::string& text);

/// What has been read so far. Options of the whole job may stand before any program; -n, -x, -env and -wdir
/// belong to the program that follows them.
struct CommandLine {
    JobOptions options;
    AppContext app;                                                    // the section being read
    std::vector<std::pair<std::string, std::string>> job_environment;  // -genv
    GivenValues job_values;                                            // of all sections: no contradictions
    GivenValues app_values;                                            // of this section alone
    bool status = false;
    bool top = false;
    bool help = false;
    bool version = false;
};

struct OptionDefinition {
    std::vector<std::string> names;  // with their dashes; the first stands for all
    int values = 0;                  // how many words follow it
    std::string placeholder;         // for these words, in the help
    std::string help;
    std::string group;  // the heading that it stands below in the help
    /// Gets the option as the user wrote it, and its values. Throws UsageError for wrong ones, and for an
    /// option that is given again with another value.
    std::function<void(const std::string& option, std::span<const std::string> values)> store;
    const settings::KnownSetting* setting = nullptr;  // nullptr: it has no effect
    bool attachable = false;  // no words follow it, but it may have a value: "--check=LIST"
    bool is_number = false;   // the word that follows it is a number
};

/// All options, group by group. They write into `line`, which must outlive them.
std::vector<OptionDefinition> define_options(CommandLine& line);

/// Every spelling that is accepted: short, long, and long with a single dash as Hydra has it.
Dictionary spellings_of(std::span<const OptionDefinition> options);

/// Usage, the options by theme, examples, exit statuses and environment variables; at most 100
/// columns wide.
std::string help_text(std::span<const OptionDefinition> options);

/// "tuttirun (Tutti) 0.1.0" and the versions of the libraries in use. Under a name of MPI's, "mpirun", it
/// also says whose options it takes: build systems and launchers of others search this text for "Open MPI",
/// "(Open MPI)" or "MPICH".
std::string version_text(std::string_view command);

}  // namespace tutti::launcher
