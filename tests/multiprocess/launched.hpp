// Runs tuttirun as a user does, and looks at all that comes of it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/sanitizers.hpp"

namespace tutti::test {

/// What must happen within a second, on a machine that others keep busy. Nothing in these tests takes between
/// this and its natural end, which is a thousand seconds away.
inline constexpr double kSoonSeconds = kSanitized ? 30.0 : 10.0;
/// After which a launcher has hung.
inline constexpr std::chrono::seconds kHungAfter(kSanitized ? 90 : 20);

/// The variable of the environment by which a Launched's processes are known.
inline constexpr const char* kMarkVariable = "TUTTI_TEST_MARK";

/// Empty where there is no such file, or, in /proc, no longer.
std::string file_text(const std::filesystem::path& path);

struct Result {
    int status = -1;  // exit status; 128 + signal when tuttirun itself was killed
    std::string out;
    std::string err;
    double seconds = 0;
};

/// A launcher at work. Its processes carry a mark in their environment and have a TMPDIR of their own, by
/// which the destructor finds what is left of them: a test that leaves a process or a file behind fails.
class Launched {
public:
    /// Runs `command`, a program by its path and its arguments. The test gives up after `limit` and kills
    /// all.
    explicit Launched(const std::vector<std::string>& command, std::chrono::seconds limit = kHungAfter);
    ~Launched();
    Launched(const Launched&) = delete;
    Launched& operator=(const Launched&) = delete;

    pid_t pid() const noexcept { return pid_; }
    /// To standard input.
    void write(const std::string& text);
    void end_input();
    /// Waits until standard output holds `text`; false when it ends before, or after 10 s.
    bool wait_for_output(const std::string& text);
    void signal(int signal) const;
    /// What it has written until now, read without waiting.
    const Result& so_far();
    /// Ends input, waits for the end, and says what came of it.
    Result wait();

    /// The processes that carry the mark, tuttirun and its daemon included.
    std::vector<pid_t> processes() const;
    std::string temporary_directory() const { return directory_; }

private:
    bool read_some(int timeout_ms);

    std::string mark_;
    std::string directory_;
    std::chrono::steady_clock::time_point started_;
    std::chrono::steady_clock::time_point deadline_;
    pid_t pid_ = -1;
    int input_ = -1;
    int output_ = -1;
    int error_ = -1;
    Result result_;
};

/// tuttirun with these arguments, to the end.
Result tuttirun(const std::vector<std::string>& arguments, const std::string& input = {});
std::vector<std::string> tuttirun_command(const std::vector<std::string>& arguments);

/// "-n N" and a script for the shell, where $PMIX_RANK is the rank.
std::vector<std::string> script(int ranks, const std::string& text);

/// A program of programs/, by its path.
std::string program(const std::string& name);

/// Whether LD_PRELOAD, and options of leak checkers, can name what lies in the build or in a job's directory:
/// not where both have blanks or the like in their paths.
bool can_list_paths();

/// As one word for the shell.
std::string shell_quoted(const std::string& word);

std::vector<std::string> lines_of(const std::string& text);
std::vector<std::string> sorted(std::vector<std::string> lines);
bool contains(const std::string& text, const std::string& part);

}  // namespace tutti::test
