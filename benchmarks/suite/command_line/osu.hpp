// Names of OSU's micro-benchmarks (7.4), for users who know them and for programs that read their output.
#pragma once

#include <string>
#include <string_view>

#include "benchmarks/suite/command_line/benchmark_catalogue.hpp"

namespace tutti::bench {

inline constexpr const char* kOsuVersion = "7.4";

/// Whether OSU's suite has this benchmark.
bool is_of_osu(const Benchmark& benchmark) noexcept;

/// The heading of the column of values: "Avg Latency(us)", "Bandwidth (MB/s)", "MB/s".
std::string value_column(const Benchmark& benchmark);
/// The heading of a percentile's column: "P99 Tail Lat(us)", "P50 Tail BW(MB/s)".
std::string tail_column(const Benchmark& benchmark, double percent);

/// "MPI_FLOAT"
const char* mpi_name(DataType type) noexcept;

/// The benchmark of OSU's program name: "osu_bcast" is "broadcast". Empty if OSU or this suite has none.
std::string_view benchmark_of_program(std::string_view program) noexcept;

}  // namespace tutti::bench
