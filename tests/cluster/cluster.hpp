// Hosts for tests: those that the script `hosts` made, and jobs over them.
#pragma once

#include <string>
#include <vector>

#include "tests/multiprocess/launched.hpp"

namespace tutti::test {

/// What a lost host, a cut link and the like must come to within: the launcher's and the transports' bound of
/// 10 s, and time for a machine that others keep busy. Where TCP says it at once, kSoonSeconds.
inline constexpr double kBoundSeconds = 10.0 + kSoonSeconds;

/// A test's hosts: a, b, c, and what it does to them. The destructor undoes that and checks that no process
/// and no file is left on any of them.
class Hosts {
public:
    Hosts();
    ~Hosts();
    Hosts(const Hosts&) = delete;
    Hosts& operator=(const Hosts&) = delete;

    /// The command line that runs `command` on a host.
    static std::vector<std::string> on(const std::string& host, const std::vector<std::string>& command);
    /// Runs it to its end.
    static Result run(const std::string& host, const std::vector<std::string>& command);
    /// Runs a script in the host's shell; it must succeed. Its standard output without the last newline.
    static std::string shell(const std::string& host, const std::string& script);

    /// The command line of tuttirun on host a.
    static std::vector<std::string> tuttirun_command(const std::vector<std::string>& arguments);
    /// The same to its end.
    static Result tuttirun(const std::vector<std::string>& arguments);

    /// From now on frames from and to the host are lost.
    void cut(const std::string& host);
    /// From now on the host's networks carry so much, as tc has it: "100mbit"; "none" ends that.
    void limit(const std::string& host, const std::string& rate);
    /// Ends all that runs on it.
    void kill(const std::string& host);
    /// Changes something on a host by `change`, and back by `undo` when the test ends.
    void change(const std::string& host, const std::string& change, const std::string& undo);

    /// Numbers, in this machine's count, of the processes on a host whose command line has `part`:
    /// of launchers only where `part` says so, as theirs have their program's, too.
    static std::vector<pid_t> processes(const std::string& host, const std::string& part);
    /// Waits until processes() finds as many as `count`; throws after 10 s.
    static std::vector<pid_t> wait_for_processes(const std::string& host, const std::string& part,
                                                 std::size_t count);

private:
    static Result script(const std::vector<std::string>& arguments);

    std::vector<std::string> cut_;
    std::vector<std::string> limited_;
    std::vector<std::string> killed_;
    std::vector<std::pair<std::string, std::string>> undo_;  // host and script
};

/// Arguments for tuttirun: as many ranks as `hosts` ("a:2,b:2") has slots, of a program of the public
/// interface.
std::vector<std::string> job(const std::string& hosts, const std::string& name,
                             const std::vector<std::string>& arguments = {});

/// A program of tests/cluster/programs, by its path.
std::string cluster_program(const std::string& name);

/// A script that installs, below `prefix`, a tuttirun of before there were daemons.
std::string other_tuttirun(const std::string& prefix);

void check_quiet_success(const Result& result);

/// Of a soak on a and b, one of which was cut off just now: it ends on both sides within the bound, and says
/// where.
void check_cut_ends(Launched& launched);

}  // namespace tutti::test
