#include "launcher/doctor/fold.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "launcher/base/host_names.hpp"
#include "lib/foundation/network/ip_address.hpp"

namespace tutti::launcher::doctor {
namespace {

bool is_way(const Finding& finding)
{
    return finding.check == "reach" && finding.hosts.size() == 2 && finding.level != Severity::good;
}

std::string with_number(std::string text, double number)
{
    if (const std::size_t place = text.find("{}"); place != std::string::npos)
        text.replace(place, 2, fmt::format("{:.2f}", number));
    return text;
}

Finding together(const std::vector<Finding>& alike)
{
    if (alike.size() == 1)
        return alike.front();
    Finding result = alike.front();
    std::vector<std::string> names;
    for (const Finding& finding : alike) {
        names.push_back(finding.hosts.front());
        result.most = std::max(result.most, finding.most);
    }
    result.text = fmt::format("{}: {}", hosts_in_words(names), with_number(result.alike, result.most));
    return result;
}

/// Of " (10.0.0.2)", which may stand behind a host's name; 0: something else stands there.
std::size_t address_size(std::string_view text)
{
    const std::size_t end = text.starts_with(" (") ? text.find(')') : text.npos;
    const bool address = end != text.npos && network::IpAddress::parse(text.substr(2, end - 2)).has_value();
    return address ? end + 1 : 0;
}

/// Takes those ways out of `ways` that have the host in them which most have.
Finding take_most_alike(std::vector<Finding>& ways)
{
    std::map<std::string, int> counts;
    for (const Finding& way : ways)
        for (const std::string& host : way.hosts)
            ++counts[host];
    const std::string host =
        std::ranges::max_element(counts, {}, &std::pair<const std::string, int>::second)->first;
    const auto goes_there = [&](const Finding& way) { return std::ranges::count(way.hosts, host) > 0; };
    Finding result = *std::ranges::find_if(ways, goes_there);
    std::vector<std::string> others;
    for (const Finding& way : ways)
        if (goes_there(way))
            others.push_back(way.hosts[way.hosts.front() == host ? 1 : 0]);
    std::erase_if(ways, goes_there);
    if (others.size() > 1)
        result.text = fmt::format("{} ways between {} and {} fail, or work on a detour only; the first:\n{}",
                                  others.size(), host, hosts_in_words(others), result.text);
    return result;
}

}  // namespace

std::vector<Finding> fold(const std::vector<Finding>& findings)
{
    using Key = std::tuple<std::string, Severity, std::string, std::string>;
    std::vector<std::vector<Finding>> groups;
    std::map<Key, std::size_t> places;
    std::map<Severity, std::vector<Finding>> ways;
    for (const Finding& finding : findings) {
        if (is_way(finding)) {
            ways[finding.level].push_back(finding);
            continue;
        }
        std::size_t place = groups.size();
        if (!finding.alike.empty())
            place = places.try_emplace({finding.check, finding.level, finding.alike, finding.remedy}, place)
                        .first->second;
        if (place == groups.size())
            groups.emplace_back();
        groups[place].push_back(finding);
    }
    std::vector<Finding> folded;
    for (const std::vector<Finding>& alike : groups)
        folded.push_back(together(alike));
    for (auto& [level, left] : ways)
        while (!left.empty())
            folded.push_back(take_most_alike(left));
    return folded;
}

std::string for_any_host(std::string_view text, std::string_view name)
{
    const auto in_word = [text](std::size_t place) {
        return place < text.size() && (std::isalnum(static_cast<unsigned char>(text[place])) != 0 ||
                                       text[place] == '-' || text[place] == '_');
    };
    std::string result;
    std::size_t begin = 0;
    for (std::size_t found = 0; (found = text.find(name, found)) != text.npos;) {
        const bool word = (found == 0 || !in_word(found - 1)) && !in_word(found + name.size());
        if (word) {
            result.append(text.substr(begin, found - begin)).append("HOST");
            begin = found + name.size() + address_size(text.substr(found + name.size()));
        }
        found += name.size();
    }
    return result.append(text.substr(begin));
}

}  // namespace tutti::launcher::doctor
