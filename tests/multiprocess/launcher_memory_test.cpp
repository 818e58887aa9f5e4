// Ranks that the kernel kills for want of memory: a group of processes with a limit stands for a small machine.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

#include "tests/json.hpp"
#include "tests/multiprocess/launched.hpp"

using namespace tutti::test;
namespace fs = std::filesystem;

namespace {

/// More than a launcher needs, and soon used up.
constexpr int kLimitBytes = 200 << 20;

/// A group with little memory, below that of this process. Of either version.
class MemoryGroup {
public:
    MemoryGroup()
    {
        std::ifstream groups("/proc/self/cgroup");
        for (std::string line; std::getline(groups, line);) {
            const bool is_v2 = line.starts_with("0::");
            const std::string group = line.substr(line.rfind(':') + 1);
            const fs::path mount = is_v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
            if (is_v2 || line.find(":memory:") != std::string::npos) {
                make(mount.string() + group, is_v2);
            }
        }
    }
    ~MemoryGroup()
    {
        std::error_code error;
        while (!path_.empty() && !fs::remove(path_, error) && error) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));  // its processes are on their way out
        }
    }
    MemoryGroup(const MemoryGroup&) = delete;
    MemoryGroup& operator=(const MemoryGroup&) = delete;

    bool is_there() const { return !path_.empty(); }
    std::string processes() const { return path_ / "cgroup.procs"; }

private:
    void make(const fs::path& below, bool is_v2)
    {
        const fs::path group = below / ("tutti-test-" + std::to_string(::getpid()));
        std::error_code error;
        if (is_there() || !fs::create_directory(group, error)) {
            return;
        }
        const fs::path limit = group / (is_v2 ? "memory.max" : "memory.limit_in_bytes");
        const fs::path swap = group / (is_v2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes");
        if (!fs::exists(limit) || !(std::ofstream(limit) << kLimitBytes << std::flush)) {
            fs::remove(group, error);
            return;
        }
        if (fs::exists(swap)) {
            std::ofstream(swap) << (is_v2 ? 0 : kLimitBytes);
        }
        path_ = group;
    }

    fs::path path_;
};

/// In the third field of its status; "" where it is gone.
bool has_ended(pid_t pid)
{
    const std::string status = file_text("/proc/" + std::to_string(pid) + "/stat");
    const std::size_t name = status.rfind(") ");
    return name == std::string::npos || status[name + 2] == 'Z';
}

}  // namespace

TEST_CASE("two ranks that the kernel kills for want of memory at once are both told")
{
    const MemoryGroup group;
    if (!group.is_there() || kSanitized) {
        WARN("not tested: no group with a limit of memory can be made here");
        return;
    }
    std::string folder = fs::temp_directory_path() / "tutti-memory-XXXXXX";
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    const std::string report = folder + "/report.json";
    std::vector<std::string> command{"sh", "-c", "echo $$ > " + group.processes() + " && exec \"$@\"", "sh"};
    for (const std::string& word :
         tuttirun_command({"--report-json", report, "-n", "2", "sh", "-c",
                           "echo $$; until test -e " + folder + "/go; do sleep 0.02; done; exec tail /dev/zero"})) {
        command.push_back(word);
    }
    {
        Launched job(command);
        while (lines_of(job.so_far().out).size() < 2) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        const auto ranks = lines_of(job.so_far().out);
        pid_t daemon = -1;
        for (const pid_t pid : job.processes()) {
            daemon = file_text("/proc/" + std::to_string(pid) + "/comm") == "tuttirun-daemon\n" ? pid : daemon;
        }
        REQUIRE(daemon > 0);
        // Which is too busy to see the first end before the second.
        ::kill(daemon, SIGSTOP);
        std::ofstream(folder + "/go").put('\n');
        while (!std::ranges::all_of(ranks, [](const std::string& rank) { return has_ended(std::stoi(rank)); })) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        ::kill(daemon, SIGCONT);
        const Result result = job.wait();
        CAPTURE(result.err);
        CHECK(result.status == 128 + SIGKILL);
        const auto lines = lines_of(result.err);
        REQUIRE(lines.size() == 2);
        CHECK(contains(lines[0], "was killed by signal 9 (Killed: this host, or the memory group of the job, was "
                                 "out of memory); ending the job"));
        CHECK(contains(lines[1], "died alike"));
    }
    const Json outcomes = Json(file_text(report))["outcomes"];
    fs::remove_all(folder);
    REQUIRE(outcomes.size() == 1);
    CHECK(outcomes[0]["outcome"] ==
          "killed by signal 9 (Killed: this host, or the memory group of the job, was out of memory)");
    CHECK(outcomes[0]["count"] == 2);
}
