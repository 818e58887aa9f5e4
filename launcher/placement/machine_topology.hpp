// The part of this machine that the launcher may use: cores, their packages and NUMA nodes, hardware threads.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

struct hwloc_topology;

namespace tutti::launcher {

/// A core that may be used, with the hardware threads of it that may be used.
struct Core {
    int package = 0;        // numbered 0, 1, ... over the packages that have a usable core
    int numa = 0;           // numbered 0, 1, ... over the NUMA nodes that have a usable core
    int l3cache = 0;        // over such third-level caches; where none is known a package counts as one
    int number = 0;         // counted from 0 over all cores that this process may use
    std::vector<int> cpus;  // the system's numbers of its hardware threads; never empty

    static auto fields(auto& self)
    {
        return std::tie(self.package, self.numa, self.l3cache, self.number, self.cpus);
    }
};

/// A value that does not change with the machine. Cores are in hwloc's order: neighbours share caches, NUMA
/// nodes and packages.
class MachineTopology {
public:
    /// The part of this machine that this process's affinity mask and control groups allow. Takes a few
    /// milliseconds and changes the environment meanwhile: call it before starting threads. Where the system
    /// hides the mask, each hardware thread that may be used counts as a core.
    /// Throws tutti::Error (system) when hwloc cannot look at it.
    static MachineTopology detect();

    /// A synthetic machine, "package:2 core:4 pu:2" in hwloc's syntax, restricted to the hardware threads in
    /// `allowed` ("0-3,8"; empty: all), with a CPU-time quota of `quota_cores` (0: none).
    static MachineTopology synthetic(const std::string& description, const std::string& allowed = {},
                                     double quota_cores = 0);

    /// As bytes, for another host of the same architecture.
    std::string to_wire() const;
    /// Throws WireError for bytes that no to_wire() gives.
    static MachineTopology from_wire(std::string_view bytes);

    /// This machine with only the cores of these numbers, of which it must have one.
    MachineTopology only(std::span<const int> numbers) const;

    std::span<const Core> cores() const noexcept { return cores_; }
    int core_count() const noexcept { return static_cast<int>(cores_.size()); }
    int package_count() const noexcept { return package_count_; }
    /// All usable hardware threads, core by core.
    std::vector<int> cpus() const;

    /// How much time of cores the ranks can use together: all cores, or less (and maybe no whole number)
    /// where a control group has a quota.
    double usable_cores() const noexcept { return usable_cores_; }
    /// How many ranks can compute at the same time: usable_cores() rounded down, at least 1.
    int slots() const noexcept;

private:
    static MachineTopology read(hwloc_topology* source, double quota_cores);
    /// Numbers packages, NUMA nodes and caches 0, 1, 2 ... in the order in which cores first name them.
    void number_objects();

    std::vector<Core> cores_;
    int package_count_ = 0;
    double usable_cores_ = 1;
};

}  // namespace tutti::launcher
