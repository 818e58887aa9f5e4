#include "launcher/job/agent_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tutti::launcher {
namespace {

/// Notices that do not call themselves warnings.
constexpr std::array<std::string_view, 5> kNotices = {
    "queued and waiting for resources", "has been allocated resources",
    "Pseudo-terminal will not be allocated", "Could not chdir to home directory", "Unable to use a TTY"};

std::string lower(std::string_view text)
{
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](unsigned char letter) { return std::tolower(letter); });
    return result;
}

/// "srun: warning: ...", "Warning: Permanently added ...", "** WARNING: ...", "bash: warning: ...". ssh
/// frames the warnings that are causes (a key that has changed, a key file that others may read) with '@'.
bool is_warning(std::string_view line)
{
    if (line.starts_with("** ") || line.starts_with("debug"))
        return true;
    if (line.starts_with('@'))
        return false;
    if (std::ranges::any_of(kNotices,
                            [line](std::string_view notice) { return line.find(notice) != line.npos; }))
        return true;
    const std::string text = lower(line);
    const std::size_t word = text.find("warning:");
    // Behind the names of programs only: "srun: ", "bash: line 1: ".
    return word != text.npos && text.find("error") > word &&
           (word == 0 || (word > 1 && text.substr(word - 2, 2) == ": "));
}

}  // namespace

AgentWords words_of_agent(std::string_view output)
{
    AgentWords words;
    std::istringstream lines{std::string(output)};
    for (std::string line; std::getline(lines, line);) {
        std::erase_if(line, [](unsigned char letter) { return std::iscntrl(letter) != 0 && letter != '\t'; });
        if (line.find_first_not_of(" \t") != line.npos)
            (is_warning(line) ? words.warnings : words.causes).push_back(std::move(line));
    }
    return words;
}

std::string said_by_agent(const std::string& agent, std::string_view output)
{
    const AgentWords words = words_of_agent(output);
    const std::string warnings = fmt::format("{}", fmt::join(words.warnings, "\n"));
    if (words.causes.empty())
        return warnings.empty() ? "" : fmt::format("; {} gave no reason, only warnings: {}", agent, warnings);
    return fmt::format("; {} said: {}{}{}", agent, fmt::join(words.causes, "\n"),
                       warnings.empty() ? "" : "\nand, as a warning: ", warnings);
}

}  // namespace tutti::launcher
