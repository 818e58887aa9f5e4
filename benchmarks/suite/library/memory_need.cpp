#include "benchmarks/suite/library/memory_need.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

namespace tutti::bench {

namespace {

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

}  // namespace

double available_bytes(std::string_view meminfo)
{
    std::istringstream lines{std::string(meminfo)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        double kilobytes = 0.0;
        if (words >> name >> kilobytes && name == "MemAvailable:")
            return kilobytes * 1024.0;
    }
    return std::numeric_limits<double>::infinity();
}

double available_bytes()
{
    std::ostringstream text;
    text << std::ifstream("/proc/meminfo").rdbuf();
    return available_bytes(text.str());
}

std::string lack_of_memory(std::span<const MemoryNeed> needs, std::span<const int> host_of)
{
    for (std::size_t first = 0; first < needs.size(); ++first) {
        double wanted = 0.0;
        double available = needs[first].available_bytes;
        int ranks = 0;
        for (std::size_t rank = 0; rank < needs.size(); ++rank) {
            if (host_of[rank] != host_of[first])
                continue;
            wanted += needs[rank].bytes;
            available = std::min(available, needs[rank].available_bytes);
            ++ranks;
        }
        if (wanted > available)
            return fmt::format(
                "the buffers of the {} rank{} on the host of rank {} need {:.1f} GiB, and {:.1f} "
                "GiB of memory are available there: choose smaller sizes with -m, or fewer ranks",
                ranks, ranks == 1 ? "" : "s", first, wanted / kGiB, available / kGiB);
    }
    return {};
}

}  // namespace tutti::bench
