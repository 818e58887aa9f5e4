// When the head looks for a deadlock, and when it is sure of one.
#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "launcher/report/reporter.hpp"
#include "tests/unit/launcher/report_support.hpp"

using namespace tutti::launcher;

namespace {

/// One daemon, which gives the answers in turn, and then the last one again.
struct Job {
    explicit Job(std::vector<NodeReport> reports, double hang_after = 60)
        : hang_seconds(hang_after), answers(std::move(reports))
    {
    }

    /// Until it is a deadlock, or for a minute.
    void run()
    {
        reporter.begin({0});
        reporter.node_is_quiet(0, true);
        loop.after(std::chrono::seconds(60), [this] { loop.stop(); });
        loop.run();
    }

    EventLoop loop;
    double hang_seconds;
    std::vector<NodeReport> answers;
    std::size_t looks = 0;
    std::vector<std::string> said;
    int deadlocks = 0;
    Reporter reporter{loop,
                      hang_seconds,
                      {.ask =
                           [this](std::uint32_t question, bool) {
                               NodeReport answer = answers[std::min(looks++, answers.size() - 1)];
                               answer.number = question;
                               loop.post([this, answer] { reporter.answered(0, answer); });
                           },
                       .ask_rank =
                           [this](std::uint32_t question, int rank, bool) {
                               loop.post([=, this] { reporter.rank_answered(question, rank, "main\n"); });
                           },
                       .say = [this](const std::string& text) { said.push_back(text); },
                       .host_of = [](int) { return "a"; },
                       .deadlock =
                           [this] {
                               ++deadlocks;
                               loop.stop();
                           }}};
};

/// As long as a rank has not yet told of its wait.
NodeReport one_writes()
{
    NodeReport node = both_receive();
    node.quiet = false;
    node.edges.pop_back();
    return node;
}

void check_reported_once(const Job& job)
{
    CHECK(job.deadlocks == 1);
    REQUIRE(job.said.size() == 1);
    CHECK(job.said[0].starts_with("a deadlock:\n"));
    CHECK(job.said[0].find("; none of them can go on\n") != std::string::npos);
}

}  // namespace

TEST_CASE("a deadlock is reported when two looks have found it")
{
    Job job({both_receive()});
    job.run();
    CHECK(job.looks == 2);
    check_reported_once(job);
}

TEST_CASE("a deadlock that a second look does not find is looked for again")
{
    NodeReport moved = both_receive();
    moved.sent = moved.arrived = 1;
    const NodeReport second = GENERATE_COPY(one_writes(), moved);
    Job job({both_receive(), second, one_writes(), moved});
    job.run();
    CHECK(job.looks == 5);
    check_reported_once(job);
}

TEST_CASE("a deadlock is looked for as long as nothing moves")
{
    Job job(std::vector<NodeReport>(6, one_writes()));
    job.answers.push_back(both_receive());
    job.run();
    CHECK(job.looks == 8);
    check_reported_once(job);
}

TEST_CASE("while a debugger holds a rank no hang is reported, and one that stays is reported when it is gone")
{
    NodeReport held = both_receive();
    held.groups[1].state = RankState::traced;
    held.edges.pop_back();
    NodeReport let_go = both_receive();
    let_go.edges[0].own = let_go.edges[1].own = false;  // no certain deadlock
    Job job({held}, 0.2);
    job.reporter.begin({0});
    job.reporter.node_is_quiet(0, true);
    std::size_t reported_while_held = 0;
    job.loop.after(std::chrono::milliseconds(1500), [&] {
        reported_while_held = job.said.size();
        job.answers = {let_go};
        // Asked again after 0.2 s: the time has not grown meanwhile.
        job.loop.after(std::chrono::milliseconds(700), [&] { job.loop.stop(); });
    });
    job.loop.run();
    CHECK(reported_while_held == 0);
    REQUIRE(!job.said.empty());
    CHECK(job.said[0].starts_with("all ranks wait, and nothing has moved for less than 1 s:\n"));
}

TEST_CASE("who asks is told what waits, and that a debugger holds a rank")
{
    NodeReport held = both_receive();
    held.groups[1].state = RankState::traced;
    held.groups[1].operation = tutti::observe::Operation::none;
    held.edges.pop_back();
    Job job({held});
    job.reporter.begin({0});
    job.loop.after(std::chrono::seconds(10), [&] { job.loop.stop(); });
    std::string reported;
    job.reporter.report("what the ranks do:", [&](const std::string& text) {
        reported = text;
        job.loop.stop();
    });
    job.loop.run();
    CHECK(reported.find("\n- rank 0 waits for rank 1: held by a debugger for 44 s\n") != std::string::npos);
}
