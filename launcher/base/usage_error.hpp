// What the launcher throws when the command line, a hostfile or an environment variable asks for the
// impossible.
#pragma once

#include <stdexcept>
#include <string>

namespace tutti::launcher {

/// Exit status of tuttirun for a command line that it cannot serve.
inline constexpr int kUsageStatus = 2;

/// The request is wrong; nothing was started. what() is the whole message, with the remedy and a pointer to
/// the help, and without the program's name in front.
class UsageError : public std::runtime_error {
public:
    explicit UsageError(const std::string& message)
        : std::runtime_error(message + "\nSee 'tuttirun --help' for the options and examples.")
    {
    }
};

}  // namespace tutti::launcher
