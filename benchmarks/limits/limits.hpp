// Probes of the machine: what any message passing library on it could reach at best. docs/limits.md is made
// of them.
#pragma once

#include <functional>
#include <string>

#include "benchmarks/suite/options.hpp"

namespace tutti::bench {

/// Takes one measured figure: "copy of a shared source", "4096", 130.2, "GB/s".
using Figures = std::function<void(const std::string& probe, const std::string& parameter, double value,
                                   const std::string& unit)>;

/// How often loops run: 1 is usual, less is quick and rough.
struct Effort {
    double scale = 1.0;
    /// `usual` scaled, at least 2.
    int loops(int usual) const { return static_cast<int>(usual * scale) + 2; }
};

void probe_cache_line(const Figures& figures, Effort effort);
void probe_small_message_ring(const Figures& figures, Effort effort);
void probe_shared_copy(const Figures& figures, Effort effort);
void probe_copy_pipeline(const Figures& figures, Effort effort);
void probe_process_vm_readv(const Figures& figures, Effort effort);
void probe_switches(const Figures& figures, Effort effort);
void probe_counter_barrier(const Figures& figures, Effort effort);
void probe_sockets(const Figures& figures, Effort effort);

/// Runs all probes, prints a line each and writes the JSON file if asked for. Exit status. Throws
/// std::runtime_error where the machine has fewer than two cores for us.
int run_limits(const Options& options);

}  // namespace tutti::bench
