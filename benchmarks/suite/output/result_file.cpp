#include "benchmarks/suite/output/result_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace tutti::bench {

void check_writable(std::string_view option, const std::string& file)
{
    // Opens to append: the old content stays until there is a better one.
    if (!file.empty() && !std::ofstream(file, std::ios::app))
        throw std::runtime_error(
            fmt::format("{}: cannot write '{}': {}", option, file, std::strerror(errno)));
}

void write_result(std::string_view option, const std::string& file, std::string_view text)
{
    if (file.empty())
        return;
    std::ofstream stream(file, std::ios::trunc);
    stream << text;
    if (!stream.flush())
        throw std::runtime_error(
            fmt::format("{}: writing '{}' failed: {}", option, file, std::strerror(errno)));
}

}  // namespace tutti::bench
