#include "launcher/report/observer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "launcher/report/rank_words.hpp"
#include "launcher/report/report_words.hpp"
#include "lib/foundation/base/clock.hpp"

namespace tutti::launcher {

namespace {

/// Two looks without a change are needed before a rank counts as quiet.
constexpr std::chrono::milliseconds kLookPeriod{300};
/// A process that has used no processor for so long is asleep.
constexpr std::chrono::milliseconds kAsleepAfter{1000};
constexpr std::size_t kMostThreads = 32;  // whose stacks are read
constexpr std::size_t kMostStacks = 4;    // that are shown
constexpr std::chrono::milliseconds kStackTime{3000};

double seconds_since(EventLoop::Clock::time_point then)
{
    return std::chrono::duration<double>(EventLoop::Clock::now() - then).count();
}

/// Whether the thread runs functions of the program or of its own libraries. Optimised ones may have lost
/// their names.
bool runs_program(const ThreadStack& thread, const std::string& program)
{
    return std::ranges::any_of(thread.frames, [&](const StackFrame& frame) {
        return frame.of_user || (!program.empty() && frame.object == program);
    });
}

/// The file of the program: that of its start.
std::string program_of(const ProcessStacks& stacks)
{
    const bool any = !stacks.threads.empty() && !stacks.threads.front().frames.empty();
    return any ? stacks.threads.front().frames.back().object : "";
}

/// The main thread, and the others that run the program's own functions.
std::string stacks_in_words(const ProcessStacks& stacks)
{
    constexpr std::size_t kMostFrames = 4;
    std::vector<const ThreadStack*> shown;
    const std::string program = program_of(stacks);
    for (const ThreadStack& thread : stacks.threads)
        if (shown.size() < kMostStacks && (shown.empty() || runs_program(thread, program)))
            shown.push_back(&thread);
    std::string text;
    for (const ThreadStack* thread : shown) {
        if (thread != shown.front())
            text += fmt::format("    and thread {}:\n", thread->thread);
        text += describe_frames(thread->frames, "    ", kMostFrames);
    }
    if (!stacks.missing.empty())
        text += "    " + stacks.missing + '\n';
    else if (!stacks.threads.empty())
        if (const std::string hint = hint_at_lines(stacks.threads.front().frames); !hint.empty())
            text += fmt::format("    ({})\n", hint);
    return text;
}

// The kernel lets it wait: such a rank notes no situation.
bool is_in_file_system(const PageView& view)
{
    return !view.calls.empty() && view.calls.front().operation() == observe::Operation::file_call;
}

bool is_wait_for_lock(const observe::CallWords& call)
{
    return call.operation() == observe::Operation::window_call &&
           call.signature == static_cast<std::uint64_t>(observe::WindowCall::lock);
}

}  // namespace

void Observer::expect(const std::vector<int>& ranks)
{
    for (const int rank : ranks)
        ranks_[rank].since = Clock::now();
}

void Observer::add_page(int rank, UniqueFd page)
{
    const auto found = ranks_.find(rank);
    observe::StatusMemory memory = observe::StatusMemory::open(std::move(page));
    if (found == ranks_.end() || !memory)
        return;
    found->second = {};
    found->second.page = std::move(memory);
    found->second.since = found->second.idle_since = Clock::now();
    if (!std::exchange(ticking_, true))
        loop_.after(kLookPeriod, [this] { tick(); });
}

void Observer::tick()
{
    bool quiet = true;
    for (auto& [rank, watched] : ranks_) {
        const bool still = look(rank, watched);
        quiet = quiet && still && judge(rank, watched).quiet;
    }
    report_quiet(quiet);
    loop_.after(kLookPeriod, [this] { tick(); });
}

/// Notes what has changed; whether nothing has.
bool Observer::look(int rank, Watched& watched)
{
    if (!watched.page)
        return false;
    const std::uint64_t calls = 2 * watched.page->begun() + (watched.page->in_call() ? 1 : 0);
    const std::uint64_t moves = watched.page->traffic.moves();
    const bool same = calls == watched.calls && moves == watched.moves;
    watched.calls = calls;
    watched.moves = moves;
    if (!same)
        watched.since = Clock::now();
    const RankProcess* const process = processes_.find(rank);
    if (process == nullptr || !process->running)
        return same;
    if (const auto state = state_of_process(process_of(*process, watched))) {
        if (state->processor_ticks != watched.processor_ticks)
            watched.idle_since = Clock::now();
        watched.processor_ticks = state->processor_ticks;
        watched.loads.add(LoadSample::of(*watched.page, *state));
    }
    return same;
}

/// The process of the page, which a script may have started.
pid_t Observer::process_of(const RankProcess& process, const Watched& watched)
{
    if (!watched.page)
        return process.pid;
    const auto own = static_cast<pid_t>(watched.page->pid.load(std::memory_order_relaxed));
    return is_own_process(own) ? own : process.pid;
}

Observer::Judged Observer::judge(int rank, const Watched& watched)
{
    Judged judged;
    judged.seconds = seconds_since(watched.since);
    const RankProcess* const process = processes_.find(rank);
    if (watched.page)
        judged.view = PageView::of(*watched.page);
    if (process == nullptr || !process->running) {
        judged.state = process != nullptr && process->pid > 0 ? RankState::ended : RankState::unknown;
        judged.quiet = judged.state == RankState::ended;
        return judged;
    }
    judged.pid = process_of(*process, watched);
    const std::optional<ProcessState> state = state_of_process(judged.pid);
    const bool asleep = state && state->sleeps() && Clock::now() - watched.idle_since >= kAsleepAfter;
    if (state && (state->is_stopped() || state->is_traced())) {
        judged.state = state->is_traced() ? RankState::traced : RankState::stopped;
        judged.quiet = true;
    } else if (!judged.view) {
        judged.state = RankState::unknown;
    } else if (judged.view->left) {
        judged.state = RankState::left;
        judged.quiet = true;
    } else if (judged.view->in_call()) {
        judged.state = RankState::waiting;
        judged.quiet = judged.view->waits() || (asleep && is_in_file_system(*judged.view));
        if (judged.view->waits())
            judged.seconds =
                std::max(0.0, static_cast<double>(base::now_ns() - judged.view->situation->since_ns) * 1e-9);
    } else if (judged.view->polls() && !asleep) {
        judged.state = RankState::polling;
    } else {
        judged.state = asleep ? RankState::sleeping : RankState::computing;
        judged.quiet = asleep;
    }
    return judged;
}

void Observer::report_quiet(bool quiet)
{
    if (quiet != std::exchange(reported_quiet_, quiet))
        head_.send(FrameType::quiet, encode(quiet));
}

std::string Observer::call_of(int rank)
{
    const auto found = ranks_.find(rank);
    if (found == ranks_.end())
        return {};
    const RankGroup group = group_of(rank, found->second, judge(rank, found->second));
    return group.operation == observe::Operation::none ? "" : call_in_words(group);
}

RankGroup Observer::group_of(int rank, const Watched& watched, const Judged& judged)
{
    RankGroup group;
    group.state = judged.state;
    group.least_seconds = group.most_seconds = judged.seconds;
    group.longest = rank;
    add_rank(group.ranks, rank);
    group.load.ranks = 1;
    if (!judged.view)
        return group;
    const PageView& view = *judged.view;
    if (judged.pid > 0)
        group.load = watched.loads.load();
    if (view.situation) {
        group.load.posted = view.situation->posted;
        group.load.unexpected = view.situation->unexpected;
    }
    group.many_threads = view.many_threads;
    const std::vector<PageView::Call>& calls = view.threads.empty() ? view.calls : view.threads;
    if (calls.empty() || judged.state == RankState::left || judged.state == RankState::ended)
        return group;
    set_call(group, view, calls.front());
    // The text is about the newest call.
    const bool has_text = (group.is_collective() || group.is_at_window()) && view.waits();
    if (has_text && !view.calls.empty() && calls.front() == view.calls.front())
        group.more = view.situation->text;
    return group;
}

void Observer::add_waits(NodeReport& report, int rank, const PageView& view)
{
    const std::vector<PageView::Await>& awaits = view.situation->awaits;
    const bool own = std::ranges::any_of(awaits, &PageView::Await::own);
    const bool wants_lock = !view.calls.empty() && is_wait_for_lock(view.calls.front());
    const RankProcess* const process = processes_.find(rank);
    const bool in_mpi = process != nullptr && process->leaving_call.starts_with("MPI_");
    for (const PageView::Await& await : awaits)
        if (report.edges.size() < kMostEdges && (await.own || !own))
            report.edges.push_back(
                {rank, await.peer, await.tag, await.context, await.send, await.own, await.matched,
                 await.at_window && wants_lock ? await.source : WaitEdge::kNoLock, in_mpi});
    for (const PageView::Arrival& arrival : view.situation->arrivals)
        if (report.messages.size() < kMostMessages)
            report.messages.push_back({rank, arrival.sender, arrival.tag, arrival.context, arrival.bytes,
                                       view.name_of(arrival.context)});
}

void Observer::add_collectives(NodeReport& report, int rank, const PageView& view)
{
    for (const PageView::Communicator& communicator : view.communicators) {
        if (communicator.members < 2)
            continue;
        const auto like = std::ranges::find_if(report.collectives, [&](const CollectiveState& other) {
            return other.context == communicator.context && other.next == communicator.number;
        });
        if (like != report.collectives.end())
            add_rank(like->ranks, rank);
        else if (report.collectives.size() < kMostCollectives)
            report.collectives.push_back({communicator.context, communicator.number, {{rank, rank}}});
    }
}

void Observer::add_locks(NodeReport& report, int rank, const PageView& view)
{
    for (const PageView::Lock& lock : view.locks)
        add_holders(report.locks,
                    {lock.context, lock.target, lock.shared, {{lock.holder, lock.holder}}, {{rank, rank}}},
                    kMostLocks);
    if (view.more_locks)
        add_rank(report.more_locks, rank);
}

void Observer::add_note(NodeReport& report, int rank, const Judged& judged)
{
    if (report.notes.size() == kMostNotes)
        return;
    const std::uint64_t swapped = judged.pid > 0 ? swapped_bytes(judged.pid) : 0;
    if (std::string note = note_in_words(judged.state, judged.pid, swapped); !note.empty())
        report.notes.push_back({rank, std::move(note)});
}

void Observer::answer(std::uint32_t question, bool whole)
{
    NodeReport report;
    report.number = question;
    report.quiet = true;
    for (auto& [rank, watched] : ranks_) {
        const Judged judged = judge(rank, watched);
        report.quiet = report.quiet && judged.quiet;
        fold(report.groups, group_of(rank, watched, judged), kMostGroups);
        if (judged.view)
            add_locks(report, rank, *judged.view);
        if (!whole)
            continue;
        add_note(report, rank, judged);
        if (!judged.view)
            continue;
        report.sent += judged.view->sent.messages;
        report.arrived += judged.view->arrived.messages;
        if (judged.state == RankState::waiting && judged.view->waits())
            add_waits(report, rank, *judged.view);
        add_collectives(report, rank, *judged.view);
    }
    head_.send(FrameType::status_report, encode(report));
}

void Observer::answer_rank(std::uint32_t question, int rank, bool stack)
{
    const auto watched = ranks_.find(rank);
    const Judged judged = watched != ranks_.end() ? judge(rank, watched->second) : Judged();
    if (stack)
        return answer_stack(question, rank, judged);
    std::string text;
    if (watched != ranks_.end())
        text = rank_in_words(group_of(rank, watched->second, judged), judged.view ? &*judged.view : nullptr,
                             judged.pid);
    head_.send(FrameType::rank_report, encode(question, rank, text));
}

void Observer::answer_stack(std::uint32_t question, int rank, const Judged& judged)
{
    if (judged.pid <= 0 || judged.state == RankState::stopped || judged.state == RankState::traced)
        return head_.send(FrameType::rank_report, encode(question, rank, std::string()));
    StackLimits limits;
    limits.threads = kMostThreads;
    limits.time = kStackTime;
    stacks_.read(judged.pid, limits, [this, question, rank](const ProcessStacks& stacks) {
        head_.send(FrameType::rank_report, encode(question, rank, stacks_in_words(stacks)));
    });
}

}  // namespace tutti::launcher
