// The error for a wrong command line, hostfile or environment variable.
#pragma once

#include <stdexcept>
#include <string>

namespace tutti::launcher {

/// tuttirun's exit status after a UsageError.
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
