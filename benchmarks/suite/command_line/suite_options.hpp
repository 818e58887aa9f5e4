// The command line of tutti-bench and of the peers' builds of it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/suite/command_line/benchmark_catalogue.hpp"
#include "benchmarks/suite/library/neighborhood.hpp"
#include "benchmarks/suite/library/window_kind.hpp"
#include "benchmarks/suite/measure/stopping.hpp"
#include "tutti/data_type.hpp"

namespace tutti::bench {

inline constexpr std::size_t kLargeBytes = 64 * 1024;  // from here on a round has fewer iterations

struct SuiteOptions {
    std::vector<std::string> command;   // as it was given, for the record
    std::string benchmark;              // by its own name, whatever alias was given
    const Benchmark* entry = nullptr;   // nullptr: one of the tools, which are in no catalogue
    std::string sizes;                  // as written: MIN:MAX or MAX
    std::optional<std::size_t> growth;  // from each size to the next
    Budget budget;
    std::string start = "auto";  // how iterations of collectives begin: or "barrier", "clock"
    int window = 64;
    bool buffer_each = false;  // the messages of a window lie apart
    std::optional<int> pairs;  // mbw_mr: otherwise as many as the ranks make
    int threads = 2;           // latency_mt
    bool validate = false;
    std::string memory = "malloc";  // or "library"
    bool touch = false;             // buffers are written before each iteration and read after it
    bool full = false;              // show the ranks' extremes
    std::vector<double> tails;      // show these percentiles
    bool interval = false;          // show the median's interval and outliers
    std::string json_file;
    std::string csv_file;

    std::optional<DataType> type;                    // of the elements
    std::vector<DataType> types_in_turn;             // a run each, of which `type` is this one's
    int root = 0;                                    // collectives
    bool rotating_root = false;                      // likewise: iteration i has root i mod ranks
    std::optional<int> validation_warmup;            // instead of the budget's, where bytes are checked
    std::optional<std::size_t> memory_limit;         // of either of a rank's buffers
    bool print_rate = true;                          // mbw_mr
    bool vary_window = false;                        // likewise
    bool in_place = false;                           // collectives
    std::optional<NeighborhoodChoice> neighborhood;  // neighbourhood collectives: otherwise a ring

    WindowKind window_kind = WindowKind::allocate;   // one-sided
    std::optional<Synchronization> synchronization;  // likewise: otherwise flush, of put_bibw pscw

    std::size_t rows = 256;                 // tables: named by a call of a rank
    std::optional<std::size_t> table_rows;  // likewise, of the table: otherwise four times as many
    std::size_t vocabulary = 50'000;        // map_reduce: words that differ

    std::string folder;                              // files: empty means $TMPDIR, or /tmp
    std::size_t file_bytes = std::size_t{16} << 20;  // likewise, of each rank
    std::vector<std::size_t> blocks;                 // likewise: none means the benchmark's own

    std::vector<int> depths{10, 100, 1000, 10000};  // matching
    std::string mode = "posted";                    // matching
    int sources = 0;                                // matching: 0 means the other ranks of the job
    std::vector<std::string> ops;                   // reduce-op: none means all
    std::vector<std::string> types;                 // likewise
    int tests = 0;                                  // iallreduce and the like
    std::string compute = "spin";                   // likewise; or "sleep"
    double seconds = 10.0;                          // idle, tune
    int repetitions = 5;                            // tune
    std::vector<std::string> collectives;           // tune: none means all
    std::string rules_file = "tutti-rules.json";    // tune
    std::string starts_file;                        // tune: empty means beside the rules

    /// MIN, 2 MIN, 4 MIN ... MAX (or by another growth), and 0 before 1 when MIN is 0. `usual` where nothing
    /// was said.
    std::vector<std::size_t> size_list(const Sizes& usual) const;
    /// The benchmark's own sizes, at least one element. Smaller requested sizes are left out, as in OSU's
    /// benchmarks.
    std::vector<std::size_t> size_list() const;
    /// The sizes of blocks of a benchmark of files: as requested, or its own.
    std::vector<std::size_t> block_list() const;
    /// The element type: as requested, or floats for reductions, or bytes.
    DataType element() const noexcept;
    /// The requested value, or `usual`.
    LoopCount loop_count(LoopCount usual) const noexcept;
};

/// The result of a command line: options, or a message to print instead.
struct SuiteCommandLine {
    SuiteOptions options;
    std::string message;  // help, or what is wrong; empty: run the benchmark
    int status = 0;       // exit status when there is a message: 0 for help, 2 for a mistake

    /// Prints the message, help to stdout and complaints to stderr. One rank of a job should.
    void say() const;
};

/// A word of the command line that needs no job and reads its own options. argv[0] is "tutti-bench NAME".
struct Tool {
    const char* name;
    const char* description;
    int (*run)(int argc, const char* const* argv);
};

/// `own_library`: this is Tutti's own build, which also has the probes of the machine, and ranks in one
/// process. `tools` are listed in the help.
SuiteCommandLine parse_command_line(int argc, const char* const* argv, bool own_library,
                                    std::span<const Tool> tools = {});

}  // namespace tutti::bench
