#include "benchmarks/environment/measured_machine.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "lib/foundation/base/date_time.hpp"

namespace tutti::bench {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::optional<std::string> first_line(const fs::path& file)
{
    std::ifstream stream(file);
    std::string line;
    if (!std::getline(stream, line) || line.empty())
        return {};
    return line;
}

// The text after `name` and its separator in a file of such lines, without surrounding spaces and quotes.
std::optional<std::string> field(const fs::path& file, const std::string& name, char separator)
{
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        const std::size_t at = line.find(separator);
        if (at == std::string::npos || !line.starts_with(name) ||
            line.find_first_not_of(" \t", name.size()) != at)
            continue;
        const std::size_t first = line.find_first_not_of(" \t\"", at + 1);
        if (first == std::string::npos)
            return {};
        return line.substr(first, line.find_last_not_of(" \t\"") + 1 - first);
    }
    return {};
}

json text_or_null(const std::optional<std::string>& text)
{
    return text ? json(*text) : json(nullptr);
}

// For files that contain 0 or 1.
json flag(const fs::path& file, const std::string& when_true)
{
    const std::optional<std::string> line = first_line(file);
    return line ? json(*line == when_true) : json(nullptr);
}

json cores_of_process()
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    // Fails on machines with more than 1024 cores, whose masks are longer.
    return sched_getaffinity(0, sizeof cores, &cores) == 0 ? json(CPU_COUNT(&cores)) : json(nullptr);
}

// Converts the kernel's "266240K" to "260 MiB".
std::string cache_size(const std::string& text)
{
    const unsigned long kibibytes = std::strtoul(text.c_str(), nullptr, 10);
    if (!text.ends_with('K') || kibibytes == 0)
        return text;
    return kibibytes % 1024 == 0 ? fmt::format("{} MiB", kibibytes / 1024) : fmt::format("{} KiB", kibibytes);
}

json caches(const fs::path& root)
{
    json found = json::array();
    for (int index = 0;; ++index) {
        const fs::path folder = root / fmt::format("sys/devices/system/cpu/cpu0/cache/index{}", index);
        const auto level = first_line(folder / "level");
        const auto type = first_line(folder / "type");
        const auto size = first_line(folder / "size");
        if (!level || !type || !size)
            return found;
        if (*type != "Instruction")
            found.push_back(fmt::format("L{} {}", *level, cache_size(*size)));
    }
}

json memory_bytes(const fs::path& root)
{
    const auto kibibytes = field(root / "proc/meminfo", "MemTotal", ':');
    return kibibytes ? json(std::stoull("0" + *kibibytes) * 1024) : json(nullptr);
}

json load(const fs::path& root)
{
    std::ifstream stream(root / "proc/loadavg");
    double one = 0.0, five = 0.0, fifteen = 0.0;
    return stream >> one >> five >> fifteen ? json{one, five, fifteen} : json(nullptr);
}

// Intel's driver reports whether turbo is off, other drivers whether boost is on.
json turbo(const fs::path& root)
{
    const fs::path cpu = root / "sys/devices/system/cpu";
    const json intel = flag(cpu / "intel_pstate/no_turbo", "0");
    return intel.is_null() ? flag(cpu / "cpufreq/boost", "1") : intel;
}

// The choice in brackets of a line of choices.
json huge_pages(const fs::path& root)
{
    const auto line = first_line(root / "sys/kernel/mm/transparent_hugepage/enabled");
    const std::size_t open = line ? line->find('[') : std::string::npos;
    if (open == std::string::npos)
        return nullptr;
    return line->substr(open + 1, line->find(']', open) - open - 1);
}

// Recognises a hypervisor by its name; false on a real machine.
json virtual_machine(const fs::path& root)
{
    const auto flags = field(root / "proc/cpuinfo", "flags", ':');
    if (!flags)
        return nullptr;
    if ((" " + *flags + " ").find(" hypervisor ") == std::string::npos)
        return false;
#if defined(__x86_64__)
    unsigned largest = 0, words[3] = {};
    __cpuid(0x40000000, largest, words[0], words[1], words[2]);
    std::string name(reinterpret_cast<const char*>(words), sizeof words);
    name.resize(name.find_last_not_of('\0') + 1);
    if (!name.empty() && name.find_first_of("<>&\"\\") == std::string::npos)
        return name.starts_with("KVM") ? "KVM" : name;
#endif
    return true;
}

json container(const fs::path& root)
{
    std::error_code ignored;
    if (fs::exists(root / ".dockerenv", ignored))
        return "Docker";
    if (fs::exists(root / "run/.containerenv", ignored))
        return "Podman";
    const std::string groups = first_line(root / "proc/1/cgroup").value_or("");
    for (const char* const name : {"kubepods", "docker", "lxc"}) {
        if (groups.find(name) != std::string::npos)
            return name;
    }
    return false;
}

std::string compiler()
{
#if defined(__clang__)
    return "Clang " __clang_version__;
#else
    return "GCC " __VERSION__;
#endif
}

// Figures of a build with sanitizers must not be mistaken for others.
json sanitizers()
{
    json found = json::array();
#if defined(__SANITIZE_ADDRESS__)
    found.push_back("address");
#endif
#if defined(__SANITIZE_THREAD__)
    found.push_back("thread");
#endif
    return found;
}

bool optimized()
{
#if defined(__OPTIMIZE__)
    return true;
#else
    return false;
#endif
}

}  // namespace

std::string load_text(const fs::path& root)
{
    const json found = load(root);
    return found.is_null() ? "unknown" : fmt::format("{:.2f}", found[0].get<double>());
}

json environment(const fs::path& root)
{
    utsname names{};
    uname(&names);
    const fs::path cpu = root / "sys/devices/system/cpu";
    return {
        {"date", base::utc_text(std::time(nullptr), "%FT%TZ")},
        {"processor", text_or_null(field(root / "proc/cpuinfo", "model name", ':'))},
        {"architecture", names.machine},
        {"cores", sysconf(_SC_NPROCESSORS_ONLN)},
        {"usable_cores", cores_of_process()},
        {"hyper_threads", flag(cpu / "smt/active", "1")},
        {"caches", caches(root)},
        {"memory_bytes", memory_bytes(root)},
        {"governor", text_or_null(first_line(cpu / "cpu0/cpufreq/scaling_governor"))},
        {"turbo", turbo(root)},
        {"huge_pages", huge_pages(root)},
        {"virtual_machine", virtual_machine(root)},
        {"container", container(root)},
        {"system", text_or_null(field(root / "etc/os-release", "PRETTY_NAME", '='))},
        {"kernel", fmt::format("{} {}", names.sysname, names.release)},
        {"tcp_congestion_control",
         text_or_null(first_line(root / "proc/sys/net/ipv4/tcp_congestion_control"))},
        {"load", load(root)},
        {"compiler", compiler()},
        {"optimized", optimized()},
        {"sanitizers", sanitizers()},
    };
}

}  // namespace tutti::bench
