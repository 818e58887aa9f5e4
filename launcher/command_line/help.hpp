// What --help and --version print.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace tutti::launcher {

/// Usage, the grammar's options by theme, examples, exit statuses and environment variables; at most 100
/// columns wide.
std::string help_text(const CLI::App& grammar);

/// "tuttirun (Tutti) 0.1.0" and the versions of the libraries in use.
std::string version_text();

}  // namespace tutti::launcher
