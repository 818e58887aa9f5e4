// The head's part: asks the daemons what the ranks do, by itself when nothing moves, and says what it means.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "launcher/base/event_loop.hpp"
#include "launcher/report/analysis.hpp"

namespace tutti::launcher {

class Reporter {
public:
    struct Events {
        /// All daemons; `whole`: also what the waits are for.
        std::function<void(std::uint32_t question, bool whole)> ask;
        /// The daemon of the rank: what it does, or its stack.
        std::function<void(std::uint32_t question, int rank, bool stack)> ask_rank;
        std::function<void(const std::string& text)> say;
        std::function<std::string(int rank)> host_of;
        /// Ranks wait for each other for ever. After the report.
        std::function<void()> deadlock;
    };

    /// `hang_seconds`: 0: no report comes by itself.
    Reporter(EventLoop& loop, double hang_seconds, Events events)
        : loop_(loop), hang_seconds_(hang_seconds), events_(std::move(events))
    {
    }

    /// The nodes that have ranks. From now on questions are answered.
    void begin(std::set<int> nodes);
    /// No more reports: the job ends.
    void end();

    /// Gives the report to `done`, under `title`, at the latest after a second or so.
    void report(const std::string& title, std::function<void(const std::string& text)> done);
    /// Says it.
    void report(const std::string& title);

    /// Gives what ranks do, without what they wait for, to `done`, at the latest after a second or so.
    void look(std::function<void(const JobStatus& job)> done);
    /// Gives what one rank does, or where in its program it is, to `done`; empty where its daemon gives no
    /// answer.
    void ask_rank(int rank, bool stack, std::function<void(const std::string& text)> done);

    void node_is_quiet(int node, bool quiet);
    void answered(int node, const NodeReport& report);
    void rank_answered(std::uint32_t question, int rank, const std::string& text);

private:
    using Answer = std::function<void(const std::string& text)>;

    struct RankQuestion {
        int rank = 0;
        Answer done;
        EventLoop::TimerId limit = 0;
    };
    struct Question {
        std::set<int> nodes;  // that have not answered
        JobStatus job;
        std::function<void(JobStatus& job)> done;
        EventLoop::TimerId limit = 0;
    };

    void ask(bool whole, std::function<void(JobStatus& job)> done);
    void finish(std::uint32_t number);
    void become_quiet();
    /// `pause`: until the next look, if this one finds none.
    void look_for_deadlock(std::chrono::milliseconds pause);
    void look_again(std::chrono::milliseconds pause);
    void confirm_deadlock(std::uint64_t messages, std::chrono::milliseconds pause);
    void report_hang(double seconds);
    std::string text_of(const std::string& title, const JobStatus& job, const Analysis& analysis) const;
    void answer(const std::string& title, const JobStatus& job, const Analysis& analysis, Answer done);
    void cancel_timers();

    EventLoop& loop_;
    const double hang_seconds_;
    Events events_;
    bool running_ = false;
    std::set<int> nodes_;
    std::set<int> moving_;  // nodes that are not quiet
    std::uint32_t questions_ = 0;
    std::map<std::uint32_t, Question> open_;
    std::map<std::uint32_t, RankQuestion> open_ranks_;
    EventLoop::TimerId hang_timer_ = 0;
    EventLoop::TimerId deadlock_timer_ = 0;
    bool deadlock_reported_ = false;
};

}  // namespace tutti::launcher
