// Strict reading of option values. Every function throws UsageError naming the option as the user wrote it,
// the text found there and what it should be.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::launcher {

/// More ranks than this on one machine are a typing error.
inline constexpr int kMaxRanks = 65536;

/// A whole number, written in decimal digits only, from `lowest` to `highest`. `what` is its name in
/// messages.
int parse_number(std::string_view option, std::string_view what, std::string_view text, int lowest,
                 int highest);

/// Seconds, fractions allowed, above zero.
double parse_seconds(std::string_view option, std::string_view text);

/// Comma-separated signals by name, with or without SIG, or number. Signals that cannot be caught or that the
/// launcher itself lives by are refused.
std::vector<int> parse_signals(std::string_view option, std::string_view text);

/// Position of `text` among `names`; the message lists all and suggests the closest.
std::size_t parse_choice(std::string_view option, std::string_view text,
                         std::span<const std::string_view> names);

/// "NAME=value", or "NAME" alone for the value that the launcher itself was started with.
std::pair<std::string, std::string> parse_assignment(std::string_view option, std::string_view text);

/// `name`, when it can be the name of an environment variable.
std::string parse_variable_name(std::string_view option, std::string_view name);

/// `text`, when it is not empty: an empty word is most often a shell variable that is not set.
std::string parse_path(std::string_view option, std::string_view text);

/// `text`, when it is an absolute path.
std::string parse_absolute_path(std::string_view option, std::string_view text);

/// The words of a command, separated by blanks; at least one.
std::vector<std::string> parse_agent(std::string_view option, std::string_view text);

/// The parts of a comma-separated list; an empty part is an error.
std::vector<std::string> parse_list(std::string_view option, std::string_view text);

}  // namespace tutti::launcher
