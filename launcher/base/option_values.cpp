#include "launcher/base/option_values.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <csignal>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lib/foundation/base/suggest.hpp"

namespace tutti::launcher {
namespace {

constexpr int kLastClassicSignal = 31;

/// Thirty years, so that timers cannot overflow.
constexpr double kLongestSeconds = 1e9;

/// Signals that cannot be caught, that the launcher needs itself, or that the processor raises in the
/// launcher.
constexpr int kNeverForwarded[] = {SIGKILL, SIGSTOP, SIGCHLD, SIGPIPE, SIGSEGV,
                                   SIGBUS,  SIGILL,  SIGFPE,  SIGABRT};

/// Short names of the signals 1 to 31, "HUP" first.
std::vector<std::string_view> signal_names()
{
    std::vector<std::string_view> names;
    for (int number = 1; number <= kLastClassicSignal; ++number) {
        const char* name = sigabbrev_np(number);
        names.emplace_back(name != nullptr ? name : "");
    }
    return names;
}

/// Text that is not all digits is a name. Only numbers have a range to check.
int signal_number(std::string_view option, const std::string& text)
{
    if (text.find_first_not_of("0123456789") == std::string::npos)
        return parse_number(option, "signal", text, 1, SIGRTMAX);
    const std::vector<std::string_view> names = signal_names();
    const std::string_view name = text.starts_with("SIG") ? std::string_view(text).substr(3) : text;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end() || name.empty()) {
        throw UsageError(fmt::format("{}: '{}' is no signal{}; give names such as USR1 or SIGURG, or numbers",
                                     option, text, base::did_you_mean(name, names)));
    }
    return static_cast<int>(found - names.begin()) + 1;
}

}  // namespace

std::string environment_variable(const char* name)
{
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

int parse_number(std::string_view option, std::string_view what, std::string_view text, int lowest,
                 int highest)
{
    long long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = !text.empty() && end == text.data() + text.size();
    if (!whole || error == std::errc::invalid_argument) {
        throw UsageError(fmt::format("{}: '{}' is not a {}; give a whole number from {} to {}", option, text,
                                     what, lowest, highest));
    }
    if (error == std::errc::result_out_of_range || value < lowest || value > highest) {
        throw UsageError(fmt::format("{}: {} is out of range for a {}; give a whole number from {} to {}",
                                     option, text, what, lowest, highest));
    }
    return static_cast<int>(value);
}

double parse_seconds(std::string_view option, std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = !text.empty() && error == std::errc{} && end == text.data() + text.size();
    if (!whole || !(value > 0 && value <= kLongestSeconds)) {
        throw UsageError(
            fmt::format("{}: '{}' is not a time; give seconds above zero and up to {:.0f}, such as 90 "
                        "or 0.5",
                        option, text, kLongestSeconds));
    }
    return value;
}

double parse_seconds_or_zero(std::string_view option, std::string_view text)
{
    return text == "0" ? 0 : parse_seconds(option, text);
}

std::vector<int> parse_signals(std::string_view option, std::string_view text)
{
    std::vector<int> signals;
    for (const std::string& part : parse_list(option, text)) {
        const int number = signal_number(option, part);
        // The C library uses the few signals between the classic ones and SIGRTMIN itself.
        const bool internal = number > kLastClassicSignal && number < SIGRTMIN;
        if (internal || std::ranges::find(kNeverForwarded, number) != std::end(kNeverForwarded)) {
            throw UsageError(
                fmt::format("{}: signal '{}' cannot be forwarded: it never reaches a handler of "
                            "tuttirun, or tuttirun needs it itself",
                            option, part));
        }
        if (std::ranges::find(signals, number) == signals.end())
            signals.push_back(number);
    }
    return signals;
}

std::size_t parse_choice(std::string_view option, std::string_view text,
                         std::span<const std::string_view> names)
{
    const auto found = std::ranges::find(names, text);
    if (found == names.end()) {
        throw UsageError(fmt::format("{}: unknown value '{}'{} (known: {})", option, text,
                                     base::did_you_mean(text, names), fmt::join(names, ", ")));
    }
    return static_cast<std::size_t>(found - names.begin());
}

std::pair<std::string, std::optional<std::string>> parse_assignment(std::string_view option,
                                                                    std::string_view text)
{
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos)
        return {parse_variable_name(option, text.substr(0, equals)), std::string(text.substr(equals + 1))};
    std::string name = parse_variable_name(option, text);
    const char* value = std::getenv(name.c_str());
    return {std::move(name), value != nullptr ? std::optional<std::string>(value) : std::nullopt};
}

std::string parse_variable_name(std::string_view option, std::string_view name)
{
    if (name.empty() || name.front() == '-' || name.find('=') != std::string_view::npos)
        throw UsageError(fmt::format("{}: '{}' is no name of an environment variable", option, name));
    return std::string(name);
}

std::string parse_path(std::string_view option, std::string_view text)
{
    if (text.empty())
        throw UsageError(fmt::format("{}: the path is empty; is a shell variable unset?", option));
    return std::string(text);
}

std::string parse_absolute_path(std::string_view option, std::string_view text)
{
    if (!text.starts_with('/')) {
        throw UsageError(
            fmt::format("{}: '{}' is no absolute path; write one that is right on all hosts", option, text));
    }
    return std::string(text);
}

std::vector<std::string> parse_agent(std::string_view option, std::string_view text)
{
    std::vector<std::string> words;
    bool within_word = false;
    char quote = '\0';
    for (const char letter : text) {
        const bool blank = quote == '\0' && std::isspace(static_cast<unsigned char>(letter)) != 0;
        if (!blank && !within_word)
            words.emplace_back();
        within_word = !blank;
        if (blank)
            continue;
        if (letter == quote)
            quote = '\0';
        else if (quote == '\0' && (letter == '\'' || letter == '"'))
            quote = letter;
        else
            words.back() += letter;
    }
    if (quote != '\0')
        throw UsageError(fmt::format("{}: a quote in '{}' is not closed", option, text));
    if (words.empty())
        throw UsageError(fmt::format("{}: the command is empty; is a shell variable unset?", option));
    return words;
}

std::vector<std::string> parse_list(std::string_view option, std::string_view text)
{
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (true) {
        const std::size_t comma = text.find(',', begin);
        parts.emplace_back(text.substr(begin, comma - begin));
        if (parts.back().empty())
            throw UsageError(fmt::format("{}: '{}' has an empty part; write A,B,C", option, text));
        if (comma == std::string_view::npos)
            return parts;
        begin = comma + 1;
    }
}

std::vector<int> parse_ranges(std::string_view option, std::string_view what, std::string_view text)
{
    std::vector<int> numbers;
    for (const std::string& range : parse_list(option, text)) {
        const std::size_t dash = range.find('-');
        const int first = parse_number(option, what, range.substr(0, dash), 0, kMaxCores);
        const int last = dash == std::string::npos
                             ? first
                             : parse_number(option, what, range.substr(dash + 1), first, kMaxCores);
        for (int number = first; number <= last; ++number)
            numbers.push_back(number);
    }
    return numbers;
}

}  // namespace tutti::launcher
