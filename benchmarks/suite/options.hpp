// The command line of tutti-bench and of the peers' builds of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::bench {

/// How often a loop runs at one message size.
struct LoopCount {
    int iterations;
    int warmup;
};

/// What a benchmark does when the command line does not say.
struct Defaults {
    std::size_t min_size_bytes;
    std::size_t max_size_bytes;
    LoopCount small;
    LoopCount large;         // from kLargeBytes on
    std::size_t growth = 2;  // from each size to the next
};

inline constexpr std::size_t kLargeBytes = 64 * 1024;

struct Options {
    std::string benchmark;
    Defaults defaults{};
    std::string sizes;  // as written: MIN:MAX or MAX
    std::optional<int> iterations;
    std::optional<int> warmup;
    int window = 64;
    int repetitions = 1;
    bool validate = false;
    std::string memory = "library";  // or "malloc"
    bool full = false;
    std::string json_file;

    std::vector<int> depths{10, 100, 1000, 10000};  // matching
    std::string mode = "posted";                    // matching
    int sources = 0;                                // matching: 0 means the other ranks of the job
    double seconds = 10.0;                          // idle
    std::vector<std::string> ops;                   // reduce-op: none means all
    std::vector<std::string> types;                 // likewise
    int tests = 0;                                  // iallreduce and the like
    std::vector<std::string> collectives;           // tune: none means all
    std::string rules_file = "tutti-rules.json";    // tune

    /// Iterations and warm-up at this size.
    LoopCount loop_count(std::size_t size_bytes) const;
    /// MIN, 2 MIN, 4 MIN ... MAX (or by another growth), and 0 before 1 when MIN is 0.
    std::vector<std::size_t> size_list() const;
};

/// Whether it measures how much of a non-blocking collective is hidden behind computing.
bool is_overlap(std::string_view benchmark) noexcept;

/// What came of a command line: options, or something to say instead.
struct CommandLine {
    Options options;
    std::string message;  // help, or what is wrong; empty: run the benchmark
    int status = 0;       // exit status when there is a message: 0 for help, 2 for a mistake

    /// Prints the message, help to stdout and complaints to stderr. One rank of a job should.
    void say() const;
};

/// `own_library`: this is Tutti's own build, which also has the probes of the machine and ranks in one
/// process.
CommandLine parse_command_line(int argc, const char* const* argv, bool own_library);

}  // namespace tutti::bench
