// The record of the machine, read out of trees of files that look like /proc and /sys.
#include "benchmarks/environment/measured_machine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "benchmarks/tests/temporary_folder.hpp"

using namespace tutti::bench;

namespace {

namespace fs = std::filesystem;

// A folder that looks like the root of a machine.
class MachineFiles {
public:
    void write(const fs::path& file, const std::string& text) const
    {
        fs::create_directories((root() / file).parent_path());
        std::ofstream(root() / file) << text;
    }
    const fs::path& root() const { return folder_.path(); }

private:
    TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("the environment is read from the system's files", "[benchmarks]")
{
    const MachineFiles files;
    files.write("proc/cpuinfo",
                "processor\t: 0\nmodel\t\t: 17\nmodel name\t: Some \"Fast\" CPU\nflags\t\t: fpu sse\n");
    files.write("proc/meminfo", "MemFree:  5 kB\nMemTotal:       2048 kB\n");
    files.write("proc/loadavg", "0.25 1.50 2.00 1/100 4711\n");
    CHECK(load_text(files.root()) == "0.25");
    CHECK(load_text(files.root() / "nowhere") == "unknown");
    files.write("etc/os-release", "NAME=\"Some\"\nPRETTY_NAME=\"Some Linux 9\"\n");
    files.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    files.write("proc/sys/net/ipv4/tcp_congestion_control", "cubic\n");
    files.write("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
    files.write("sys/devices/system/cpu/smt/active", "1\n");
    files.write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    const std::array<std::array<const char*, 3>, 3> caches = {
        {{"1", "Data", "48K"}, {"1", "Instruction", "32K"}, {"2", "Unified", "2048K"}}};
    for (std::size_t i = 0; i < caches.size(); ++i) {
        const std::string folder = fmt::format("sys/devices/system/cpu/cpu0/cache/index{}/", i);
        files.write(folder + "level", caches[i][0]);
        files.write(folder + "type", caches[i][1]);
        files.write(folder + "size", caches[i][2]);
    }
    const nlohmann::json found = environment(files.root());
    CHECK(found.at("processor") == "Some \"Fast\" CPU");
    CHECK(found.at("memory_bytes") == 2048 * 1024);
    CHECK(found.at("load") == nlohmann::json{0.25, 1.5, 2.0});
    CHECK(found.at("system") == "Some Linux 9");
    CHECK(found.at("governor") == "performance");
    CHECK(found.at("tcp_congestion_control") == "cubic");
    CHECK(found.at("turbo") == false);
    CHECK(found.at("hyper_threads") == true);
    CHECK(found.at("huge_pages") == "madvise");
    CHECK(found.at("caches") == nlohmann::json{"L1 48 KiB", "L2 2 MiB"});
    CHECK(found.at("virtual_machine") == false);
    CHECK(found.at("container") == false);

    files.write(".dockerenv", "");
    files.write("proc/cpuinfo", "flags\t\t: fpu hypervisor sse\n");
    const nlohmann::json guest = environment(files.root());
    CHECK(guest.at("container") == "Docker");
    CHECK(guest.at("virtual_machine") != false);
    CHECK(guest.at("processor").is_null());
}

TEST_CASE("what cannot be known of the environment is null", "[benchmarks]")
{
    const MachineFiles files;
    const nlohmann::json found = environment(files.root());
    for (const char* const name : {"processor", "memory_bytes", "load", "system", "governor", "turbo",
                                   "hyper_threads", "huge_pages", "virtual_machine"}) {
        INFO(name);
        CHECK(found.at(name).is_null());
    }
    CHECK(found.at("caches").empty());
    CHECK(found.at("cores") > 0);
    CHECK(found.at("usable_cores") > 0);
    CHECK_THAT(found.at("date").get<std::string>(), Catch::Matches("20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z"));
    CHECK_FALSE(found.at("compiler").get<std::string>().empty());
}

TEST_CASE("the environment does not say whose machine it is", "[benchmarks]")
{
    std::array<char, 256> host{};
    REQUIRE(gethostname(host.data(), host.size() - 1) == 0);
    const nlohmann::json found = environment();
    for (const auto& [name, value] : found.items()) {
        INFO(name);
        CHECK(value != host.data());
    }
    CHECK_FALSE(found.contains("host"));
}
