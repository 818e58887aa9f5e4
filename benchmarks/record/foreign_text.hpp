// Reads what OSU's and Intel's (IMB) programs print, so that it can be held against other such texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/record/result_record.hpp"

namespace tutti::bench::record {

/// Whether the text is one of theirs.
bool is_foreign_text(std::string_view text);

/// A run for each title of OSU's ("# OSU MPI Latency Test v7.4") and each table of IMB's ("# Benchmarking
/// PingPong"), in which a row's figure is that of the first column after the size; of IMB's tables t_avg, or
/// t. Texts of several starts may follow each other in one file. OSU's say nothing of the number of ranks: it
/// is 0. Lines of other kinds are passed over. Throws std::runtime_error, which names the file, where there
/// is no row.
std::vector<Run> parse_foreign_text(std::string_view text, const std::string& file);

}  // namespace tutti::bench::record
