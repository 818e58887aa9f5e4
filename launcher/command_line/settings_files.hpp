// Files of configuration, as tuttirun takes them: for what neither the command line nor the environment says.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "launcher/command_line/grammar.hpp"

namespace tutti::launcher {

/// Reads the files (lib/foundation/settings/configuration.hpp) and puts into `line` what they say: options as
/// if they had been given, variables into the job's environment, so that ranks on all hosts have the same.
/// `given` are the options of the command line, by their first names. Throws UsageError, which names file and
/// line.
void apply_configuration(CommandLine& line, std::span<const OptionDefinition> definitions,
                         const std::vector<std::string>& given);

}  // namespace tutti::launcher
