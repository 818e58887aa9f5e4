#include "launcher/report/reporter.hpp"

#include <utility>

#include <fmt/format.h>

#include "launcher/report/words.hpp"

namespace tutti::launcher {

namespace {

/// For all daemons to answer; the report then does without the others.
constexpr std::chrono::milliseconds kAnswerTime{1000};
/// Between two looks that must find the same deadlock.
constexpr std::chrono::milliseconds kConfirmPause{200};
/// Ranks say more about a wait the longer it lasts, so a look that finds no deadlock is repeated.
constexpr std::chrono::milliseconds kLookPause{700};
constexpr int kDeadlockLooks = 5;

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

void Reporter::ask(std::function<void(JobReport& job)> done)
{
    const std::uint32_t number = ++questions_;
    Question& question = open_[number];
    question.nodes = nodes_;
    question.done = std::move(done);
    question.limit = loop_.after(kAnswerTime, [this, number] {
        if (open_.contains(number))
            finish(number);
    });
    events_.ask(number);
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
    ask([this, title, done = std::move(done)](JobReport& job) { done(text_of(title, job, analyse(job))); });
}

void Reporter::report(const std::string& title)
{
    report(title, events_.say);
}

std::string Reporter::text_of(const std::string& title, const JobReport& job, const Analysis& analysis) const
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
        deadlock_told_ = false;
    }
}

void Reporter::become_quiet()
{
    if (hang_seconds_ <= 0)
        return;
    look_for_deadlock(kDeadlockLooks);
    hang_timer_ =
        loop_.after(std::chrono::duration<double>(hang_seconds_), [this] { report_hang(hang_seconds_); });
}

void Reporter::report_hang(double seconds)
{
    hang_timer_ =
        loop_.after(std::chrono::duration<double>(seconds), [this, seconds] { report_hang(2 * seconds); });
    ask([this, seconds](JobReport& job) {
        const bool is_known = deadlock_told_ && seconds == hang_seconds_;
        if (!running_ || !moving_.empty() || !job.any_waits() || is_known)
            return;
        events_.say(
            text_of(fmt::format("all ranks wait, and nothing has moved for {}:", duration_in_words(seconds)),
                    job, analyse(job)));
    });
}

void Reporter::look_for_deadlock(int tries)
{
    ask([this, tries](JobReport& job) {
        if (!running_ || !moving_.empty() || deadlock_told_)
            return;
        if (analyse(job).deadlock) {
            deadlock_timer_ = loop_.after(
                kConfirmPause, [this, messages = job.sent + job.arrived] { confirm_deadlock(messages); });
        } else if (tries > 1) {
            deadlock_timer_ = loop_.after(kLookPause, [this, tries] { look_for_deadlock(tries - 1); });
        }
    });
}

void Reporter::confirm_deadlock(std::uint64_t messages)
{
    ask([this, messages](JobReport& job) {
        const Analysis analysis = analyse(job);
        if (!running_ || !moving_.empty() || !analysis.deadlock || job.sent + job.arrived != messages)
            return;
        deadlock_told_ = true;
        events_.say(text_of("a deadlock:", job, analysis));
        events_.deadlock();
    });
}

}  // namespace tutti::launcher
