// What the tools that make something of files have in common on the command line.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/record/result_record.hpp"

namespace CLI {
class App;
}

namespace tutti::bench {

/// A mistake of the command line that is seen only once the files have been read.
struct ToolMisuse : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// FILE...
void add_record_files(CLI::App& app, std::vector<std::string>& files);
/// Throws ToolMisuse where a file is none that was asked for, as `tutti-bench diff` judges it.
std::vector<record::Record> read_records(const std::vector<std::string>& files);

/// Parses and runs. The exit status: 0 also for help, 2 for a mistake of the command line, 1 for a failure;
/// both are said on stderr.
int run_tool(CLI::App& app, int argc, const char* const* argv, const std::function<void()>& run);

}  // namespace tutti::bench
