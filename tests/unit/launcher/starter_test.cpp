// Agents that stand for ssh, and fail in every way in which it does.
#include "launcher/tree/starter.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <fstream>
#include <thread>

#include <catch2/catch.hpp>

#include "tests/unit/launcher/support.hpp"

using namespace tutti::launcher;
using namespace tutti::launcher::test;
using namespace std::chrono_literals;

namespace {

InheritedState as_this_process()
{
    InheritedState state{};
    ::sigprocmask(SIG_SETMASK, nullptr, &state.signal_mask);
    ::getrlimit(RLIMIT_NOFILE, &state.open_files);
    return state;
}

/// A starter whose agent is a script; what it tells is kept.
struct Scene {
    explicit Scene(const std::string& script, double timeout_seconds = 1000)
    {
        const std::filesystem::path agent = folder.write("agent", "#!/bin/sh\n" + script + "\n");
        std::filesystem::permissions(agent, std::filesystem::perms::owner_all);
        method.agent = {agent.string()};
        method.program = "/opt/tuttirun";
        method.timeout_seconds = timeout_seconds;
        starter = std::make_unique<DaemonStarter>(
            loop, method, as_this_process(),
            DaemonStarter::Events{[](int node) { return "record " + std::to_string(node) + "\n"; },
                                  [this](const std::vector<std::string>&) { ++started; },
                                  [this](const std::vector<int>& nodes, const std::string& reason) {
                                      failed.insert(failed.end(), nodes.begin(), nodes.end());
                                      reasons += reason + "\n";
                                      stop_when_enough();
                                  }});
    }

    void stop_when_enough()
    {
        if (failed.size() >= wanted_failures) {
            loop.stop();
        }
    }

    /// Runs the loop until so many hosts have failed.
    void run_to_failures(std::size_t count)
    {
        wanted_failures = count;
        if (failed.size() < count) {
            loop.run();
        }
    }

    /// Looks again and again whether `done`, and gives up after ten seconds.
    template <typename Condition>
    bool wait_for(Condition done)
    {
        int looks = 0;
        std::function<void()> look = [&] {
            if (done() || ++looks == 1000) {
                loop.stop();
            } else {
                loop.after(10ms, look);
            }
        };
        loop.post(look);
        loop.run();
        return done();
    }

    bool exists(const std::string& name) const { return std::filesystem::exists(folder.path() / name); }

    TemporaryFolder folder;
    EventLoop loop;
    StartMethod method;
    std::unique_ptr<DaemonStarter> starter;
    std::vector<int> failed;
    std::string reasons;
    std::size_t wanted_failures = 1000;
    int started = 0;
};

std::vector<RemoteHost> hosts(int count)
{
    std::vector<RemoteHost> result;
    for (int i = 0; i < count; ++i) {
        result.push_back({i, "host" + std::to_string(i), ""});
    }
    return result;
}

}  // namespace

TEST_CASE("The time in which the launcher is stopped does not count against a daemon")
{
    Scene scene("exec sleep 1000", 0.6);
    scene.starter->start(hosts(2));
    // It goes on when the time is over; one daemon has connected meanwhile.
    scene.loop.post([] { std::this_thread::sleep_for(900ms); });
    scene.loop.after(950ms, [&] {
        CHECK(scene.failed.empty());
        scene.starter->connected(0);
    });
    scene.run_to_failures(1);
    CHECK(scene.failed == std::vector{1});
}

TEST_CASE("An agent gets host, command and, out of others' sight, the record")
{
    Scene scene(R"(dir=$(dirname "$0"); echo "$@" > "$dir/words"; cat > "$dir/record"; )"
                R"(mv "$dir/record" "$dir/done"; exec sleep 1000)");
    scene.starter->start({{7, "b", "me"}});
    CHECK(scene.started == 1);
    REQUIRE(scene.wait_for([&] { return scene.exists("done"); }));
    std::string line;
    std::getline(std::ifstream(scene.folder.path() / "words"), line);
    CHECK(line == "-l me b exec '/opt/tuttirun' --daemon");
    std::getline(std::ifstream(scene.folder.path() / "done"), line);
    CHECK(line == "record 7");
    CHECK(scene.failed.empty());
    scene.starter->connected(7);
    scene.starter->finish(0ms);
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);  // nothing is left
}

TEST_CASE("An agent that fails is reported with its words; the others go on")
{
    Scene scene(R"(case "$1" in host1) echo "to stdout"; echo "cannot reach $1" >&2; exit 255;; esac; )"
                R"(exec sleep 1000)");
    scene.starter->start(hosts(3));
    scene.run_to_failures(1);
    CHECK(scene.failed == std::vector<int>{1});
    CHECK_THAT(scene.reasons, Catch::Contains("cannot start tuttirun on host1: "));
    CHECK_THAT(scene.reasons, Catch::Contains("ended with status 255"));
    CHECK_THAT(scene.reasons, Catch::Contains("    to stdout\n    cannot reach host1"));
    scene.starter.reset();
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("An agent that hangs, or goes into the background and leads to nothing, has its time")
{
    const std::string script = GENERATE(values<std::string>({"echo working; exec sleep 1000", "exit 0"}));
    Scene scene(script, 0.2);
    scene.starter->start(hosts(1));
    scene.run_to_failures(1);
    CHECK_THAT(scene.reasons, Catch::Contains("brought up no daemon that connects within 0.2 s"));
    scene.starter.reset();
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("Agents that are killed, cannot be executed, or are not there")
{
    {
        Scene scene("kill -9 $$");
        scene.starter->start(hosts(1));
        scene.run_to_failures(1);
        CHECK_THAT(scene.reasons, Catch::Contains("was ended by signal 9"));
    }
    Scene scene("exit 0");
    scene.method.agent = {"/nonexistent/agent"};
    DaemonStarter starter(scene.loop, scene.method, as_this_process(),
                          {[](int) { return std::string(); },
                           {},
                           [&](const std::vector<int>& nodes, const std::string& reason) {
                               scene.failed = nodes;
                               scene.reasons = reason;
                           }});
    starter.start({{3, "b", ""}});
    CHECK(scene.failed == std::vector<int>{3});
    CHECK_THAT(scene.reasons, Catch::Contains("/nonexistent/agent cannot be run: No such file or directory"));
}

TEST_CASE("What an agent writes never stops it, and is kept for later")
{
    Scene scene(R"(i=0; while [ $i -lt 3000 ]; do echo "line $i of noise that nobody reads"; i=$((i+1)); done
                   touch "$(dirname "$0")/done"; exec sleep 1000)");
    scene.starter->start(hosts(1));
    scene.starter->connected(0);
    REQUIRE(scene.wait_for([&] { return scene.exists("done"); }));
    REQUIRE(scene.wait_for(
        [&] { return scene.starter->output_of(0).find("line 2999 of") != std::string::npos; }));
    CHECK(scene.starter->output_of(0).size() <= 8192);
    CHECK(scene.starter->output_of(1).empty());
}

TEST_CASE("No more than so many agents connect at once")
{
    Scene scene("exec sleep 1000");
    const int most = static_cast<int>(DaemonStarter::kAgentsAtOnce);
    scene.starter->start(hosts(most + 3));
    CHECK(scene.started == most);
    scene.starter->connected(5);
    CHECK(scene.started == most + 1);
    scene.starter->connected(5);
    CHECK(scene.started == most + 1);
    scene.starter->connected(6);
    scene.starter->connected(most);
    CHECK(scene.started == most + 3);
}

TEST_CASE("At the end agents of daemons that had come may end by themselves, the others are stopped")
{
    Scene scene(R"(dir=$(dirname "$0"); trap 'touch "$dir/stopped.$1"; exit 1' TERM
                   touch "$dir/here.$1"
                   while [ ! -e "$dir/end" ]; do sleep 0.01; done; sleep 0.1; touch "$dir/ended.$1")");
    scene.starter->start(hosts(2));
    scene.starter->connected(0);
    REQUIRE(scene.wait_for([&] { return scene.exists("here.host0") && scene.exists("here.host1"); }));
    CHECK(scene.starter->reaped(1, 0) == false);
    scene.folder.write("end", "");
    scene.starter->finish(60s);
    CHECK(scene.exists("ended.host0"));
    CHECK_FALSE(scene.exists("stopped.host0"));
    CHECK(scene.failed.empty());
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("An agent that does not listen is killed")
{
    Scene scene(R"(trap "" TERM; touch "$(dirname "$0")/here"; while :; do sleep 0.05; done)");
    scene.starter->start(hosts(1));
    REQUIRE(scene.wait_for([&] { return scene.exists("here"); }));
    scene.starter->finish(0ms);
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("One srun for all: it fails for those that have not come")
{
    Scene scene("exit 0");
    const TemporaryFolder folder;
    const WithVariable of_one_task("SRUN_CPUS_PER_TASK", "1");
    const std::filesystem::path srun = folder.write("srun", R"(#!/bin/sh
        (cat; echo "cores: $SRUN_CPUS_PER_TASK") > "$(dirname "$0")/record"
        echo 'srun: error: n1: no' >&2
        exit 1)");
    std::filesystem::permissions(srun, std::filesystem::perms::owner_all);
    StartMethod method;
    method.kind = StartMethod::Agent::srun;
    method.agent = {srun.string()};
    method.program = "/t";
    DaemonStarter starter(
        scene.loop, method, as_this_process(),
        {[](int node) { return node == kNodeByName ? std::string("all\n") : std::string(); },
         {},
         [&](const std::vector<int>& nodes, const std::string& reason) {
             scene.failed = nodes;
             scene.reasons = reason;
             scene.loop.stop();
         }});
    starter.start(hosts(3));
    starter.connected(1);
    scene.loop.run();
    CHECK(scene.failed == std::vector<int>{0, 2});
    CHECK_THAT(scene.reasons, Catch::Contains("cannot start tuttirun on host[0,2]: '"));
    CHECK_THAT(scene.reasons, Catch::Contains("srun: error: n1: no"));
    std::ifstream record(folder.path() / "record");
    std::string line;
    std::getline(record, line);
    CHECK(line == "all");
    std::getline(record, line);
    CHECK(line == "cores: ");
}
