// Numbers and names for people to read, the same in pictures and tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/record/result_record.hpp"

namespace tutti::bench {

/// "8", "64 KiB", "1.5 MiB".
std::string size_text(double bytes);
/// Three significant digits or the whole number: "0.0912", "1.20", "13400".
std::string number_text(double value);
/// The unit as it is written: "us" becomes the letter mu and an s.
std::string unit_text(std::string_view unit);
/// A row's key: a size where the quantity's keys are sizes, else a number. "" of none.
std::string key_text(const record::Quantity& quantity, std::optional<double> key);
/// "Size" and the like: keys that are bytes.
bool keys_are_sizes(const record::Quantity& quantity);
/// "8 ranks on 2 hosts, bound to cores".
std::string job_text(int ranks, int hosts, std::string_view binding);
/// `words` with `between` between them.
std::string joined(const std::vector<std::string>& words, std::string_view between);

}  // namespace tutti::bench
