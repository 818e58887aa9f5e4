// The command line of tutti-info.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::info {

/// What --explain explains besides collectives: a message.
inline constexpr std::string_view kSend = "send";

struct InfoOptions {
    std::string explain;  // a collective, or kSend; empty: not asked
    std::string predict;  // a collective or "all"; empty: not asked
    int ranks = 1;
    int nodes = 1;
    std::vector<std::size_t> sizes_bytes{8};
    std::vector<std::string> assumed;  // "--ranks 1": what a call needs, and was not said
    bool commutative = true;
    bool crowded = false;
    bool json = false;
    bool config = false;  // every setting, and where it comes from
    std::string costs_file;
    std::size_t most_messages = 4'000'000;
    std::string message;  // help or the version: to be printed, and nothing else done
};

/// A command line that cannot be followed: a sentence with the remedy.
struct InfoUsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws InfoUsageError.
InfoOptions parse_command_line(int argc, const char* const* argv);

}  // namespace tutti::info
