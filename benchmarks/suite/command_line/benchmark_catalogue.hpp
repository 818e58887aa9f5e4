// All benchmarks of the suite: their names, what they measure, and on which jobs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "benchmarks/suite/library/described_call.hpp"

namespace tutti::bench {

enum class Better { lower, higher };

/// Message sizes from `min_bytes` to `max_bytes`, each `growth` times the one before. Without sizes:
/// max_bytes = 0.
struct Sizes {
    std::size_t min_bytes = 0;
    std::size_t max_bytes = 0;
    std::size_t growth = 2;
};

/// Which file of loops a benchmark belongs to.
enum class Group {
    point_to_point,
    persistent_messages,
    multi_pair,
    threads,
    congestion,
    ring,
    collective,
    overlap,
    persistent,
    matching,
    idle,
    reduction,
    startup,
    one_sided,
    atomics,
    counter,
    window_pattern,
    passive_put,
    table,
    sparse_table,
    map_reduce,
    file_call,
    file_access,
    shared_pointer,
};

struct Benchmark {
    const char* name;  // on the command line
    Group group;
    const char* description;  // for --help
    const char* title;        // "Latency Test"
    const char* value;        // column: "Latency"
    const char* unit = "us";
    Better better = Better::lower;
    Sizes sizes{};
    int min_ranks = 1;
    int max_ranks = 0;         // 0: as many as there are
    const char* alias = "";    // OSU's name, if it is another
    const char* key = "Size";  // first column; "" when a row is one value
    int decimals = 3;
    bool windows = false;                       // messages in windows: their length may be chosen
    std::optional<Collective> collective = {};  // what the three groups of them call
};

/// Whether its sizes may be chosen.
constexpr bool has_sizes(const Benchmark& benchmark) noexcept
{
    return benchmark.sizes.max_bytes > 0 && benchmark.group != Group::atomics;
}

/// Whether its buffers may come from the library's allocator or from malloc.
constexpr bool has_memory(const Benchmark& benchmark) noexcept
{
    return has_sizes(benchmark) && benchmark.group != Group::reduction &&
           benchmark.group != Group::map_reduce;
}

/// Whether it is of two ranks and a window, as OSU has it.
constexpr bool is_one_sided(const Benchmark& benchmark) noexcept
{
    return benchmark.group == Group::one_sided || benchmark.group == Group::atomics;
}

/// Whether its messages are rows of floats.
constexpr bool has_rows(const Benchmark& benchmark) noexcept
{
    return benchmark.group == Group::table || benchmark.group == Group::sparse_table;
}

/// Whether it is of a file that all ranks open.
constexpr bool has_file(const Benchmark& benchmark) noexcept
{
    return benchmark.group == Group::file_call || benchmark.group == Group::file_access ||
           benchmark.group == Group::shared_pointer;
}

/// Whether its sizes are of whole elements, whatever types there are.
constexpr bool has_elements(const Benchmark& benchmark) noexcept
{
    return benchmark.collective || is_one_sided(benchmark) || has_rows(benchmark);
}

/// Whether its window's kind and synchronisation may be chosen, by two ranks or more.
constexpr bool has_window(const Benchmark& benchmark) noexcept
{
    return is_one_sided(benchmark) || benchmark.group == Group::window_pattern ||
           benchmark.group == Group::passive_put;
}

/// Whether --touch may be asked of it.
constexpr bool may_be_touched(const Benchmark& benchmark) noexcept
{
    return has_memory(benchmark) &&
           (benchmark.group == Group::point_to_point || benchmark.group == Group::persistent_messages ||
            benchmark.group == Group::multi_pair || benchmark.group == Group::collective ||
            benchmark.group == Group::persistent);
}

std::span<const Benchmark> catalogue() noexcept;

/// The benchmark of this name or alias; nullptr when there is none.
const Benchmark* find_benchmark(std::string_view name) noexcept;

/// "point-to-point", "collective" ...
const char* to_string(Group group) noexcept;
const char* to_string(Better better) noexcept;

}  // namespace tutti::bench
