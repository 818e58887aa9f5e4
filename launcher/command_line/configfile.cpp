#include "launcher/command_line/configfile.hpp"

#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "launcher/base/option_values.hpp"
#include "launcher/hosts/hostfile.hpp"

namespace tutti::launcher {

std::vector<std::string> read_configfile(const std::string& path)
{
    std::istringstream lines(read_small_file("configfile", path));
    std::vector<std::string> words;
    std::string part;
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        line.erase(line.find_last_not_of(" \t\r") + 1);
        const bool goes_on = line.ends_with('\\') && !lines.eof();
        part += goes_on ? line.substr(0, line.size() - 1) + ' ' : line;
        if (goes_on)
            continue;
        const std::string whole = std::exchange(part, "");
        const std::size_t first = whole.find_first_not_of(" \t:");
        if (first == std::string::npos || whole[first] == '#')
            continue;
        std::vector<std::string> of_part = parse_agent(fmt::format("{}:{}", path, number), whole);
        if (of_part.back() == ":")
            of_part.pop_back();
        if (!words.empty())
            words.emplace_back(":");
        words.insert(words.end(), of_part.begin(), of_part.end());
    }
    if (words.empty())
        throw UsageError(fmt::format("configfile '{}' names no program; a line reads '-n 2 ./a.out'", path));
    return words;
}

}  // namespace tutti::launcher
