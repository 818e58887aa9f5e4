// How a process ends that aborts its job.
#pragma once

namespace tutti::base {

/// The exit status after an abort with `status`, of which the system keeps the lowest eight bits. Only an
/// abort with 0 exits with 0.
constexpr int exit_status_of_abort(int status) noexcept
{
    const int kept = status & 0xff;
    return kept != 0 || status == 0 ? kept : 1;
}

}  // namespace tutti::base
