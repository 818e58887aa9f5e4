// What --help and --version print.
#pragma once

#include <span>
#include <string>

#include "launcher/command_line/grammar.hpp"

namespace tutti::launcher {

/// Usage, the options by theme, examples, exit statuses and environment variables; at most 100
/// columns wide.
std::string help_text(std::span<const OptionDefinition> options);

/// "tuttirun (Tutti) 0.1.0" and the versions of the libraries in use.
std::string version_text();

}  // namespace tutti::launcher
