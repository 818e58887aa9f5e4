#include "launcher/placement/machine_topology.hpp"

#include <hwloc.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "launcher/base/option_values.hpp"
#include "launcher/wire/codec.hpp"
#include "lib/foundation/base/cgroup.hpp"
#include "tutti/error.hpp"

namespace tutti::launcher {
namespace {

struct BitmapFree {
    void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, BitmapFree>;

struct TopologyDestroy {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};

/// A variable with another value while this lives, or without one (nullptr). It is restored, since ranks
/// inherit it.
class VariableMeanwhile {
public:
    /// Nothing is set where a variable has a value already.
    VariableMeanwhile(std::string name, const char* set_to) : name_(std::move(name))
    {
        if (const char* const value = std::getenv(name_.c_str()))
            before_ = value;
        if (set_to == nullptr)
            unsetenv(name_.c_str());
        else if (!before_)
            setenv(name_.c_str(), set_to, 1);
    }
    ~VariableMeanwhile()
    {
        if (before_)
            setenv(name_.c_str(), before_->c_str(), 1);
        else
            unsetenv(name_.c_str());
    }
    VariableMeanwhile(const VariableMeanwhile&) = delete;
    VariableMeanwhile& operator=(const VariableMeanwhile&) = delete;

private:
    const std::string name_;
    std::optional<std::string> before_;
};

/// Whether a filter of system calls (a container's) does not let a process ask for its affinity mask. hwloc
/// would take the refusal for too small a mask and ask for ever with larger ones.
bool mask_is_refused()
{
    cpu_set_t mask;
    return sched_getaffinity(0, sizeof mask, &mask) != 0 && errno != EINVAL;  // EINVAL: it is larger
}

/// The mask in /proc, "0-3,8"; empty where it is not there.
std::string mask_by_proc()
{
    constexpr std::string_view kTitle = "Cpus_allowed_list:\t";
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(kTitle))
            return line.substr(kTitle.size());
    return {};
}

/// Owns a loaded hwloc topology with nothing but cores, packages, third-level caches, NUMA nodes and hardware
/// threads in it.
class Loaded {
public:
    explicit Loaded(const std::string& synthetic)
    {
        // Plugins (OpenGL, OpenCL, PCI) take most of the time and say nothing about cores.
        const VariableMeanwhile no_plugins("HWLOC_PLUGINS_PATH", "/nonexistent");
        hwloc_topology_t fresh = nullptr;
        check(hwloc_topology_init(&fresh), "hwloc_topology_init");
        topology_.reset(fresh);
        if (!synthetic.empty())
            check(hwloc_topology_set_synthetic(get(), synthetic.c_str()), "hwloc_topology_set_synthetic");
        hwloc_topology_set_all_types_filter(get(), HWLOC_TYPE_FILTER_KEEP_NONE);
        for (const hwloc_obj_type_t type : {HWLOC_OBJ_CORE, HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE})
            hwloc_topology_set_type_filter(get(), type, HWLOC_TYPE_FILTER_KEEP_ALL);
        check(hwloc_topology_load(get()), "hwloc_topology_load");
    }

    hwloc_topology_t get() const { return topology_.get(); }

    /// Drops what lies outside `allowed`. A set that would leave nothing is ignored.
    void restrict_to(hwloc_const_bitmap_t allowed)
    {
        if (hwloc_bitmap_intersects(hwloc_topology_get_topology_cpuset(get()), allowed) != 0)
            hwloc_topology_restrict(get(), allowed, 0);
    }

private:
    static void check(int result, const char* call)
    {
        if (result != 0) {
            throw Error(ErrorCode::system, "tuttirun",
                        fmt::format("{} cannot read this machine's topology; does lstopo work here?", call));
        }
    }

    std::unique_ptr<hwloc_topology, TopologyDestroy> topology_;
};

/// Replaces one of the cores' numbers by 0, 1, 2 ... in the order in which they come. Returns how many there
/// are.
int renumber(std::vector<Core>& cores, int Core::*number)
{
    std::map<int, int> numbers;
    for (Core& core : cores)
        core.*number = numbers.try_emplace(core.*number, static_cast<int>(numbers.size())).first->second;
    return static_cast<int>(numbers.size());
}

}  // namespace

void MachineTopology::number_objects()
{
    package_count_ = renumber(cores_, &Core::package);
    renumber(cores_, &Core::numa);
    renumber(cores_, &Core::l3cache);
}

MachineTopology MachineTopology::read(hwloc_topology* source, double quota_cores)
{
    // Some virtual machines do not tell cores: then a hardware thread counts as one.
    const bool has_cores = hwloc_get_nbobjs_by_type(source, HWLOC_OBJ_CORE) > 0;
    const hwloc_obj_type_t type = has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;

    MachineTopology topology;
    for (hwloc_obj_t object = nullptr;
         (object = hwloc_get_next_obj_by_type(source, type, object)) != nullptr;) {
        const auto number_of = [&](hwloc_obj_type_t above, int without) {
            const hwloc_obj_t found = hwloc_get_ancestor_obj_by_type(source, above, object);
            return found != nullptr ? static_cast<int>(found->logical_index) : without;
        };
        Core core;
        core.package = number_of(HWLOC_OBJ_PACKAGE, 0);
        core.numa = hwloc_bitmap_first(object->nodeset);
        core.l3cache = number_of(HWLOC_OBJ_L3CACHE, -1 - core.package);
        core.number = topology.core_count();
        for (int cpu = -1; (cpu = hwloc_bitmap_next(object->cpuset, cpu)) != -1;)
            core.cpus.push_back(cpu);
        topology.cores_.push_back(std::move(core));
    }
    topology.number_objects();
    const double cores = topology.core_count();
    topology.usable_cores_ = quota_cores > 0 ? std::min(cores, quota_cores) : cores;
    return topology;
}

MachineTopology MachineTopology::only(std::span<const int> numbers) const
{
    MachineTopology result = *this;
    std::erase_if(result.cores_,
                  [&](const Core& core) { return std::ranges::find(numbers, core.number) == numbers.end(); });
    result.number_objects();
    result.usable_cores_ = std::min(usable_cores_, static_cast<double>(result.core_count()));
    return result;
}

MachineTopology MachineTopology::detect()
{
    const double quota_cores = base::cpu_quota().value_or(0);
    if (mask_is_refused()) {
        const long cpus = std::max(1L, sysconf(_SC_NPROCESSORS_CONF));
        return synthetic(fmt::format("core:{} pu:1", cpus), mask_by_proc(), quota_cores);
    }
    std::optional<Loaded> loaded(std::in_place, std::string{});
    if (hwloc_topology_is_thissystem(loaded->get()) == 0) {
        // The variables name another machine, for tools that show it. Ranks run on this one.
        const VariableMeanwhile no_xml("HWLOC_XMLFILE", nullptr);
        const VariableMeanwhile no_synthetic("HWLOC_SYNTHETIC", nullptr);
        const VariableMeanwhile no_root("HWLOC_FSROOT", nullptr);
        const VariableMeanwhile no_registers("HWLOC_CPUID_PATH", nullptr);
        const VariableMeanwhile no_word("HWLOC_THISSYSTEM", nullptr);
        loaded.emplace(std::string{});
    }
    const Bitmap mask(hwloc_bitmap_alloc());
    if (mask && hwloc_get_cpubind(loaded->get(), mask.get(), HWLOC_CPUBIND_THREAD) == 0)
        loaded->restrict_to(mask.get());
    return read(loaded->get(), quota_cores);
}

MachineTopology MachineTopology::synthetic(const std::string& description, const std::string& allowed,
                                           double quota_cores)
{
    Loaded loaded(description);
    if (!allowed.empty()) {
        const Bitmap mask(hwloc_bitmap_alloc());
        hwloc_bitmap_list_sscanf(mask.get(), allowed.c_str());
        loaded.restrict_to(mask.get());
    }
    return read(loaded.get(), quota_cores);
}

std::string MachineTopology::to_wire() const
{
    return encode(usable_cores_, cores_);
}

MachineTopology MachineTopology::from_wire(std::string_view bytes)
{
    MachineTopology topology;
    std::tie(topology.usable_cores_, topology.cores_) = decode<double, std::vector<Core>>(bytes);
    for (const Core& core : topology.cores_) {
        const auto real = [](int number) { return number >= 0 && number < kMaxCores; };
        if (core.cpus.empty() || !std::ranges::all_of(core.cpus, real) || !real(core.number))
            throw WireError("a topology with an impossible core");
    }
    const std::vector<Core> as_sent = topology.cores_;
    topology.number_objects();
    if (!std::ranges::equal(as_sent, topology.cores_, [](const Core& sent, const Core& numbered) {
            return Core::fields(sent) == Core::fields(numbered);
        }))
        throw WireError("a topology whose cores are not numbered in their order");
    if (topology.cores_.empty() || !(topology.usable_cores_ > 0 && topology.usable_cores_ <= kMaxCores))
        throw WireError("a topology without cores");
    return topology;
}

std::vector<int> MachineTopology::cpus() const
{
    std::vector<int> result;
    for (const Core& core : cores_)
        result.insert(result.end(), core.cpus.begin(), core.cpus.end());
    return result;
}

int MachineTopology::slots() const noexcept
{
    return std::max(1, static_cast<int>(usable_cores_));
}

}  // namespace tutti::launcher
