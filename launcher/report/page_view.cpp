#include "launcher/report/page_view.hpp"

#include <algorithm>
#include <utility>

#include "launcher/report/names.hpp"
#include "launcher/report/status_words.hpp"

namespace tutti::launcher {

namespace {

using observe::StatusPage;
using observe::StatusSituation;

constexpr int kTries = 4;

int signed_of(std::uint64_t word) noexcept
{
    return static_cast<std::int32_t>(word & 0xffffffff);
}

// Calls whose words the rank has not begun to overwrite.
std::vector<PageView::Call> calls_of(const StatusPage& page, std::uint64_t entered)
{
    const std::uint64_t entries = entered >> 1;
    const std::uint64_t count = std::min<std::uint64_t>(entries, StatusPage::kCalls);
    std::vector<PageView::Call> calls;
    std::uint64_t repeated = word_of(page.repeated);
    for (std::uint64_t back = 1; back <= count; ++back) {
        PageView::Call call{page.calls[(entries - back) % StatusPage::kCalls].load()};
        if (call.is_passing()) {
            call.times = repeated - call.signature + 1;
            repeated = std::exchange(call.signature, 0);
        }
        calls.push_back(call);
    }
    std::atomic_thread_fence(std::memory_order_acquire);  // pairs with that of RankStatus::write()
    const std::uint64_t more = (word_of(page.entered) >> 1) - entries;
    const std::uint64_t whole = more < StatusPage::kCalls ? StatusPage::kCalls - 1 - more : 0;
    calls.resize(std::min<std::uint64_t>(calls.size(), whole));
    return calls;
}

PageView::Situation read_situation(const StatusSituation& now)
{
    PageView::Situation view;
    view.begun = word_of(now.begun);
    view.moves = word_of(now.moves);
    view.in_call = word_of(now.in_call) != 0;
    view.since_ns = static_cast<std::int64_t>(word_of(now.since_ns));
    view.posted = word_of(now.posted);
    view.unexpected = word_of(now.unexpected);
    view.offered = word_of(now.offered);
    for (std::size_t i = 0; i < std::min<std::uint64_t>(word_of(now.awaits_listed), now.awaits.size()); ++i) {
        const StatusSituation::Await& entry = now.awaits[i];
        const std::uint64_t flags = word_of(entry.flags);
        const observe::CallWords words{0, word_of(entry.peer_and_tag), 0, 0};
        const auto kind = static_cast<StatusSituation::Kind>(flags & 0xff);
        const auto protocol = observe::protocol_of(flags >> StatusSituation::Await::kProtocolShift);
        view.awaits.push_back(
            {word_of(entry.context), words.peer(), words.tag(), signed_of(word_of(entry.peer)),
             kind == StatusSituation::Kind::send, (flags & StatusSituation::Await::kOwn) != 0,
             (flags & StatusSituation::Await::kMatched) != 0, kind == StatusSituation::Kind::window,
             protocol ? name_of(*protocol) : std::string_view()});
    }
    for (std::size_t i = 0; i < std::min<std::uint64_t>(word_of(now.arrivals_listed), now.arrivals.size());
         ++i) {
        const StatusSituation::Arrival& entry = now.arrivals[i];
        const observe::CallWords words{0, word_of(entry.peer_and_tag), 0, 0};
        view.arrivals.push_back({word_of(entry.context), words.peer(), words.tag(),
                                 signed_of(word_of(entry.sender)), word_of(entry.bytes)});
    }
    view.text = text_of(now.text.data(), StatusSituation::kTextBytes);
    return view;
}

std::optional<PageView::Situation> whole_situation(const StatusSituation& now)
{
    for (int i = 0; i < kTries; ++i) {
        const std::uint64_t before = now.sequence.load(std::memory_order_acquire);
        if (before == 0)
            return std::nullopt;
        PageView::Situation view = read_situation(now);
        std::atomic_thread_fence(std::memory_order_acquire);  // pairs with those of RankStatus::note()
        if (before % 2 == 0 && word_of(now.sequence) == before)
            return view;
    }
    return std::nullopt;
}

}  // namespace

PageView PageView::of(const observe::StatusPage& page)
{
    PageView view;
    const std::uint64_t entered = page.entered.load(std::memory_order_acquire);
    view.calling = (entered & 1) != 0;
    view.begun = (entered >> 1) + word_of(page.repeated);
    view.calls = calls_of(page, entered);
    view.sent = page.traffic.sent.load();
    view.arrived = page.traffic.arrived.load();
    view.moves = page.traffic.moves();
    view.pid = static_cast<std::int64_t>(word_of(page.pid));
    view.many_threads = word_of(page.many_threads) != 0;
    view.left = word_of(page.left) != 0;
    for (const observe::StatusThread& thread : page.threads)
        if (thread.thread.load(std::memory_order_acquire) != 0)
            view.threads.push_back({thread.call.load()});
    for (const observe::StatusCommunicator& entry : page.communicators)
        if (const std::uint64_t context = entry.context.load(std::memory_order_acquire); context != 0)
            view.communicators.push_back(
                {context - 1, static_cast<std::uint32_t>(word_of(entry.number)),
                 signed_of(word_of(entry.members)),
                 text_of(entry.name.data(), observe::StatusCommunicator::kNameBytes)});
    for (const observe::StatusLock& entry : page.locks) {
        const std::uint64_t context = entry.context.load(std::memory_order_acquire);
        const observe::CallWords ranks{0, word_of(entry.target_and_holder), 0, 0};
        const auto held = static_cast<observe::StatusLock::Held>(word_of(entry.held));
        if (context != 0 && held != observe::StatusLock::Held::no && ranks.peer() >= 0 && ranks.tag() >= 0)
            view.locks.push_back(
                {context - 1, ranks.peer(), ranks.tag(), held == observe::StatusLock::Held::shared});
    }
    view.more_locks = word_of(page.locks_left_out) != 0;
    view.situation = whole_situation(page.situation);
    const bool stands = view.situation && view.situation->moves == view.moves &&
                        (view.many_threads || view.situation->begun == view.begun);
    if (!stands)
        view.situation.reset();
    return view;
}

std::string PageView::name_of(std::uint64_t context) const
{
    context &= ~std::uint64_t{1};
    for (const Communicator& communicator : communicators)
        if (communicator.context == context && !communicator.name.empty())
            return communicator_in_words(context, communicator.name);
    return communicator_in_words(context, "");
}

}  // namespace tutti::launcher
