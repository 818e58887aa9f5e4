#include "launcher/ranks/rank_environment.hpp"

#include <algorithm>
#include <array>

namespace tutti::launcher {

namespace {

bool belongs_to_outer_job(std::string_view entry)
{
    if (entry.starts_with("PMIX_MCA_"))
        return false;  // settings of the user's
    static constexpr std::array<std::string_view, 14> kPrefixes = {"PMIX_",
                                                                   "PMI_",
                                                                   "OMPI_COMM_WORLD_",
                                                                   "OMPI_UNIVERSE_",
                                                                   "OMPI_APP_CTX",
                                                                   "OMPI_NUM_APP",
                                                                   "HYDRA_LOCAL",
                                                                   "TUTTI_LOCAL_",
                                                                   "TUTTI_TERMINAL=",
                                                                   "TUTTI_CONTROL=",
                                                                   "MPI_LOCAL",
                                                                   "TUTTI_RANK_NUMBERS=",
                                                                   "TUTTI_PMI_FD=",
                                                                   "OMPI_MCA_orte_local_daemon_uri="};
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

RankEnvironment environment_of_ranks(const char* const* environment)
{
    RankEnvironment result;
    for (; *environment != nullptr; ++environment)
        if (!belongs_to_outer_job(*environment))
            set_entry(result, *environment);
    return result;
}

void set_entry(RankEnvironment& environment, std::string_view entry)
{
    const std::size_t name_bytes = std::min(entry.find('='), entry.size());
    environment[std::string(entry.substr(0, name_bytes))] =
        entry.substr(std::min(name_bytes + 1, entry.size()));
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
