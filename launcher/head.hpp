// The head: drives the job through its daemon, passes input, output and signals, and finds the exit status.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "launcher/connection.hpp"
#include "launcher/failure.hpp"
#include "launcher/input_reader.hpp"
#include "launcher/job.hpp"
#include "launcher/output_writer.hpp"

namespace tutti::launcher {

/// Exit status after --timeout, as timeout(1) has it.
inline constexpr int kTimeoutStatus = 124;

class Head {
public:
    /// `daemon` is the stream to a daemon that has just been started. Throws std::system_error when the
    /// output directory cannot be written.
    Head(const Options& options, const JobMap& map, UniqueFd daemon);

    /// Runs the job to its end, and hangs up on the daemon. Returns tuttirun's exit status.
    int run();
    /// After run(): the user ended the job and the terminal takes no output. The writer's thread may hang in
    /// its write for ever, so the process must end without waiting for it.
    bool output_is_stuck() const noexcept { return !output_finished_; }

private:
    void handle_frame(FrameType type, std::string_view payload);
    void handle_output(WireReader& reader);
    void handle_exit(const ExitReport& report);
    void handle_signal();
    void handle_all_exited();
    void handle_daemon_lost(const std::string& reason);
    void handle_write_failure(const std::string& where, int error_number);

    /// A line of the launcher's own, on stderr.
    void say(const std::string& message);
    void fail(int rank, int pid, const Failure& failure);
    void end_job(int exit_status, int signal, const std::string& message);
    void stop_with_job();
    void finish_output();

    const Options& options_;
    const JobMap& map_;
    EventLoop loop_;
    UniqueFd signals_;
    std::unique_ptr<OutputWriter> writer_;
    Connection daemon_;
    std::unique_ptr<InputReader> input_;
    std::optional<int> exit_status_;  // of the first thing that went wrong
    bool ended_by_user_ = false;      // then a terminal that takes no output is not waited for
    bool all_exited_ = false;
    bool said_bye_ = false;
    bool output_finished_ = false;
};

}  // namespace tutti::launcher
