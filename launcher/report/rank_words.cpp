#include "launcher/report/rank_words.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "launcher/report/report_words.hpp"
#include "lib/foundation/base/quantity.hpp"
#include "tutti/status.hpp"

namespace tutti::launcher {

namespace {

using base::bytes_in_words;

constexpr std::size_t kMostCommunicators = 8;
constexpr std::size_t kMostLocks = 8;
/// So much of a process in swap space is worth a word.
constexpr std::uint64_t kMuchSwapBytes = std::uint64_t{16} << 20;

std::string rate_of_bytes(double bytes_per_second)
{
    return bytes_in_words(static_cast<std::uint64_t>(bytes_per_second)) + "/s";
}

std::string tag_in_words(int tag)
{
    return tag == any_tag ? "any tag" : fmt::format("tag {}", tag);
}

void add_situation(std::string& text, const PageView& page)
{
    const PageView::Situation& now = *page.situation;
    text += fmt::format("queues: {} receives posted, {} messages unexpected, {} sends not asked for\n",
                        now.posted, now.unexpected, now.offered);
    for (const PageView::Await& await : now.awaits) {
        const std::string peer = await.peer < 0 ? "any rank" : fmt::format("rank {}", await.peer);
        if (await.at_window) {
            text += fmt::format("  waits for {}, on {}\n", peer, page.name_of(await.context));
            continue;
        }
        text += fmt::format("  waits for {} {}, {}, on {}{}{}\n",
                            await.send ? "the receive of a message to" : "a message from", peer,
                            tag_in_words(await.tag), page.name_of(await.context),
                            await.matched ? ", of which data is under way" : "",
                            await.protocol.empty() ? "" : fmt::format(", offered by {}", await.protocol));
    }
    for (const PageView::Arrival& arrival : now.arrivals)
        text += fmt::format("  a message from rank {} lies here, tag {}, {}, on {}\n", arrival.sender,
                            arrival.tag, bytes_in_words(arrival.bytes), page.name_of(arrival.context));
}

void add_calls(std::string& text, const PageView& page)
{
    text += page.calls.empty() ? "" : "calls, the newest first:\n";
    for (const PageView::Call& call : page.calls) {
        RankGroup group;
        set_call(group, page, call);
        text += fmt::format("  {}{}\n", call_in_words(group),
                            call.times > 1 ? fmt::format(", {} times", call.times) : "");
    }
}

void add_communicators(std::string& text, const PageView& page)
{
    std::size_t count = 0;
    for (const PageView::Communicator& communicator : page.communicators)
        if (communicator.members > 1 && count++ < kMostCommunicators)
            text +=
                fmt::format("{} has {} ranks; its next collective is #{}\n",
                            page.name_of(communicator.context), communicator.members, communicator.number);
    if (count > kMostCommunicators)
        text += fmt::format("and {} more communicators\n", count - kMostCommunicators);
}

void add_locks(std::string& text, const PageView& page)
{
    for (std::size_t i = 0; i < std::min(page.locks.size(), kMostLocks); ++i)
        text += fmt::format("holds the lock of {} on {}{}\n", page.locks[i].target,
                            page.name_of(page.locks[i].context), page.locks[i].shared ? ", shared" : "");
    if (page.locks.size() > kMostLocks)
        text += fmt::format("and {} more locks\n", page.locks.size() - kMostLocks);
}

}  // namespace

void set_call(RankGroup& group, const PageView& page, const PageView::Call& call)
{
    group.operation = std::min(call.operation(), observe::kLastOperation);
    group.context = call.context & ~std::uint64_t{1};
    group.communicator = page.name_of(call.context);
    group.bytes = call.bytes();
    if (group.is_collective()) {
        group.kind = observe::CollectiveWord{call.signature}.kind();
        group.number = call.number();
    } else {
        if (group.is_at_window() || group.is_at_file())
            group.kind = static_cast<std::uint8_t>(call.signature);
        group.peer = call.peer();
        group.tag = call.tag();
    }
}

std::string rank_in_words(const RankGroup& group, const PageView* page, pid_t process)
{
    std::string text = fmt::format("{}: {}\n", ranks_in_words(group.ranks), group_in_words(group));
    if (process > 0)
        text += fmt::format("process {}\n", process);
    if (page == nullptr)
        return text;
    const RankLoad& load = group.load;
    text += fmt::format("CPU {:.0f} %, {} of memory\n", 100 * load.processors,
                        bytes_in_words(load.resident_bytes));
    text += fmt::format("{:.0f} calls/s, {:.0f} messages/s, {} sent, {} arrived\n", load.calls_per_second,
                        load.messages_per_second, rate_of_bytes(load.sent_bytes_per_second),
                        rate_of_bytes(load.arrived_bytes_per_second));
    text += fmt::format("in all {} messages sent ({}), {} arrived ({})\n", page->sent.messages,
                        bytes_in_words(page->sent.bytes), page->arrived.messages,
                        bytes_in_words(page->arrived.bytes));
    if (page->situation)
        add_situation(text, *page);
    add_calls(text, *page);
    add_communicators(text, *page);
    add_locks(text, *page);
    return text;
}

std::string note_in_words(RankState state, pid_t process, std::uint64_t swapped_bytes)
{
    if (state == RankState::stopped)
        return fmt::format("is stopped; 'kill -CONT {}' lets it go on", process);
    if (state == RankState::traced)
        return fmt::format("is held by a debugger (pid {})", process);
    return swapped_bytes >= kMuchSwapBytes
               ? fmt::format("has {} in swap space", bytes_in_words(swapped_bytes))
               : "";
}

}  // namespace tutti::launcher
