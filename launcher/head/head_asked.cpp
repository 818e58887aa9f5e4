// What the head says about its job: by itself, by a signal, and to those who ask at its socket.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "launcher/head/head.hpp"
#include "launcher/report/report_words.hpp"

namespace tutti::launcher {

namespace {

/// The number behind `word` and a blank; -1: it is none, or `question` is another one.
int number_behind(std::string_view word, std::string_view question)
{
    int number = -1;
    if (question.starts_with(word) && question.size() > word.size() && question[word.size()] == ' ')
        std::from_chars(question.data() + word.size() + 1, question.data() + question.size(), number);
    return number;
}

std::string line_of(const std::vector<AppContext>& apps)
{
    std::string text;
    for (const AppContext& app : apps)
        text += fmt::format("{}{}", text.empty() ? "" : " : ", fmt::join(app.argv, " "));
    std::ranges::replace_if(
        text, [](char letter) { return static_cast<unsigned char>(letter) < ' '; }, '?');
    return text;
}

/// The programs with their arguments, as the user gave them. Where they are long, the programs go without
/// their folders, and then the end: of many jobs of one interpreter the arguments tell which is which.
std::string command_in_words(std::vector<AppContext> apps)
{
    constexpr std::size_t kMostLetters = 60;
    std::string text = line_of(apps);
    if (text.size() > kMostLetters) {
        for (AppContext& app : apps)
            app.argv.front().erase(0, app.argv.front().rfind('/') + 1);
        text = line_of(apps);
    }
    if (text.size() <= kMostLetters)
        return text;
    std::size_t end = kMostLetters - 3;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        --end;  // within a letter of UTF-8
    return text.substr(0, end) + "...";
}

}  // namespace

void Head::report_as_asked(int signal)
{
    if (map_ && !all_exited_)
        reporter_.report(fmt::format("what the ranks do, as signal {} asks:", signal));
}

void Head::answer_asker(const std::string& question, const StatusSocket::Answer& answer)
{
    const bool runs = map_ && !all_exited_;
    if (question == kAskName)
        return answer(name_of_job());
    if (question == kAskSnapshot) {
        if (!runs)
            return answer(encode(snapshot()));
        return reporter_.look([this, answer](const JobStatus& job) {
            TopSnapshot now = snapshot();
            now.take(job);
            answer(encode(now));
        });
    }
    if (!runs)
        return answer(map_ ? "the job has ended" : "the job is being started");
    if (question == kAskStatus)
        return reporter_.report(fmt::format("job {}: {} ranks of {}", ::getpid(), map_->ranks.size(),
                                            options_.apps.front().argv.front()),
                                answer);
    if (const int rank = number_behind(kAskRank, question); rank >= 0)
        return answer_about_rank(rank, false, answer);
    if (const int rank = number_behind(kAskStack, question); rank >= 0)
        return answer_about_rank(rank, true, answer);
    answer("this tuttirun does not know the question; ask with the one of its version");
}

void Head::answer_about_rank(int rank, bool stack, const StatusSocket::Answer& answer)
{
    if (static_cast<std::size_t>(rank) >= map_->ranks.size())
        return answer(fmt::format("there is no rank {}; the job has {}", rank, map_->ranks.size()));
    reporter_.ask_rank(rank, stack, [this, rank, stack, answer](const std::string& text) {
        if (!text.empty())
            answer(stack ? text : text + fmt::format("on host {}\n", node_name_of(rank)));
        else if (stack)
            answer(
                "no stack: the rank has ended, is stopped or in a debugger, or its daemon gives no answer");
        else
            answer("the daemon of the rank gives no answer");
    });
}

std::string Head::name_of_job() const
{
    const std::string command = command_in_words(options_.apps);
    if (!map_)
        return command + ", being started";
    const std::chrono::duration<double> age = EventLoop::Clock::now() - started_;
    return fmt::format("{} rank{} of {}, for {}", map_->ranks.size(), map_->ranks.size() == 1 ? "" : "s",
                       command, duration_in_words(age.count()));
}

TopSnapshot Head::snapshot() const
{
    TopSnapshot now;
    now.job = ::getpid();
    now.program = options_.apps.front().argv.front();
    now.ranks = map_ ? static_cast<int>(map_->ranks.size()) : 0;
    now.hosts = static_cast<int>(nodes_.size());
    now.seconds = std::chrono::duration<double>(EventLoop::Clock::now() - started_).count();
    now.ended = all_exited_;
    return now;
}

Reporter::Events Head::report_events()
{
    Reporter::Events events;
    events.ask = [this](std::uint32_t question, bool whole) {
        broadcast(FrameType::status_wanted, encode(question, whole));
    };
    events.ask_rank = [this](std::uint32_t question, int rank, bool stack) {
        send(placement_of(rank).node, FrameType::rank_wanted, encode(question, rank, stack));
    };
    events.say = [this](const std::string& text) { say(text); };
    events.host_of = [this](int rank) {
        const bool known = rank >= 0 && static_cast<std::size_t>(rank) < map_->ranks.size();
        return known ? node_name_of(rank) : std::string("?");
    };
    events.deadlock = [this] {
        if (options_.on_deadlock == OnDeadlock::abort)
            end_job({Verdict::Action::end_job, kDeadlockStatus, "ending the job, as --on-deadlock abort asks",
                     "deadlock"},
                    SIGTERM);
    };
    return events;
}

}  // namespace tutti::launcher
