#include "launcher/hosts/hostfile.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "launcher/base/option_values.hpp"
#include "launcher/hosts/hosts.hpp"
#include "lib/foundation/base/suggest.hpp"
#include "lib/foundation/network/host_list.hpp"

namespace tutti::launcher {
namespace {

// Enough for every cluster, and a limit for /dev/zero.
constexpr std::size_t kLongestHostfileBytes = 1 << 20;

/// Settings of a line, by all their names in Open MPI and Hydra, which have '-' or '_'.
enum class Setting { slots, max_slots, user };
constexpr std::array<std::pair<std::string_view, Setting>, 10> kSettings = {
    {{"slots", Setting::slots},
     {"count", Setting::slots},
     {"cpu", Setting::slots},
     {"cpus", Setting::slots},
     {"max_slots", Setting::max_slots},
     {"slots_max", Setting::max_slots},
     {"max_cpus", Setting::max_slots},
     {"user", Setting::user},
     {"username", Setting::user},
     {"user_name", Setting::user}}};

/// Settings of theirs that Tutti has for all hosts alike, or not at all, and what to do instead.
constexpr std::string_view kBindAlike = "ranks are bound alike on all hosts, by --bind-to";
constexpr std::string_view kOneNetwork =
    "the network is the same for all hosts: name it, or its subnet, by --interface";
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kForeign = {
    {{"binding", kBindAlike},
     {"cpu_set", kBindAlike},
     {"slot_list", kBindAlike},
     {"ifname", kOneNetwork},
     {"iface", kOneNetwork},
     {"port", "ssh's port of a host stands in ~/.ssh/config: 'Host NAME' and 'Port N'"}}};

/// Whether `text` has only letters, digits and `others`, and no '-' at its start: no program misreads it.
bool is_harmless(std::string_view text, std::string_view others)
{
    return !text.empty() && text.front() != '-' && std::ranges::all_of(text, [&](char letter) {
        return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
               others.find(letter) != std::string_view::npos;
    });
}

std::string checked_user(std::string_view where, std::string_view user)
{
    if (!is_harmless(user, "._-+@\\"))
        throw UsageError(fmt::format("{}: '{}' is no name of a user", where, user));
    return std::string(user);
}

/// Views into the text of a host.
struct NameAndSlots {
    std::string_view name;
    std::string_view slots;  // empty: none given
    bool has_slots = false;
};

/// Splits "host:2". An IPv6 address needs brackets before slots: "[::1]:2".
NameAndSlots split_slots(std::string_view text)
{
    std::string_view name = text;
    std::string_view rest;
    if (text.starts_with('[') && text.find(']') != std::string_view::npos &&
        text.substr(0, text.find(']')).find(':') != std::string_view::npos) {
        name = text.substr(1, text.find(']') - 1);
        rest = text.substr(text.find(']') + 1);
    } else if (std::ranges::count(text, ':') == 1) {
        name = text.substr(0, text.find(':'));
        rest = text.substr(text.find(':'));
    }
    return {name, rest.starts_with(':') ? rest.substr(1) : rest, !rest.empty()};
}

/// The names that "node[01-03]" stands for; the one name that has no brackets.
std::vector<std::string> names_of(std::string_view where, std::string_view text)
{
    if (text.find('[') != std::string_view::npos)
        return expand_host_list(where, text);
    check_host_name(where, text);
    return {std::string(text)};
}

/// Hosts alike but for their names. Messages begin with `where`: the option, or the file and line.
std::vector<Host> parse_hosts(std::string_view where, std::string_view text)
{
    Host host;
    std::string_view rest = text;
    if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
        host.user = checked_user(where, text.substr(0, at));
        rest = text.substr(at + 1);
    }
    const NameAndSlots parts = split_slots(rest);
    if (parts.name.empty())
        throw UsageError(fmt::format("{}: '{}' names no host", where, text));
    if (parts.has_slots) {
        host.slots = parse_number(where, "number of slots", parts.slots, 1, kMaxRanks);
        host.slots_given = true;
    }
    std::vector<Host> hosts;
    for (std::string& name : names_of(where, parts.name)) {
        host.name = std::move(name);
        hosts.push_back(host);
    }
    return hosts;
}

/// Commas in brackets do not end an entry: "a,node[1,3]" has two.
std::vector<std::string> parse_entries(std::string_view option, std::string_view text)
{
    std::vector<std::string> entries;
    bool open = false;
    for (std::string& part : parse_list(option, text)) {
        if (open)
            entries.back() += "," + part;
        else
            entries.push_back(std::move(part));
        const std::string& entry = entries.back();
        open = std::ranges::count(entry, '[') > std::ranges::count(entry, ']');
    }
    return entries;
}

Setting setting_called(std::string_view where, std::string_view key, const Host& host)
{
    std::string name(key);
    std::ranges::replace(name, '-', '_');
    for (const auto& [known, setting] : kSettings)
        if (name == known)
            return setting;
    for (const auto& [foreign, remedy] : kForeign)
        if (name == foreign)
            throw UsageError(
                fmt::format("{}: '{}' cannot be set for one host; remove it: {}", where, key, remedy));
    if (host.name == "rank" && key.find_first_not_of("0123456789") == std::string_view::npos) {
        throw UsageError(fmt::format(
            "{}: this is a line of a rankfile, which says where each rank runs; give the file by --rankfile",
            where));
    }
    constexpr std::array<std::string_view, 3> kUsual = {"slots", "max_slots", "user"};
    throw UsageError(fmt::format("{}: unknown setting '{}'{} (known: slots, max_slots, user)", where, key,
                                 base::did_you_mean(key, kUsual)));
}

/// "slots = 4" as one word.
std::string join_settings(std::string_view line)
{
    std::string joined;
    for (const char letter : line) {
        const bool blank = letter == ' ' || letter == '\t';
        if (letter == '=')
            joined.erase(joined.find_last_not_of(" \t") + 1);
        if (!blank || !joined.ends_with('='))
            joined += letter;
    }
    return joined;
}

/// One "key=value" after the host of a hostfile's line.
void apply_setting(std::string_view where, std::string_view setting, Host& host)
{
    const std::size_t equals = setting.find('=');
    if (equals == std::string_view::npos) {
        throw UsageError(
            fmt::format("{}: '{}' is not understood; a line reads 'host', 'host:2' or 'host slots=2 "
                        "max_slots=4'",
                        where, setting));
    }
    const std::string_view key = setting.substr(0, equals);
    const std::string_view value = setting.substr(equals + 1);
    const Setting what = setting_called(where, key, host);
    if (what == Setting::user) {
        if (!host.user.empty())
            throw UsageError(fmt::format("{}: the user is given twice", where));
        host.user = checked_user(where, value);
        return;
    }
    int& target = what == Setting::slots ? host.slots : host.max_slots;
    if (target != 0)
        throw UsageError(fmt::format("{}: {} is given twice", where, key));
    target = parse_number(where, key, value, what == Setting::slots ? 0 : 1, kMaxRanks);
    host.slots_given = host.slots_given || what == Setting::slots;
}

}  // namespace

std::vector<Host> parse_host_list(std::string_view option, std::string_view text)
{
    std::vector<Host> hosts;
    for (const std::string& entry : parse_entries(option, text)) {
        for (Host& host : parse_hosts(option, entry)) {
            host.slots = std::max(1, host.slots);
            hosts.push_back(std::move(host));
        }
    }
    return hosts;
}

std::vector<Host> parse_hostfile(std::string_view path, std::string_view text)
{
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // some editors write it
    if (text.starts_with(kByteOrderMark))
        text.remove_prefix(kByteOrderMark.size());
    std::vector<Host> hosts;
    std::istringstream lines{std::string(text)};
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        std::istringstream words(join_settings(std::string_view(line).substr(0, line.find('#'))));
        std::string word;
        if (!(words >> word))
            continue;
        const std::string where = fmt::format("{}:{}", path, number);
        std::vector<Host> alike = parse_hosts(where, word);
        while (words >> word)
            for (Host& host : alike)
                apply_setting(where, word, host);
        if (const Host& host = alike.front(); host.max_slots != 0 && host.max_slots < host.slots) {
            throw UsageError(fmt::format("{}: max_slots={} is less than slots={}; raise it or leave it out",
                                         where, host.max_slots, host.slots));
        }
        // "slots=0" takes a host out, as with Open MPI.
        if (!alike.front().slots_given || alike.front().slots > 0)
            std::ranges::move(alike, std::back_inserter(hosts));
    }
    if (hosts.empty()) {
        throw UsageError(
            fmt::format("hostfile '{}' names no host that has slots; write one a line, such as 'localhost slots=4'", path));
    }
    return hosts;
}

std::string read_small_file(std::string_view where, const std::string& path)
{
    std::string text(kLongestHostfileBytes + 1, '\0');
    std::ifstream file(path);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file.is_open() || file.bad())
        throw UsageError(fmt::format("cannot read {} '{}': {}", where, path, std::strerror(errno)));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > kLongestHostfileBytes) {
        throw UsageError(fmt::format("{} '{}' is longer than {} bytes: it is no hostfile", where, path,
                                     kLongestHostfileBytes));
    }
    return text;
}

std::vector<Host> read_hostfile(const std::string& path)
{
    return parse_hostfile(path, read_small_file("hostfile", path));
}

void check_host_name(std::string_view where, std::string_view name)
{
    if (!network::is_host_name(name))
        throw UsageError(fmt::format("{}: '{}' is no name of a host", where, name));
}

}  // namespace tutti::launcher
