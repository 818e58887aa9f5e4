#include "benchmarks/suite/command_line/osu.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace tutti::bench {

bool is_of_osu(const Benchmark& benchmark) noexcept
{
    switch (benchmark.group) {
        case Group::point_to_point:
            return std::string_view(benchmark.name) != "rate";
        case Group::persistent_messages:
        case Group::multi_pair:
        case Group::threads:
        case Group::congestion:
        case Group::startup:
        case Group::one_sided:
        case Group::atomics:
            return true;
        case Group::collective:
        case Group::overlap:
        case Group::persistent:
            return benchmark.collective != Collective::scan && benchmark.collective != Collective::exscan;
        default:
            return false;
    }
}

std::string value_column(const Benchmark& benchmark)
{
    if (std::string_view(benchmark.name) == "mbw_mr")
        return "MB/s";
    if (is_of_osu(benchmark) && !is_one_sided(benchmark) && benchmark.better == Better::lower)
        return fmt::format("{}({})", benchmark.group == Group::overlap ? "Overall" : "Avg Latency",
                           benchmark.unit);
    return fmt::format("{} ({})", benchmark.value, benchmark.unit);
}

std::string tail_column(const Benchmark& benchmark, double percent)
{
    return fmt::format("P{} Tail {}({})", percent, benchmark.better == Better::lower ? "Lat" : "BW",
                       benchmark.unit);
}

const char* mpi_name(DataType type) noexcept
{
    switch (type) {
        case DataType::int32:
            return "MPI_INT";
        case DataType::int64:
            return "MPI_LONG_LONG";
        case DataType::float32:
            return "MPI_FLOAT";
        case DataType::float64:
            return "MPI_DOUBLE";
        default:
            return "MPI_CHAR";
    }
}

std::string_view benchmark_of_program(std::string_view program) noexcept
{
    constexpr std::string_view kPrefix = "osu_";
    if (!program.starts_with(kPrefix))
        return {};
    program.remove_prefix(kPrefix.size());
    // OSU times MPI_Reduce_scatter, which has a count for each rank, as the v says in this suite.
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOthers = {
        {{"reduce_scatter", "reduce_scatterv"},
         {"ireduce_scatter", "ireduce_scatterv"},
         {"reduce_scatter_persistent", "reduce_scatterv_persistent"}}};
    for (const auto& [theirs, ours] : kOthers) {
        if (program == theirs)
            return ours;
    }
    const Benchmark* const found = find_benchmark(program);
    return found != nullptr && is_of_osu(*found) ? std::string_view(found->name) : std::string_view();
}

}  // namespace tutti::bench
