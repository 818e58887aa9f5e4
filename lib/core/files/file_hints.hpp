// What a program asks of an open file.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti::detail {

/// docs/guide/files.md
struct FileHints {
    enum class Collective : std::uint8_t { automatic, always, never };

    std::size_t buffer_bytes = std::size_t{16} << 20;  // of an aggregator, for data in memory that it does not map
    int aggregators = 0;                               // 0: as many as suit the ranks
    Collective collective_reads = Collective::automatic;  // whether aggregators read for all
    Collective collective_writes = Collective::automatic;
    std::size_t alignment = std::size_t{1} << 20;  // domains of aggregators begin at multiples of it
};

}  // namespace tutti::detail
