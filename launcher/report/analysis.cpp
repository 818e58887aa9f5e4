#include "launcher/report/analysis.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "launcher/base/host_names.hpp"
#include "launcher/report/report_words.hpp"
#include "launcher/report/wait_graph.hpp"
#include "lib/foundation/base/quantity.hpp"
#include "lib/foundation/observe/misfit.hpp"

namespace tutti::launcher {

namespace {

constexpr std::size_t kMostInCircle = 8;
constexpr std::size_t kMostAlike = 4;  // sentences of one sort
constexpr std::size_t kMostRows = 16;
constexpr std::size_t kMostCulprits = 3;

std::string circle_in_words(const WaitGraph& graph, const std::vector<int>& circle)
{
    std::string text = "a circle: ";
    const std::size_t shown = circle.size() > kMostInCircle ? kMostInCircle - 1 : circle.size();
    for (std::size_t i = 0; i < shown; ++i) {
        const int to = circle[(i + 1) % circle.size()];
        text += fmt::format("{}rank {} waits for rank {} ({})", i > 0 ? ", " : "", circle[i], to,
                            graph.edge(circle[i], to)->why);
    }
    if (shown < circle.size())
        text += fmt::format(", and so on through {} more ranks back to rank {}", circle.size() - shown,
                            circle.front());
    return text;
}

/// What mends a circle of ranks that all send, or all receive, before they do the other; empty for others.
std::string remedy(const JobStatus& job, const std::vector<int>& circle)
{
    bool sends = circle.size() > 1;
    bool receives = sends;
    bool in_mpi = false;
    for (const int rank : circle) {
        const RankGroup* const group = job.group_of(rank);
        if (group == nullptr || group->is_collective() || group->is_at_window() || group->is_at_file() ||
            group->many_threads || group->operation == observe::Operation::probe)
            return {};
        bool any = false;
        for (const WaitEdge& wait : job.edges) {
            if (wait.rank != rank)
                continue;
            any = true;
            in_mpi = in_mpi || wait.in_mpi;
            sends = sends && wait.send;
            receives = receives && !wait.send && !wait.matched;
        }
        // Messages that nobody awaits are the sign of another mistake.
        const bool lies = std::ranges::any_of(
            job.messages, [rank](const LyingMessage& message) { return message.rank == rank; });
        sends = sends && any;
        receives = receives && any && !lies;
    }
    const std::string_view both = in_mpi ? "MPI_Sendrecv" : "sendrecv";
    const std::string_view wait = in_mpi ? "MPI_Wait" : "wait()";
    if (sends)
        return fmt::format(
            "each of them sends before it receives, and the send of a long message ends when its "
            "receiver takes it: let one of them receive first, or use {}, or {} before the receive "
            "and {} after it",
            both, in_mpi ? "MPI_Isend" : "isend", wait);
    if (receives)
        return fmt::format(
            "each of them receives before it sends: let one of them send first, or use {}, or {} "
            "before the send and {} after it",
            both, in_mpi ? "MPI_Irecv" : "irecv", wait);
    return {};
}

/// For the end of a sentence about these ranks.
std::string what_they_do(const JobStatus& job, const Ranges& ranks)
{
    std::string text;
    std::size_t parts = 0;
    for (const RankGroup& group : job.groups) {
        Ranges those;
        for (const auto& [first, last] : group.ranks)
            for (const auto& [from, to] : ranks)
                if (std::max(first, from) <= std::min(last, to))
                    those = merged(those, {{std::max(first, from), std::min(last, to)}});
        if (those.empty() || ++parts > kMostAlike)
            continue;
        if (count_of(those) == count_of(ranks))
            text += ": " + group_in_words(group);
        else
            text += fmt::format("{} {}: {}", parts == 1 ? ":" : ";", ranks_in_words(those),
                                group_in_words(group));
    }
    return text;
}

void add_all(std::set<int>& named, const Ranges& ranks)
{
    for (const auto& [first, last] : ranks)
        for (int rank = first; rank <= last; ++rank)
            named.insert(rank);
}

/// Those who have not entered a collective in which others wait, and what they do instead.
void add_absences(const JobStatus& job, std::vector<std::string>& sentences, std::set<int>& named)
{
    std::set<std::pair<std::uint64_t, std::uint32_t>> analysed;
    for (const RankGroup& waiting : job.groups) {
        if (!waiting.in_call() || !waiting.is_collective() ||
            !analysed.emplace(waiting.context, waiting.number).second || analysed.size() > kMostAlike)
            continue;
        const Ranges missing = job.missing_in(waiting.context, waiting.number);
        if (missing.empty())
            continue;
        RankGroup call = waiting;
        if (call.operation == observe::Operation::wait_collective)
            call.operation = observe::Operation::collective;
        const std::string text = fmt::format("{} {} not entered {}", ranks_in_words(missing),
                                             count_of(missing) == 1 ? "has" : "have", short_call(call));
        add_all(named, missing);
        sentences.push_back(text + what_they_do(job, missing));
    }
}

/// Those who hold the lock of a window for which others wait, and what they do meanwhile.
void add_lock_holders(const JobStatus& job, const std::vector<int>& circle,
                      std::vector<std::string>& sentences, std::set<int>& named)
{
    struct Waiters {
        const RankGroup* first = nullptr;
        Ranges ranks;
    };
    std::map<const LockHolders*, Waiters> all;
    for (const RankGroup& group : job.groups) {
        if (!group.in_call() || !group.wants_lock())
            continue;
        if (const LockHolders* const lock = job.holders_of(group.context, group.peer)) {
            Waiters& waiters = all[lock];
            waiters = {&group, merged(waiters.ranks, group.ranks)};
        }
    }
    std::size_t count = 0;
    for (const auto& [lock, waiters] : all) {
        const bool in_circle = count_of(lock->ranks) == 1 &&
                               std::ranges::find(circle, lock->ranks.front().first) != circle.end();
        if (in_circle || ++count > kMostAlike)
            continue;
        add_all(named, lock->ranks);
        sentences.push_back(fmt::format(
            "{} {} for {}, which {} the lock of {} on {}{}{}", ranks_in_words(waiters.ranks),
            count_of(waiters.ranks) == 1 ? "waits" : "wait", ranks_in_words(lock->ranks),
            count_of(lock->ranks) == 1 ? "holds" : "hold", lock->target, waiters.first->communicator,
            lock->shared ? ", shared" : "", what_they_do(job, lock->ranks)));
    }
}

/// Ranks that others wait for and that wait for nobody.
void add_awaited(const JobStatus& job, const WaitGraph& graph, std::vector<std::string>& sentences,
                 std::set<int>& named)
{
    std::map<int, Ranges> waiters;
    for (const auto& [rank, edges] : graph.edges())
        for (const WaitGraph::Edge& edge : edges)
            add_rank(waiters[edge.to], rank);
    std::size_t count = 0;
    for (const auto& [rank, others] : waiters) {
        const RankGroup* const group = job.group_of(rank);
        if (group == nullptr || group->in_call() || named.contains(rank) || ++count > kMostAlike)
            continue;
        named.insert(rank);
        sentences.push_back(fmt::format("{} {} for rank {}: {}", ranks_in_words(others),
                                        count_of(others) == 1 ? "waits" : "wait", rank,
                                        group_in_words(*group)));
    }
}

/// What is late rather than blocked: ranks that others wait for, and that are in no call.
std::vector<std::string> latecomers(const JobStatus& job, const std::set<int>& named)
{
    std::vector<std::string> sentences;
    for (const RankGroup& group : job.groups) {
        const bool sleeps = group.state == RankState::sleeping;
        if (!sleeps && group.state != RankState::computing)
            continue;
        Ranges late;
        for (const auto& [first, last] : group.ranks)
            for (auto rank = named.lower_bound(first); rank != named.end() && *rank <= last; ++rank)
                add_rank(late, *rank);
        if (late.empty() || sentences.size() == kMostAlike)
            continue;
        const bool one = count_of(late) == 1;
        const std::string does = sleeps ? (one ? "is asleep" : "are asleep") : (one ? "computes" : "compute");
        sentences.push_back(fmt::format(
            "{} {} outside of Tutti for {}, and others wait for {}: no deadlock, if {} on{}",
            ranks_in_words(late), does, duration_in_words(group.most_seconds), one ? "it" : "them",
            one ? "it goes" : "they go", sleeps ? " (a sleep, a file, a lock, another program)" : ""));
    }
    return sentences;
}

void add_file_accesses(const JobStatus& job, std::vector<std::string>& sentences)
{
    for (const RankGroup& group : job.groups) {
        if (!group.in_call() || !group.is_at_file() || sentences.size() >= kMostRows)
            continue;
        const bool one = count_of(group.ranks) == 1;
        sentences.push_back(
            fmt::format("{} {} in the file system for {} ({}): no deadlock, if that answers (a disk or a "
                        "server that is slow, frozen or not reached)",
                        ranks_in_words(group.ranks), one ? "is" : "are",
                        duration_in_words(group.most_seconds), call_in_words(group)));
    }
}

void add_near_misses(const JobStatus& job, std::vector<std::string>& sentences)
{
    std::size_t count = 0;
    std::set<std::pair<int, int>> named;  // where, and from whom
    for (const WaitEdge& wait : job.edges) {
        if (wait.send || wait.matched)
            continue;
        for (const LyingMessage& message : job.messages) {
            if (message.rank != wait.rank || named.contains({message.rank, message.sender}))
                continue;
            const observe::MatchKey awaited{wait.context, wait.peer, wait.tag};
            const observe::Misfit misfit =
                observe::misfit_of(awaited, {message.context, message.sender, message.tag});
            if (misfit == observe::Misfit::none_or_more)
                continue;
            named.emplace(message.rank, message.sender);
            if (++count <= kMostAlike)
                sentences.push_back(
                    fmt::format("a message from rank {} with tag {} ({}{}) is at rank {}, where {}",
                                message.sender, message.tag, base::bytes_in_words(message.bytes),
                                message.context == 0 ? "" : ", on " + message.communicator, message.rank,
                                observe::misfit_in_words(misfit, awaited)));
        }
    }
    if (count > kMostAlike)
        sentences.push_back(fmt::format("{} more messages lie like these", count - kMostAlike));
}

int order_of(const RankGroup& group)
{
    return group.in_call() ? 0 : 1 + static_cast<int>(group.state);
}

}  // namespace

void JobStatus::add(const NodeReport& node)
{
    quiet = quiet && node.quiet;
    sent += node.sent;
    arrived += node.arrived;
    for (const RankGroup& group : node.groups)
        fold(groups, group, kMostRows);
    edges.insert(edges.end(), node.edges.begin(), node.edges.end());
    messages.insert(messages.end(), node.messages.begin(), node.messages.end());
    collectives.insert(collectives.end(), node.collectives.begin(), node.collectives.end());
    for (const LockHolders& lock : node.locks)
        add_holders(locks, lock, kMostLocks);
    more_locks = merged(more_locks, node.more_locks);
    notes.insert(notes.end(), node.notes.begin(), node.notes.end());
    for (RankGroup& group : groups)
        group.holders = holders_in_words(group);
}

const LockHolders* JobStatus::holders_of(std::uint64_t context, int target) const
{
    const auto found = std::ranges::find_if(
        locks, [&](const LockHolders& lock) { return lock.context == context && lock.target == target; });
    return found == locks.end() ? nullptr : &*found;
}

std::string JobStatus::holders_in_words(const RankGroup& waiting) const
{
    if (!waiting.in_call() || !waiting.wants_lock() || waiting.peer == RankGroup::kVarious)
        return {};
    if (const LockHolders* const lock = holders_of(waiting.context, waiting.peer))
        return fmt::format("held by {}{}", ranges_in_words(lock->holders), lock->shared ? ", shared" : "");
    return more_locks.empty()
               ? ""
               : fmt::format("perhaps held by {} of the job, which {} not list all locks",
                             ranks_in_words(more_locks), count_of(more_locks) == 1 ? "does" : "do");
}

const RankGroup* JobStatus::group_of(int rank) const
{
    for (const RankGroup& group : groups)
        for (const auto& [first, last] : group.ranks)
            if (first <= rank && rank <= last)
                return &group;
    return nullptr;
}

Ranges JobStatus::missing_in(std::uint64_t context, std::uint32_t number) const
{
    Ranges missing;
    for (const CollectiveState& state : collectives)
        if (state.context == context && static_cast<std::int32_t>(state.next - number) <= 0)
            missing = merged(missing, state.ranks);
    return missing;
}

bool JobStatus::any_waits() const
{
    return std::ranges::any_of(groups, &RankGroup::in_call);
}

bool JobStatus::any_is(RankState state) const
{
    return std::ranges::any_of(groups, [state](const RankGroup& group) { return group.state == state; });
}

Analysis analyse(const JobStatus& job)
{
    Analysis result;
    const WaitGraph graph(job);
    const bool nothing_under_way = job.complete && job.quiet && job.sent == job.arrived;
    std::vector<int> circle = nothing_under_way ? graph.circle(true) : std::vector<int>();
    result.deadlock = !circle.empty();
    if (circle.empty())
        circle = graph.circle(false);
    if (!circle.empty())
        result.sentences.push_back(circle_in_words(graph, circle) +
                                   (result.deadlock ? "; none of them can go on" : ""));
    if (std::string words = remedy(job, circle); !words.empty())
        result.sentences.push_back(std::move(words));
    add_file_accesses(job, result.sentences);
    std::set<int> named;
    add_absences(job, result.sentences, named);
    add_lock_holders(job, circle, result.sentences, named);
    add_awaited(job, graph, result.sentences, named);
    if (circle.empty()) {
        const std::vector<std::string> late = latecomers(job, named);
        result.sentences.insert(result.sentences.begin(), late.begin(), late.end());
    }
    // Members of the circle that differ come first: those whose calls the others lack.
    for (const auto& ranks : {std::vector<int>(named.begin(), named.end()), circle})
        for (const int rank : ranks)
            if (result.culprits.size() < kMostCulprits &&
                std::ranges::find(result.culprits, rank) == result.culprits.end())
                result.culprits.push_back(rank);
    add_near_misses(job, result.sentences);
    for (const RankNote& note : job.notes)
        if (result.sentences.size() < kMostRows)
            result.sentences.push_back(fmt::format("rank {} {}", note.rank, note.text));
    return result;
}

std::vector<std::string> table(const JobStatus& job, const std::function<std::string(int rank)>& host_of)
{
    std::vector<RankGroup> groups = job.groups;
    fold_communicators(groups, kMostRows);
    std::vector<const RankGroup*> rows;
    for (const RankGroup& group : groups)
        rows.push_back(&group);
    std::ranges::stable_sort(rows, [](const RankGroup* one, const RankGroup* other) {
        return std::pair(order_of(*one), one->ranks.front()) <
               std::pair(order_of(*other), other->ranks.front());
    });
    std::vector<std::string> lines;
    for (const RankGroup* group : rows) {
        std::vector<std::string> hosts;
        for (const auto& [first, last] : group->ranks)
            for (int rank = first; rank <= last; ++rank)
                if (std::string host = host_of(rank); hosts.empty() || hosts.back() != host)
                    hosts.push_back(std::move(host));
        const bool one = std::ranges::count(hosts, hosts.front()) == std::ssize(hosts);
        const std::string where = (one ? "host " : "hosts ") + hosts_in_words(hosts);
        lines.push_back(
            fmt::format("{} ({}): {}", ranks_in_words(group->ranks), where, group_in_words(*group)));
    }
    return lines;
}

}  // namespace tutti::launcher
