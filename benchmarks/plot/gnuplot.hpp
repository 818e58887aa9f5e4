// The program gnuplot.
#pragma once

#include <string>

namespace tutti::bench {

/// What gnuplot writes to its standard output for `script`. No file is left behind, and the user's settings
/// for gnuplot are not read. Throws std::runtime_error where gnuplot is not installed, with the remedy, or
/// with its own words where it fails.
std::string run_gnuplot(const std::string& script);

}  // namespace tutti::bench
