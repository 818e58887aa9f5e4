#include "launcher/placement/slot_list.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "launcher/base/option_values.hpp"
#include "launcher/job/job_plan.hpp"

namespace tutti::launcher {
namespace {

/// A number that stands for something on this machine.
void check_known(std::string_view where, std::string_view what, int number, const std::vector<int>& known)
{
    if (std::ranges::find(known, number) == known.end()) {
        throw UsageError(fmt::format("{}: there is no {} {} that ranks may use there; there are {}", where,
                                     what, number, format_cpu_list(known)));
    }
}

/// Hardware threads of cores that `text` names by their numbers in `cores`, from 0 on.
std::vector<int> cpus_of_cores(std::string_view where, std::string_view what, std::string_view text,
                               const std::vector<int>& numbers, const std::vector<const Core*>& cores)
{
    std::vector<int> cpus;
    const std::vector<int> chosen = text == "*" ? numbers : parse_ranges(where, what, text);
    for (const int number : chosen) {
        check_known(where, what, number, numbers);
        const auto index = std::ranges::find(numbers, number) - numbers.begin();
        const std::vector<int>& of_core = cores[static_cast<std::size_t>(index)]->cpus;
        cpus.insert(cpus.end(), of_core.begin(), of_core.end());
    }
    return cpus;
}

std::vector<int> cpus_on_package(std::string_view where, std::string_view package_text, std::string_view text,
                                 const MachineTopology& topology)
{
    const int package = parse_number(where, "package", package_text, 0, kMaxCores);
    std::vector<int> packages;
    std::vector<int> numbers;
    std::vector<const Core*> cores;
    for (const Core& core : topology.cores()) {
        packages.push_back(core.package);
        if (core.package != package)
            continue;
        numbers.push_back(static_cast<int>(cores.size()));
        cores.push_back(&core);
    }
    packages.erase(std::ranges::unique(packages).begin(), packages.end());
    check_known(where, "package", package, packages);
    return cpus_of_cores(where, fmt::format("core on package {} with number", package), text, numbers, cores);
}

/// One part between ';'.
std::vector<int> cpus_of_part(std::string_view where, std::string_view part, const MachineTopology& topology)
{
    if (part.starts_with('p') || part.starts_with('P')) {
        const std::vector<int> cpus = parse_ranges(where, "hardware thread", part.substr(1));
        for (const int cpu : cpus)
            check_known(where, "hardware thread", cpu, topology.cpus());
        return cpus;
    }
    const bool whole = part.starts_with('S') || part.starts_with('s');
    if (whole)
        part.remove_prefix(1);
    if (const std::size_t colon = part.find(':'); colon != std::string_view::npos)
        return cpus_on_package(where, part.substr(0, colon), part.substr(colon + 1), topology);
    if (whole)
        return cpus_on_package(where, part, "*", topology);
    std::vector<int> numbers;
    std::vector<const Core*> cores;
    for (const Core& core : topology.cores()) {
        numbers.push_back(core.number);
        cores.push_back(&core);
    }
    return cpus_of_cores(where, "core", part, numbers, cores);
}

}  // namespace

std::vector<int> cpus_of_slots(std::string_view where, std::string_view slots,
                               const MachineTopology& topology)
{
    std::vector<int> cpus;
    while (true) {
        const std::size_t end = slots.find(';');
        const std::vector<int> part = cpus_of_part(where, slots.substr(0, end), topology);
        cpus.insert(cpus.end(), part.begin(), part.end());
        if (end == std::string_view::npos)
            break;
        slots.remove_prefix(end + 1);
    }
    std::ranges::sort(cpus);
    cpus.erase(std::ranges::unique(cpus).begin(), cpus.end());
    return cpus;
}

}  // namespace tutti::launcher
