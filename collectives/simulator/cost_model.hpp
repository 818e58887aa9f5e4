// CostModel: costs of messages inside a node and between nodes, and of reductions; defaults, and files with
// others.
#pragma once

#include <string>
#include <string_view>

#include "collectives/simulator/simulator.hpp"

namespace tutti::collectives::simulator {

/// The defaults are measured. Inside a node (docs/measurements/shared-memory.md, the shared-memory transport,
/// two ranks of a Sapphire Rapids machine): 0.2 us for 8 bytes one way, of which a cache line's trip takes
/// 124 ns; 20 million messages a second; 25 GB/s for 1 MiB. Between nodes (libfabric 1.17's TCP over the
/// loopback interface): 4 us one way for a byte, 8.2 GB/s for 1 MiB. A reduction reads two operands and
/// writes one at 30 GB/s.
struct CostModel {
    Costs inside{.latency_ns = 124, .overhead_ns = 36, .gap_ns = 14, .ns_per_byte = 0.04};
    Costs between{.latency_ns = 2000, .overhead_ns = 1000, .gap_ns = 100, .ns_per_byte = 0.122};
    double reduce_ns_per_byte = 0.1;
};

/// The model in a JSON text; missing values keep their defaults:
///
///     {"inside":  {"latency_ns": 124, "overhead_ns": 36, "gap_ns": 14, "ns_per_byte": 0.04},
///      "between": {"latency_ns": 900, "overhead_ns": 150, "gap_ns": 20, "ns_per_byte": 0.08},
///      "reduce_ns_per_byte": 0.1}
///
/// Throws tutti::Error (invalid_argument) with `file`, the place in it, and the allowed values.
CostModel parse_cost_model(std::string_view text, std::string_view file);

/// The model in a file. Also throws tutti::Error if the file cannot be read.
CostModel read_cost_model(const std::string& file);

}  // namespace tutti::collectives::simulator
