#include "tests/hostile/exchange_job.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tutti::test {

std::string name_of(Role role)
{
    switch (role) {
        case Role::head:
            return "head";
        case Role::daemon:
            return "daemon";
        case Role::watchdog:
            return "watchdog";
        case Role::pmix_server:
            return "PMIx server";
        case Role::rank:
            return "rank";
        case Role::other:
            break;
    }
    return "other";
}

Role role_of(pid_t pid, const Launched& job)
{
    if (pid == job.pid()) {
        return Role::head;
    }
    const std::string name = file_text("/proc/" + std::to_string(pid) + "/comm");
    if (name == "tuttirun-daemon\n") {
        return Role::daemon;
    }
    if (name == "tuttirun-watch\n") {
        return Role::watchdog;
    }
    if (name == "tuttirun-pmix\n") {
        return Role::pmix_server;
    }
    return name == "exchange\n" ? Role::rank : Role::other;
}

ExchangePlan::ExchangePlan(std::uint32_t its_seed, std::mt19937& random, std::string until_then)
    : seed(its_seed), until(std::move(until_then))
{
    const std::size_t hosts = random() % 2 == 0 ? 1 : 2 + random() % 2;
    split.assign(hosts, 1);
    const std::size_t wanted = std::max<std::size_t>(hosts, 2 + random() % 4);
    while (static_cast<std::size_t>(std::accumulate(split.begin(), split.end(), 0)) < wanted) {
        ++split[random() % hosts];
    }
    ranks = static_cast<int>(wanted);
    progress_thread = random() % 3 == 0;
}

Words ExchangePlan::command() const
{
    Words words{"-x", std::string("TUTTI_PROGRESS=") + (progress_thread ? "thread" : "calls"),
                program("exchange"), std::to_string(seed), until};
    if (split.size() > 1) {
        return tuttirun_command(on_hosts(split, words, agent));
    }
    words.insert(words.begin(), {"-n", std::to_string(ranks)});
    return tuttirun_command(words);
}

Words ExchangePlan::right_lines() const
{
    Words lines;
    for (int rank = 0; rank < ranks; ++rank) {
        lines.push_back("right " + std::to_string(rank));
        lines.push_back("up " + std::to_string(rank));
    }
    return sorted(lines);
}

bool has_wired_up(Launched& job, const ExchangePlan& plan)
{
    const Words lines = lines_of(job.so_far().out);
    const auto up =
        std::ranges::count_if(lines, [](const std::string& line) { return line.starts_with("up "); });
    return up == plan.ranks;
}

}  // namespace tutti::test
