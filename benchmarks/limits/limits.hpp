// `tutti-bench limits`: what the machine allows, and so the best that any message passing library could
// reach.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace tutti::bench {

/// Takes one measured figure: "memory copy", 4096, 130200, "MB/s". `key` is a size in bytes, or a number of
/// ranks; nothing where there is one figure only. Names are stable: comparisons look them up.
using TakeFigure = std::function<void(const std::string& name, std::optional<double> key, double value,
                                      const std::string& unit)>;

/// How often loops run: 1 is usual, less is quick and rough.
struct ProbeScale {
    double scale = 1.0;
    /// `usual` scaled, at least 2.
    int loops(int usual) const { return static_cast<int>(usual * scale) + 2; }
};

inline constexpr std::size_t kMebibyte = 1024 * 1024;

/// Repetitions that move about as much memory at every size.
inline int copies_of(std::size_t size_bytes, ProbeScale scale)
{
    return scale.loops(static_cast<int>(256 * kMebibyte / std::max<std::size_t>(size_bytes, 2048)));
}

void probe_cache_line(const TakeFigure& figures, ProbeScale scale);
void probe_small_message_ring(const TakeFigure& figures, ProbeScale scale);
void probe_shared_copy(const TakeFigure& figures, ProbeScale scale);
void probe_two_cores_copy(const TakeFigure& figures, ProbeScale scale);
void probe_combining(const TakeFigure& figures, ProbeScale scale);
void probe_copy_pipeline(const TakeFigure& figures, ProbeScale scale);
void probe_process_vm_readv(const TakeFigure& figures, ProbeScale scale);
void probe_exchange_of_blocks(const TakeFigure& figures, ProbeScale scale);
void probe_switches(const TakeFigure& figures, ProbeScale scale);
void probe_counter_barrier(const TakeFigure& figures, ProbeScale scale);
void probe_timed_counter_barrier(const TakeFigure& figures, ProbeScale scale);
void probe_sockets(const TakeFigure& figures, ProbeScale scale);

/// The tool: prints a line a figure, and writes them all as JSON if asked for. Exit status. Throws
/// std::runtime_error where the machine has fewer than two cores for us.
int run_limits(int argc, const char* const* argv);

}  // namespace tutti::bench
