#include "launcher/hosts/rankfile.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "launcher/base/option_values.hpp"
#include "launcher/hosts/hostfile.hpp"

namespace tutti::launcher {
namespace {

constexpr std::string_view kNthHost = "+n";

[[noreturn]] void reject_line(std::string_view where, std::string_view line)
{
    throw UsageError(fmt::format(
        "{}: '{}' is not understood; a line reads 'rank 0=host slot=0-1' or 'rank 0=+n0 slot=1:0'", where,
        line));
}

/// The text behind `key` and '=', around which blanks may stand; takes it from `rest`.
std::string_view take_value(std::string_view where, std::string_view line, std::string_view& rest)
{
    const std::size_t equals = rest.find('=');
    const std::size_t begin =
        equals == std::string_view::npos ? equals : rest.find_first_not_of(" \t", equals + 1);
    if (begin == std::string_view::npos)
        reject_line(where, line);
    const std::size_t end = std::min(rest.find_first_of(" \t", begin), rest.size());
    const std::string_view value = rest.substr(begin, end - begin);
    const std::size_t next = rest.find_first_not_of(" \t", end);
    rest = next == std::string_view::npos ? "" : rest.substr(next);
    return value;
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t\r");
    return begin == std::string_view::npos ? ""
                                           : text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

/// A line that is not empty.
Host parse_line(const std::string& where, std::string_view line)
{
    std::string_view rest = line;
    if (!rest.starts_with("rank"))
        reject_line(where, line);
    const std::string_view number = trimmed(rest.substr(4, std::min(rest.find('='), rest.size()) - 4));
    ListedRank rank{parse_number(where, "rank", number, 0, kMaxRanks - 1), {}, where};
    const std::string_view name = take_value(where, line, rest);
    Host host;
    if (relative_host(where, name) >= 0)
        host.name = name;
    else
        host = std::move(parse_host_list(where, name).front());
    if (!rest.empty()) {
        if (!rest.starts_with("slot"))
            reject_line(where, line);
        rank.slots = take_value(where, line, rest);
    }
    if (!rest.empty())
        reject_line(where, line);
    host.listed.push_back(std::move(rank));
    return host;
}

}  // namespace

int relative_host(std::string_view where, std::string_view name)
{
    return name.starts_with(kNthHost)
               ? parse_number(where, "host's place", name.substr(kNthHost.size()), 0, kMaxRanks - 1)
               : -1;
}

std::vector<Host> parse_rankfile(std::string_view path, std::string_view text)
{
    std::map<int, Host> by_rank;
    std::istringstream lines{std::string(text)};
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        const std::string_view content = trimmed(std::string_view(line).substr(0, line.find('#')));
        if (content.empty())
            continue;
        const std::string where = fmt::format("{}:{}", path, number);
        Host host = parse_line(where, content);
        const int rank = host.listed.front().rank;
        if (!by_rank.emplace(rank, std::move(host)).second)
            throw UsageError(fmt::format("{}: rank {} has a line already", where, rank));
    }
    if (by_rank.empty())
        throw UsageError(fmt::format("rankfile '{}' names no rank; a line reads 'rank 0=host slot=0'", path));
    std::vector<Host> hosts;
    for (auto& [rank, host] : by_rank) {
        if (rank != static_cast<int>(hosts.size())) {
            throw UsageError(fmt::format("rankfile '{}' has no line for rank {}, but one for rank {}", path,
                                         hosts.size(), by_rank.rbegin()->first));
        }
        hosts.push_back(std::move(host));
    }
    return hosts;
}

std::vector<Host> read_rankfile(const std::string& path)
{
    return parse_rankfile(path, read_small_file("rankfile", path));
}

void list_ranks(std::vector<Host>& hosts, const std::vector<Host>& rankfile, bool only_these)
{
    for (const Host& line : rankfile) {
        const ListedRank& rank = line.listed.front();
        auto found = hosts.end();
        if (const int place = relative_host(rank.where, line.name); place >= static_cast<int>(hosts.size())) {
            throw UsageError(fmt::format("{}: there is no host '{}'; the job has {}, from +n0 on", rank.where,
                                         line.name, hosts.size()));
        } else if (place >= 0) {
            found = hosts.begin() + place;
        } else {
            found = std::ranges::find_if(hosts, [&line](const Host& host) {
                return host.name == line.name || (host.local && line.local);
            });
        }
        if (found != hosts.end()) {
            found->listed.push_back(rank);
        } else if (only_these) {
            throw UsageError(fmt::format(
                "{}: host '{}' is not among the hosts of the job; add it to them, or leave them out",
                rank.where, line.name));
        } else {
            hosts.push_back(line);
        }
    }
}

}  // namespace tutti::launcher
