// The environment of ranks: the user's own, without variables of an outer launcher.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tutti::launcher {

/// NAME=value entries, each name once.
class RankEnvironment {
public:
    /// Copies `environment` (like ::environ) without the variables that tell PMIx clients, PMI clients and
    /// Open MPI programs of an outer launcher's job.
    explicit RankEnvironment(const char* const* environment);

    /// Adds variables of the head's host, for ranks of other hosts: see forwarded_environment(). The head's
    /// value replaces that of this host.
    void add_forwarded(const std::vector<std::string>& entries);

    void set(const std::string& name, const std::string& value);
    /// "NAME=value".
    void set_entry(const std::string& entry);
    bool has(const std::string& name) const;
    /// The value, or an empty string.
    std::string get(const std::string& name) const;
    /// For execve(): valid until the next change.
    std::vector<char*> pointers() const;

private:
    std::vector<std::string> entries_;
};

/// The entries of `environment` that ranks on other hosts get, too: all but those that belong to a host, a
/// login or a session. These stay behind:
///   - HOME, USER, LOGNAME, SHELL, MAIL, PWD, OLDPWD, SHLVL, _, TMPDIR, TMP, TEMP, HOST, HOSTNAME, HOSTTYPE,
///     MACHTYPE, OSTYPE, DISPLAY, XAUTHORITY, WINDOWID, TERM_SESSION_ID, KRB5CCNAME, STY, INVOCATION_ID,
///     JOURNAL_STREAM, LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES;
///   - what starts with SSH_, XDG_, DBUS_, GPG_, TMUX, SYSTEMD_, SLURM, or BASH_FUNC_;
///   - what an outer launcher put there for its own ranks.
/// -x and its like forward a variable by name, whatever it is.
std::vector<std::string> forwarded_environment(const char* const* environment);

}  // namespace tutti::launcher
