// Processes of jobs are killed, ended and stopped at any moment, from before the launch to the end.
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <random>
#include <sstream>
#include <thread>

#include <catch2/catch.hpp>

#include "tests/hostile/exchange_job.hpp"
#include "tests/hostile/rounds.hpp"

using namespace tutti::test;

namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

struct Hit {
    Milliseconds at;  // after the start, or after all have joined
    Role role;
    int signal;
    std::uint32_t which;  // of those with that role
    Milliseconds pause;   // of one that is stopped
    // What came of it.
    pid_t victim = -1;
    bool wired_up = false;
};

struct Scene {
    explicit Scene(std::uint32_t seed) : random(seed), plan(seed, random, "0.5")
    {
        after_joining = random() % 2 == 0;
        hits.resize(1 + random() % 2);
        for (Hit& hit : hits) {
            constexpr std::array roles{Role::head, Role::daemon,      Role::watchdog,
                                       Role::rank, Role::pmix_server, Role::other};
            constexpr std::array signals{SIGKILL, SIGSTOP, SIGTERM, SIGSEGV};
            // Much happens in the first moments.
            hit.at = Milliseconds(random() % (after_joining ? 650 : random() % 2 == 0 ? 150 : 900));
            hit.role = roles.at(random() % roles.size());
            hit.signal = signals.at(random() % signals.size());
            hit.which = random();
            hit.pause = Milliseconds(50 + random() % 1500);
        }
        std::ranges::sort(hits, {}, &Hit::at);
    }
    std::mt19937 random;
    ExchangePlan plan;
    bool after_joining;
    std::vector<Hit> hits;
};

/// What was done, for the report of a failure.
std::string account(const Scene& scene)
{
    std::ostringstream text;
    text << scene.plan.ranks << " ranks, hosts " << scene.plan.split.size()
         << (scene.plan.progress_thread ? ", progress threads" : "");
    for (const Hit& hit : scene.hits) {
        text << "; " << hit.at.count() << " ms after " << (scene.after_joining ? "joining" : "the start")
             << ": " << ::strsignal(hit.signal) << " to " << name_of(hit.role) << " " << hit.victim
             << (hit.wired_up ? " (wired up)" : "");
        if (hit.signal == SIGSTOP) {
            text << " for " << hit.pause.count() << " ms";
        }
    }
    return text.str();
}

/// Whether nobody may be there who could tidy up after both: the daemon of another host and its watchdog.
bool leaves_nobody(const Scene& scene, const Hit& hit, Role role)
{
    const auto is_of_pair = [](int signal, Role which) {
        return signal != SIGSTOP &&
               (which == Role::daemon || which == Role::watchdog || which == Role::other);
    };
    return scene.plan.split.size() > 1 && is_of_pair(hit.signal, role) &&
           std::ranges::any_of(scene.hits, [&](const Hit& other) {
               return other.victim > 0 && is_of_pair(other.signal, other.role);
           });
}

void strike(Scene& scene, Hit& hit, Launched& job)
{
    std::vector<pid_t> victims = job.processes();
    // Few are anything else, and for a moment only: then it is whoever comes.
    if (hit.role != Role::other) {
        std::erase_if(victims, [&](pid_t pid) { return role_of(pid, job) != hit.role; });
    }
    if (victims.empty()) {
        return;
    }
    const pid_t victim = victims.at(hit.which % victims.size());
    const Role role = role_of(victim, job);
    if (leaves_nobody(scene, hit, role)) {
        return;
    }
    hit.wired_up = has_wired_up(job, scene.plan);
    hit.role = role;
    hit.victim = ::kill(victim, hit.signal) == 0 ? victim : -1;
}

void play(Scene& scene, Launched& job)
{
    const auto patience = Clock::now() + std::chrono::seconds(kSanitized ? 60 : 20);
    while (scene.after_joining && !has_wired_up(job, scene.plan) && Clock::now() < patience) {
        std::this_thread::sleep_for(Milliseconds(2));
    }
    const auto start = Clock::now();
    std::vector<std::pair<Clock::time_point, pid_t>> to_continue;
    const auto continue_until = [&](Clock::time_point until) {
        std::ranges::sort(to_continue);
        while (!to_continue.empty() && to_continue.front().first <= until) {
            const auto [when, pid] = to_continue.front();
            to_continue.erase(to_continue.begin());
            std::this_thread::sleep_until(when);
            const std::vector<pid_t> there = job.processes();
            if (std::ranges::find(there, pid) != there.end()) {
                ::kill(pid, SIGCONT);
            }
        }
        std::this_thread::sleep_until(std::min(until, Clock::now() + std::chrono::seconds(2)));
    };
    for (Hit& hit : scene.hits) {
        continue_until(start + hit.at);
        strike(scene, hit, job);
        if (hit.signal == SIGSTOP && hit.victim > 0) {
            to_continue.emplace_back(Clock::now() + hit.pause, hit.victim);
        }
    }
    while (!to_continue.empty()) {
        continue_until(to_continue.back().first);
    }
}

/// A job takes it: what is stopped for less than its time limit, and a PMIx server that is needed no more.
bool is_harmless(const Hit& hit)
{
    return hit.victim < 0 || hit.signal == SIGSTOP || (hit.role == Role::pmix_server && hit.wired_up);
}

void check(const Scene& scene, const Result& result)
{
    const bool right = sorted(lines_of(result.out)) == scene.plan.right_lines();
    if (std::ranges::all_of(scene.hits, is_harmless)) {
        CHECK(result.status == 0);
    }
    if (result.status == 0) {
        CHECK(right);
        return;
    }
    // The head itself may have had no time for a word.
    const bool head_hit = std::ranges::any_of(
        scene.hits, [](const Hit& hit) { return hit.victim > 0 && hit.role == Role::head; });
    const Words lines = launcher_lines(result);
    if (!head_hit) {
        CHECK(!lines.empty());
        CHECK(lines.size() <= 4);
    }
}

}  // namespace

TEST_CASE("a launcher that is killed while it starts leaves nothing", "[kills]")
{
    for_each_seed(10, [](std::uint32_t seed) {
        std::mt19937 random(seed);
        const std::chrono::microseconds pause(random() % 10'000);
        INFO("killed after " << pause.count() << " us");
        Launched job(tuttirun_command({"-n", "1", "sleep", "1000"}), kExchangeHungAfter);
        std::this_thread::sleep_for(pause);
        job.signal(SIGKILL);
        CHECK(job.wait().status == 128 + SIGKILL);
    });
}

TEST_CASE("jobs of which processes are killed, ended and stopped end well or with a reason", "[kills]")
{
    for_each_seed(kSanitized ? 3 : 6, [](std::uint32_t seed) {
        Scene scene(seed);
        std::optional<Launched> job(std::in_place, scene.plan.command(), kExchangeHungAfter);
        play(scene, *job);
        const Result result = job->wait();
        INFO(account(scene));
        INFO("it took " << result.seconds << " s, exit status " << result.status);
        INFO("stdout: " << result.out);
        INFO("stderr: " << result.err);
        if (std::getenv("TUTTI_HOSTILE_VERBOSE") != nullptr) {
            WARN(seed << ": " << account(scene) << " -> " << result.status << " in " << result.seconds
                      << " s\n"
                      << result.err);
        }
        check(scene, result);
        job.reset();  // tells what is left of it
    });
}
