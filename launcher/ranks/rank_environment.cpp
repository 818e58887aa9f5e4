#include "launcher/ranks/rank_environment.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tutti::launcher {

namespace {

bool belongs_to_outer_job(std::string_view entry)
{
    if (entry.starts_with("PMIX_MCA_"))
        return false;  // settings of the user's
    static constexpr std::array<std::string_view, 10> kPrefixes = {
        "PMIX_",        "PMI_",        "OMPI_COMM_WORLD_", "OMPI_UNIVERSE_",  "OMPI_APP_CTX",
        "OMPI_NUM_APP", "HYDRA_LOCAL", "TUTTI_LOCAL_",     "TUTTI_TERMINAL=", "TUTTI_CONTROL="};
    return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                       [entry](std::string_view prefix) { return entry.starts_with(prefix); });
}

bool belongs_to_host_or_session(std::string_view entry)
{
    static constexpr std::array<std::string_view, 28> kNames = {
        "HOME",           "USER",       "LOGNAME",
        "SHELL",          "MAIL",       "PWD",
        "OLDPWD",         "SHLVL",      "_",
        "TMPDIR",         "TMP",        "TEMP",
        "HOST",           "HOSTNAME",   "HOSTTYPE",
        "MACHTYPE",       "OSTYPE",     "DISPLAY",
        "XAUTHORITY",     "WINDOWID",   "TERM_SESSION_ID",
        "KRB5CCNAME",     "STY",        "INVOCATION_ID",
        "JOURNAL_STREAM", "LISTEN_PID", "LISTEN_FDS",
        "LISTEN_FDNAMES"};
    static constexpr std::array<std::string_view, 8> kPrefixes = {"SSH_", "XDG_",     "DBUS_", "GPG_",
                                                                  "TMUX", "SYSTEMD_", "SLURM", "BASH_FUNC_"};
    const std::string_view name = entry.substr(0, entry.find('='));
    return std::ranges::find(kNames, name) != kNames.end() ||
           std::ranges::any_of(kPrefixes,
                               [name](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

RankEnvironment::RankEnvironment(const char* const* environment)
{
    for (; *environment != nullptr; ++environment)
        if (!belongs_to_outer_job(*environment))
            entries_.emplace_back(*environment);
}

void RankEnvironment::add_forwarded(const std::vector<std::string>& entries)
{
    for (const std::string& entry : entries)
        set_entry(entry);
}

void RankEnvironment::set(const std::string& name, const std::string& value)
{
    set_entry(name + "=" + value);
}

void RankEnvironment::set_entry(const std::string& entry)
{
    const std::string_view name_and_sign = std::string_view(entry).substr(0, entry.find('=') + 1);
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const std::string& existing) {
        return existing.starts_with(name_and_sign);
    });
    if (found != entries_.end())
        *found = entry;
    else
        entries_.push_back(entry);
}

bool RankEnvironment::has(const std::string& name) const
{
    return std::ranges::any_of(
        entries_, [start = name + "="](const std::string& entry) { return entry.starts_with(start); });
}

std::string RankEnvironment::get(const std::string& name) const
{
    const std::string name_and_sign = name + "=";
    for (const std::string& entry : entries_)
        if (entry.starts_with(name_and_sign))
            return entry.substr(name_and_sign.size());
    return {};
}

std::vector<char*> RankEnvironment::pointers() const
{
    std::vector<char*> result;
    for (const std::string& entry : entries_)
        result.push_back(const_cast<char*>(entry.c_str()));
    result.push_back(nullptr);
    return result;
}

std::vector<std::string> forwarded_environment(const char* const* environment)
{
    std::vector<std::string> result;
    for (; *environment != nullptr; ++environment)
        if (!belongs_to_outer_job(*environment) && !belongs_to_host_or_session(*environment))
            result.emplace_back(*environment);
    return result;
}

}  // namespace tutti::launcher
