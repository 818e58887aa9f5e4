// Strict reading of option values, and the error for a wrong command line, hostfile or environment variable.
// Every function throws UsageError with the option as the user wrote it,
// its value, and what the value should be.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// The value of an environment variable; empty where it is not set.
std::string environment_variable(const char* name);

/// More ranks than this on one machine are a typing error.
inline constexpr int kMaxRanks = 65536;

/// Numbers of cores and hardware threads beyond this are one, too.
inline constexpr int kMaxCores = 1 << 20;

/// A whole number in decimal digits, from `lowest` to `highest`. `what` is its name in messages.
int parse_number(std::string_view option, std::string_view what, std::string_view text, int lowest,
                 int highest);

/// Seconds, fractions allowed, above zero.
double parse_seconds(std::string_view option, std::string_view text);
/// Seconds above zero, or "0", which mostly means never.
double parse_seconds_or_zero(std::string_view option, std::string_view text);

/// Comma-separated signals by number or by name, with or without SIG. Signals that cannot be caught or that
/// the launcher needs are refused.
std::vector<int> parse_signals(std::string_view option, std::string_view text);

/// Position of `text` among `names`; the message lists all and suggests the closest.
std::size_t parse_choice(std::string_view option, std::string_view text,
                         std::span<const std::string_view> names);

/// "NAME=value", or "NAME" alone for the value that the launcher itself was started with, if it has one.
std::pair<std::string, std::optional<std::string>> parse_assignment(std::string_view option,
                                                                    std::string_view text);

/// `name`, if it can be the name of an environment variable.
std::string parse_variable_name(std::string_view option, std::string_view name);

/// `text`, if it is not empty. An empty word mostly comes from a shell variable that is not set.
std::string parse_path(std::string_view option, std::string_view text);

/// `text`, if it is an absolute path.
std::string parse_absolute_path(std::string_view option, std::string_view text);

/// The words of a command, separated by blanks; at least one. Quotes, '...' or "...", keep blanks within a
/// word.
std::vector<std::string> parse_agent(std::string_view option, std::string_view text);

/// The parts of a comma-separated list; an empty part is an error.
std::vector<std::string> parse_list(std::string_view option, std::string_view text);

/// "0,2-3" is 0, 2, 3. `what` is the name of one of them.
std::vector<int> parse_ranges(std::string_view option, std::string_view what, std::string_view text);

}  // namespace tutti::launcher
