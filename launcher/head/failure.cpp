#include "launcher/head/failure.hpp"

#include <sys/wait.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "launcher/base/open_files.hpp"

namespace tutti::launcher {

std::optional<Failure> judge_exit(const ExitReport& report)
{
    if (WIFSIGNALED(report.wait_status)) {
        const int signal = WTERMSIG(report.wait_status);
        return Failure{128 + signal,
                       fmt::format("was killed by signal {} ({}{})", signal, ::strsignal(signal),
                                   WCOREDUMP(report.wait_status) ? ", core dumped" : "")};
    }
    const int status = WEXITSTATUS(report.wait_status);
    if (status == 0 && report.joined && !report.left)
        return Failure{1, "exited with status 0 without calling finalize"};
    if (status != 0)
        return Failure{status, fmt::format("exited with status {}", status)};
    return std::nullopt;
}

Failure judge_absence()
{
    return {1,
            "exited with status 0 before it joined the job, which other ranks have joined: they would wait "
            "for it for "
            "ever; let all ranks run the program, or give fewer of them (-n)"};
}

Failure judge_abort(int status, const std::string& message)
{
    // What a process that exits with `status` would show; an abort is never a success.
    const int exit_status = (status & 0xff) != 0 ? status & 0xff : 1;
    return {exit_status,
            fmt::format("called abort with status {}{}{}", status, message.empty() ? "" : ": ", message)};
}

Failure judge_start(int error_number, const std::string& what)
{
    const int exit_status = error_number == 0                                   ? 1
                            : error_number == ENOENT || error_number == ENOTDIR ? 127
                                                                                : 126;
    const std::string reason = error_number == 0 ? "" : ": " + describe_system_error(error_number);
    return {exit_status, fmt::format("could not be started: {}{}", what, reason)};
}

}  // namespace tutti::launcher
