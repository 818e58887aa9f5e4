#include "launcher/report/reporter.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "launcher/report/report_words.hpp"

namespace tutti::launcher {

namespace {

/// For all daemons to answer; the report then does without those that have not.
constexpr std::chrono::milliseconds kAnswerTime{1000};
/// For one daemon to answer about a rank: it may have to read a stack.
constexpr std::chrono::milliseconds kRankTime{4000};
/// Between two looks that must find the same deadlock.
constexpr std::chrono::milliseconds kConfirmPause{200};
/// A look that finds no deadlock is repeated after twice the time: it may have come while a rank wrote, or
/// before all daemons had answered, and ranks say more of a wait the longer it lasts.
constexpr std::chrono::milliseconds kFirstPause{100};
constexpr std::chrono::milliseconds kLongestPause{5000};

}  // namespace

void Reporter::begin(std::set<int> nodes)
{
    running_ = true;
    nodes_ = moving_ = std::move(nodes);
}

void Reporter::end()
{
    running_ = false;
    cancel_timers();
}

void Reporter::cancel_timers()
{
    loop_.cancel(std::exchange(hang_timer_, 0));
    loop_.cancel(std::exchange(deadlock_timer_, 0));
}

void Reporter::ask(bool whole, std::function<void(JobStatus& job)> done)
{
    const std::uint32_t number = ++questions_;
    Question& question = open_[number];
    question.nodes = nodes_;
    question.done = std::move(done);
    question.limit = loop_.after(kAnswerTime, [this, number] {
        if (open_.contains(number))
            finish(number);
    });
    events_.ask(number, whole);
    if (nodes_.empty())
        finish(number);
}

void Reporter::answered(int node, const NodeReport& report)
{
    const auto question = open_.find(report.number);
    if (question == open_.end() || question->second.nodes.erase(node) == 0)
        return;  // too late
    question->second.job.add(report);
    if (question->second.nodes.empty())
        finish(report.number);
}

void Reporter::finish(std::uint32_t number)
{
    Question question = std::move(open_.extract(number).mapped());
    loop_.cancel(question.limit);
    question.job.complete = question.nodes.empty();
    question.done(question.job);
}

void Reporter::report(const std::string& title, std::function<void(const std::string& text)> done)
{
    ask(true,
        [this, title, done = std::move(done)](JobStatus& job) { answer(title, job, analyse(job), done); });
}

void Reporter::report(const std::string& title)
{
    report(title, events_.say);
}

std::string Reporter::text_of(const std::string& title, const JobStatus& job, const Analysis& analysis) const
{
    std::string text = title;
    for (const std::string& line : table(job, events_.host_of))
        text += "\n  " + line;
    if (!job.complete)
        text += "\n  (not all daemons have answered)";
    for (const std::string& sentence : analysis.sentences)
        text += "\n- " + sentence;
    return text;
}

void Reporter::answer(const std::string& title, const JobStatus& job, const Analysis& analysis, Answer done)
{
    struct PendingAnswer {
        std::string text;
        std::map<int, std::string> stacks;  // by rank
        std::size_t missing;
    };
    const auto pending = std::make_shared<PendingAnswer>(
        PendingAnswer{text_of(title, job, analysis), {}, analysis.culprits.size()});
    if (pending->missing == 0)
        return done(pending->text);
    for (const int rank : analysis.culprits)
        ask_rank(rank, true, [pending, done, rank](const std::string& stack) {
            pending->stacks[rank] = stack;
            if (--pending->missing > 0)
                return;
            for (const auto& [of, text] : pending->stacks)
                if (!text.empty())
                    pending->text +=
                        fmt::format("\n- rank {} is here:\n{}", of, text.substr(0, text.size() - 1));
            done(pending->text);
        });
}

void Reporter::look(std::function<void(const JobStatus& job)> done)
{
    ask(false, std::move(done));
}

void Reporter::ask_rank(int rank, bool stack, Answer done)
{
    const std::uint32_t number = ++questions_;
    const auto limit = loop_.after(kRankTime, [this, number, rank] { rank_answered(number, rank, {}); });
    open_ranks_[number] = {rank, std::move(done), limit};
    events_.ask_rank(number, rank, stack);
}

void Reporter::rank_answered(std::uint32_t question, int rank, const std::string& text)
{
    const auto found = open_ranks_.find(question);
    if (found == open_ranks_.end() || found->second.rank != rank)
        return;
    const RankQuestion asked = std::move(open_ranks_.extract(found).mapped());
    loop_.cancel(asked.limit);
    asked.done(text);
}

void Reporter::node_is_quiet(int node, bool quiet)
{
    if (!running_ || !nodes_.contains(node))
        return;
    const bool was_quiet = moving_.empty();
    if (quiet)
        moving_.erase(node);
    else
        moving_.insert(node);
    if (moving_.empty() && !was_quiet) {
        become_quiet();
    } else if (!moving_.empty() && was_quiet) {
        cancel_timers();
        deadlock_reported_ = false;
    }
}

void Reporter::become_quiet()
{
    if (hang_seconds_ <= 0)
        return;
    look_for_deadlock(kFirstPause);
    hang_timer_ =
        loop_.after(std::chrono::duration<double>(hang_seconds_), [this] { report_hang(hang_seconds_); });
}

void Reporter::report_hang(double seconds)
{
    hang_timer_ =
        loop_.after(std::chrono::duration<double>(seconds), [this, seconds] { report_hang(2 * seconds); });
    ask(true, [this, seconds](JobStatus& job) {
        const bool is_known = deadlock_reported_ && seconds == hang_seconds_;
        if (!running_ || !moving_.empty() || !job.any_waits() || is_known)
            return;
        if (job.any_is(RankState::traced)) {
            // Who sits at a debugger's prompt knows why nothing moves. It may be gone the next time.
            loop_.cancel(hang_timer_);
            hang_timer_ = loop_.after(std::chrono::duration<double>(seconds),
                                      [this, seconds] { report_hang(seconds); });
            return;
        }
        const bool all_wait = !job.any_is(RankState::sleeping);
        answer(fmt::format(
                   "{}, and nothing has moved for {}:",
                   all_wait ? "all ranks wait" : "ranks wait for others that are asleep outside of Tutti",
                   duration_in_words(seconds)),
               job, analyse(job), events_.say);
    });
}

void Reporter::look_for_deadlock(std::chrono::milliseconds pause)
{
    ask(true, [this, pause](JobStatus& job) {
        if (!running_ || !moving_.empty() || deadlock_reported_)
            return;
        if (analyse(job).deadlock)
            deadlock_timer_ = loop_.after(kConfirmPause, [this, pause, messages = job.sent + job.arrived] {
                confirm_deadlock(messages, pause);
            });
        else
            look_again(pause);
    });
}

void Reporter::look_again(std::chrono::milliseconds pause)
{
    deadlock_timer_ =
        loop_.after(pause, [this, pause] { look_for_deadlock(std::min(2 * pause, kLongestPause)); });
}

void Reporter::confirm_deadlock(std::uint64_t messages, std::chrono::milliseconds pause)
{
    ask(true, [this, messages, pause](JobStatus& job) {
        if (!running_ || !moving_.empty() || deadlock_reported_)
            return;
        const Analysis analysis = analyse(job);
        if (!analysis.deadlock || job.sent + job.arrived != messages)
            return look_again(pause);
        deadlock_reported_ = true;
        answer("a deadlock:", job, analysis, [this](const std::string& text) {
            events_.say(text);
            events_.deadlock();
        });
    });
}

}  // namespace tutti::launcher
