#include "tests/cluster/cluster.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <catch2/catch.hpp>

namespace tutti::test {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience(10);
constexpr std::chrono::seconds kLongestRun(60);

// Launched kills what is left of what it started: hosts and their sshd are to stay.
const std::vector<std::string> kWithoutMark{"env", "-u", kMarkVariable};

std::string needed(const char* name)
{
    const char* value = std::getenv(name);
    if (value == nullptr)
        throw std::runtime_error(std::string(name) + " is not set; run these tests with meson test");
    return value;
}

// By which processes of a host are known here.
fs::path process_space(const std::string& host)
{
    std::ifstream file(fs::path(needed("TUTTI_CLUSTER")) / host / "first");
    std::string first;
    file >> first;
    return fs::read_symlink("/proc/" + first + "/ns/pid");
}

// Without the folder of the build, whose name may have that of a program in it.
std::string command_line(const fs::path& process)
{
    static const std::string folder = fs::path(needed("TUTTIRUN")).parent_path().parent_path().string();
    std::string line = file_text(process / "cmdline");
    std::replace(line.begin(), line.end(), '\0', ' ');
    for (std::size_t at = 0; (at = line.find(folder, at)) != std::string::npos;)
        line.erase(at, folder.size());
    return line;
}

}  // namespace

Hosts::Hosts()
{
    needed("TUTTI_CLUSTER");
}

Hosts::~Hosts()
{
    for (const std::string& host : cut_)
        CHECK(script({"mend", host}).err == "");
    for (const std::string& host : limited_)
        CHECK(script({"rate", host, "none"}).err == "");
    for (const std::string& host : killed_)
        CHECK(script({"boot", host}).err == "");
    for (const auto& [host, undo] : undo_)
        shell(host, undo);
    // Daemons that lost their head in silence need the bound, and some time, to be gone.
    CHECK(script({"left", "20"}).out == "");
}

Result Hosts::script(const std::vector<std::string>& arguments)
{
    std::vector<std::string> command = kWithoutMark;
    command.push_back(needed("TUTTI_HOSTS"));
    command.insert(command.end(), arguments.begin(), arguments.end());
    Launched launched(command, kLongestRun);
    return launched.wait();
}

std::vector<std::string> Hosts::on(const std::string& host, const std::vector<std::string>& command)
{
    std::vector<std::string> words{needed("TUTTI_HOSTS"), "run", host};
    words.insert(words.end(), command.begin(), command.end());
    return words;
}

Result Hosts::run(const std::string& host, const std::vector<std::string>& command)
{
    Launched launched(on(host, command), kLongestRun);
    return launched.wait();
}

std::string Hosts::shell(const std::string& host, const std::string& script)
{
    std::vector<std::string> command = kWithoutMark;
    command.insert(command.end(), {"sh", "-c", script});
    Result result = run(host, command);
    CAPTURE(host, script, result.out, result.err);
    CHECK(result.status == 0);
    if (result.out.ends_with('\n'))
        result.out.pop_back();
    return result.out;
}

std::vector<std::string> Hosts::tuttirun_command(const std::vector<std::string>& arguments)
{
    return on("a", test::tuttirun_command(arguments));
}

Result Hosts::tuttirun(const std::vector<std::string>& arguments)
{
    return run("a", test::tuttirun_command(arguments));
}

void Hosts::cut(const std::string& host)
{
    REQUIRE(script({"cut", host}).status == 0);
    cut_.push_back(host);
}

void Hosts::limit(const std::string& host, const std::string& rate)
{
    REQUIRE(script({"rate", host, rate}).status == 0);
    limited_.push_back(host);
}

void Hosts::kill(const std::string& host)
{
    REQUIRE(script({"kill", host}).status == 0);
    killed_.push_back(host);
}

void Hosts::change(const std::string& host, const std::string& change, const std::string& undo)
{
    shell(host, change);
    undo_.emplace_back(host, undo);
}

std::vector<pid_t> Hosts::processes(const std::string& host, const std::string& part)
{
    const fs::path space = process_space(host);
    const bool launchers = contains(part, "tuttirun");
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        std::error_code gone;
        if (name[0] < '0' || name[0] > '9' || fs::read_symlink(entry.path() / "ns/pid", gone) != space)
            continue;
        const std::string line = command_line(entry.path());
        if (contains(line, part) && (launchers || !contains(line, "tuttirun")))
            found.push_back(std::stoi(name));
    }
    std::ranges::sort(found);
    return found;
}

std::vector<pid_t> Hosts::wait_for_processes(const std::string& host, const std::string& part,
                                             std::size_t count)
{
    const auto until = Clock::now() + kPatience;
    std::vector<pid_t> found;
    while ((found = processes(host, part)).size() != count) {
        if (Clock::now() > until)
            throw std::runtime_error(std::to_string(found.size()) + " processes like '" + part +
                                     "' on host " + host + " instead of " + std::to_string(count));
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return found;
}

std::vector<std::string> job(const std::string& hosts, const std::string& name,
                             const std::vector<std::string>& arguments)
{
    std::vector<std::string> words{"--host", hosts, program("api_" + name)};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
}

std::string cluster_program(const std::string& name)
{
    return needed("TUTTI_CLUSTER_PROGRAMS") + "/" + name;
}

std::string other_tuttirun(const std::string& prefix)
{
    const std::string program = prefix + "/bin/tuttirun";
    return "mkdir -p " + prefix + "/bin && cat > " + program + " <<'END' && chmod +x " + program + R"(
#!/bin/sh
echo "tuttirun: unknown option '--daemon'" >&2
exit 2
END
)";
}

void check_cut_ends(Launched& launched)
{
    const auto start = std::chrono::steady_clock::now();
    const Result result = launched.wait();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    CHECK(result.status != 0);
    CHECK(seconds < kBoundSeconds);
    CAPTURE(result.err);
    CHECK(contains(result.err, "10.77.0."));
    CHECK(contains(result.err, "on b"));
    // While the link is still cut: nobody could tell b.
    Hosts::wait_for_processes("b", "tuttirun", 0);
    Hosts::wait_for_processes("b", "api_soak", 0);
}

void check_quiet_success(const Result& result)
{
    CHECK(result.status == 0);
    CHECK(result.err == "");
}

}  // namespace tutti::test
