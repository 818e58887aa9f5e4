// Outsiders at all ports of a job, of its own user and of another, while it works.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>
#include <thread>

#include <catch2/catch.hpp>

#include "launcher/pmix/user_filter.hpp"
#include "tests/hostile/exchange_job.hpp"
#include "tests/hostile/job_ports.hpp"
#include "tests/hostile/outsiders.hpp"
#include "tests/hostile/rounds.hpp"

using namespace tutti::test;

namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

constexpr std::chrono::seconds kStartsWithin(kSanitized ? 60 : 20);

/// Whether one may be another user, and the launcher knows such a one.
bool can_be_nobody()
{
    static const bool can = ::geteuid() == 0 && tutti::launcher::refuse_other_users();
    return can;
}

template <typename Condition>
bool wait_until(Condition condition)
{
    const auto patience = Clock::now() + kStartsWithin;
    while (!condition()) {
        if (Clock::now() > patience) {
            return false;
        }
        std::this_thread::sleep_for(Milliseconds(2));
    }
    return true;
}

/// Outsiders who come to a job's ports, and go again.
class Visits {
public:
    Visits(std::mt19937& random, int ranks) : random_(random), ranks_(ranks) {}

    /// One to three at once. With `own_user_at_pmix`, those of the job's user may talk to the PMIx server,
    /// too, and replay `record`.
    void begin(const std::vector<JobPort>& ports, bool own_user_at_pmix, const std::string& record = {})
    {
        for (std::size_t i = 0, many = 1 + random_() % 3; i < many; ++i) {
            const bool nobody = can_be_nobody() && random_() % 2 == 0;
            Outsider outsider{nobody ? kNobody : ::geteuid(),
                              static_cast<std::uint32_t>(random_()),
                              ports,
                              Milliseconds(100 + random_() % 500),
                              ranks_,
                              nobody ? "" : record};
            if (!nobody && !own_user_at_pmix) {
                std::erase_if(outsider.ports,
                              [](const JobPort& port) { return port.role == Role::pmix_server; });
            }
            own_user_at_pmix_ = own_user_at_pmix_ || (!nobody && own_user_at_pmix);
            account_ << "user " << outsider.user << " with seed " << outsider.seed << " at";
            for (const JobPort& port : outsider.ports) {
                account_ << ' ' << name_of(port.role) << "'s port " << port.port;
            }
            account_ << "; ";
            pids_.push_back(start(outsider));
        }
    }
    void wait()
    {
        for (const pid_t pid : pids_) {
            int status = 0;
            ::waitpid(pid, &status, 0);
            CHECK((WIFEXITED(status) && WEXITSTATUS(status) <= 1));
        }
        pids_.clear();
    }
    bool own_user_at_pmix() const { return own_user_at_pmix_; }
    std::string account() const { return account_.str(); }

private:
    std::mt19937& random_;
    int ranks_;
    std::vector<pid_t> pids_;
    std::ostringstream account_;
    bool own_user_at_pmix_ = false;
};

/// Nothing but that somebody was refused; after visits of its own user, also that libpmix is no more.
void check_lines(const std::string& text, bool own_user_at_pmix)
{
    static const Catch::Matchers::StdString::RegexMatcher refused = Catch::Matches(
        "tuttirun: a connection from .* was refused at the port for daemons: .*|"
        ".*dropped a connection from .*");
    const Words lines = lines_of(text);
    CHECK(lines.size() < 200);
    for (const std::string& line : lines) {
        const bool known = refused.match(line) ||
                           (own_user_at_pmix && line.starts_with("tuttirun: the PMIx server "));
        CHECK((known ? "" : line) == "");
    }
}

void check_right(const ExchangePlan& plan, const Result& result, bool own_user_at_pmix)
{
    INFO("it took " << result.seconds << " s");
    INFO("stderr: " << result.err);
    CHECK(result.status == 0);
    CHECK(sorted(lines_of(result.out)) == plan.right_lines());
    check_lines(result.err, own_user_at_pmix);
    if (std::getenv("TUTTI_HOSTILE_VERBOSE") != nullptr) {
        WARN("seed " << plan.seed << " in " << result.seconds << " s\n" << result.err);
    }
}

}  // namespace

TEST_CASE("outsiders at the ports of a job that works do it no harm", "[ports]")
{
    for_each_seed(kSanitized ? 2 : 3, [](std::uint32_t seed) {
        std::mt19937 random(seed);
        const ExchangePlan plan(seed, random, "input");
        std::optional<Launched> job(std::in_place, plan.command(), kExchangeHungAfter);
        CHECK(wait_until([&] { return has_wired_up(*job, plan); }));
        const std::vector<JobPort> ports = job_ports(*job);
        CHECK(std::ranges::count(ports, Role::pmix_server, &JobPort::role) ==
              static_cast<std::ptrdiff_t>(plan.split.size()));
        CHECK(std::ranges::count(ports, Role::rank, &JobPort::role) ==
              (plan.split.size() > 1 ? plan.ranks : 0));
        const std::vector<pid_t> processes = job->processes();
        const auto rank =
            std::ranges::find_if(processes, [&](pid_t pid) { return role_of(pid, *job) == Role::rank; });
        const std::string record = rank != processes.end() ? record_pmix_hello(*rank) : "";
        Visits visits(random, plan.ranks);
        visits.begin(ports, true, record);
        visits.wait();
        INFO(visits.account() << record.size() << " bytes to replay");
        check_right(plan, job->wait(), visits.own_user_at_pmix());
        job.reset();
    });
}

TEST_CASE("outsiders at the ports of a job that starts do it no harm", "[ports]")
{
    for_each_seed(kSanitized ? 1 : 2, [](std::uint32_t seed) {
        std::mt19937 random(seed + 1'000'000);
        ExchangePlan plan(seed, random, "0.2");
        // Other hosts' daemons come when they are let go.
        plan.agent = "gate";
        const bool waits = plan.split.size() > 1;
        std::optional<Launched> job(std::in_place, plan.command(), kExchangeHungAfter);
        const std::filesystem::path gate = job->temporary_directory() + "/go";
        std::vector<JobPort> ports;
        CHECK(wait_until([&] {
            ports = job_ports(*job);
            return waits ? std::ranges::count(ports, Role::head, &JobPort::role) > 0
                         : !ports.empty() || has_wired_up(*job, plan);
        }));
        Visits visits(random, plan.ranks);
        visits.begin(ports, false);
        std::this_thread::sleep_for(Milliseconds(random() % 300));
        std::ofstream(gate).flush();
        std::this_thread::sleep_for(Milliseconds(random() % 200));
        visits.begin(job_ports(*job), false);
        visits.wait();
        INFO(visits.account());
        const Result result = job->wait();
        std::filesystem::remove(gate);
        check_right(plan, result, false);
        job.reset();
    });
}
