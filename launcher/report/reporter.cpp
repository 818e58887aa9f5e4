#include "launcher/report/reporter.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "launcher/report/words.hpp"

namespace tutti::launcher {

namespace {

/// For all daemons to answer; the report then does without the others.
constexpr std::chrono::milliseconds kAnswerTime{1000};
/// Likewise, to read stacks.
constexpr std::chrono::milliseconds kStacksTime{1800};
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

void Reporter::ask(std::function<void(JobStatus& job)> done)
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
    ask([this, title, done = std::move(done)](JobStatus& job) { tell(title, job, analyse(job), done); });
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

void Reporter::tell(const std::string& title, const JobStatus& job, const Analysis& analysis, Told told)
{
    const std::uint32_t number = ++questions_;
    Telling& telling = telling_[number];
    telling.text = text_of(title, job, analysis);
    telling.told = std::move(told);
    for (const int rank : analysis.culprits)
        telling.stacks[rank];
    telling.limit = loop_.after(kStacksTime, [this, number] { finish_telling(number); });
    if (telling.stacks.empty())
        return finish_telling(number);
    for (const int rank : analysis.culprits)
        events_.ask_stacks(number, rank);
}

void Reporter::stacks_answered(std::uint32_t question, int rank, const std::string& stacks)
{
    const auto telling = telling_.find(question);
    if (telling == telling_.end() || !telling->second.stacks.contains(rank))
        return;
    telling->second.stacks[rank] = stacks;
    if (std::ranges::all_of(telling->second.stacks,
                            [](const auto& entry) { return entry.second.has_value(); }))
        finish_telling(question);
}

void Reporter::finish_telling(std::uint32_t number)
{
    const auto found = telling_.find(number);
    if (found == telling_.end())
        return;
    const Telling telling = std::move(telling_.extract(found).mapped());
    loop_.cancel(telling.limit);
    std::string text = telling.text;
    for (const auto& [rank, stacks] : telling.stacks)
        if (stacks && !stacks->empty())
            text += fmt::format("\n- rank {} is here:\n{}", rank, stacks->substr(0, stacks->size() - 1));
    telling.told(text);
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
    ask([this, seconds](JobStatus& job) {
        const bool is_known = deadlock_told_ && seconds == hang_seconds_;
        if (!running_ || !moving_.empty() || !job.any_waits() || is_known)
            return;
        tell(fmt::format("all ranks wait, and nothing has moved for {}:", duration_in_words(seconds)), job,
             analyse(job), events_.say);
    });
}

void Reporter::look_for_deadlock(int tries)
{
    ask([this, tries](JobStatus& job) {
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
    ask([this, messages](JobStatus& job) {
        const Analysis analysis = analyse(job);
        if (!running_ || !moving_.empty() || !analysis.deadlock || job.sent + job.arrived != messages)
            return;
        deadlock_told_ = true;
        tell("a deadlock:", job, analysis, [this](const std::string& text) {
            events_.say(text);
            events_.deadlock();
        });
    });
}

}  // namespace tutti::launcher
