#include "launcher/report/page_view.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace tutti::launcher {

namespace {

using base::StatusPage;
using base::StatusSituation;
using base::StatusWord;

constexpr int kTries = 4;
constexpr std::uint64_t kSelfNumber = 2;  // the first context that a rank assigns

std::uint64_t get(const StatusWord& word) noexcept
{
    return word.load(std::memory_order_relaxed);
}

int signed_of(std::uint64_t word) noexcept
{
    return static_cast<std::int32_t>(word & 0xffffffff);
}

std::string text_of(const StatusWord* words, std::size_t bytes)
{
    std::string text(bytes, '\0');
    for (std::size_t i = 0; i < bytes / sizeof(std::uint64_t); ++i) {
        const std::uint64_t word = get(words[i]);
        std::memcpy(text.data() + i * sizeof word, &word, sizeof word);
    }
    text.resize(std::strlen(text.c_str()));
    std::ranges::replace_if(
        text, [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
}

// Calls whose words the rank has not begun to overwrite.
std::vector<PageView::Call> calls_of(const StatusPage& page, std::uint64_t entered)
{
    const std::uint64_t entries = entered >> 1;
    const std::uint64_t count = std::min<std::uint64_t>(entries, StatusPage::kCalls);
    std::vector<PageView::Call> calls;
    std::uint64_t repeated = get(page.repeated);
    for (std::uint64_t back = 1; back <= count; ++back) {
        PageView::Call call{page.calls[(entries - back) % StatusPage::kCalls].load()};
        if (call.is_passing()) {
            call.times = repeated - call.signature + 1;
            repeated = std::exchange(call.signature, 0);
        }
        calls.push_back(call);
    }
    std::atomic_thread_fence(std::memory_order_acquire);  // pairs with that of RankStatus::write()
    const std::uint64_t more = (get(page.entered) >> 1) - entries;
    const std::uint64_t whole = more < StatusPage::kCalls ? StatusPage::kCalls - 1 - more : 0;
    calls.resize(std::min<std::uint64_t>(calls.size(), whole));
    return calls;
}

PageView::Situation read_situation(const StatusSituation& now)
{
    PageView::Situation view;
    view.begun = get(now.begun);
    view.moves = get(now.moves);
    view.in_call = get(now.in_call) != 0;
    view.since_ns = static_cast<std::int64_t>(get(now.since_ns));
    view.posted = get(now.posted);
    view.unexpected = get(now.unexpected);
    view.offered = get(now.offered);
    for (std::size_t i = 0; i < std::min<std::uint64_t>(get(now.awaits_listed), now.awaits.size()); ++i) {
        const StatusSituation::Await& entry = now.awaits[i];
        const std::uint64_t flags = get(entry.flags);
        const base::CallWords words{0, get(entry.peer_and_tag), 0, 0};
        const auto kind = static_cast<StatusSituation::Kind>(flags & 0xff);
        view.awaits.push_back(
            {get(entry.context), words.peer(), words.tag(), signed_of(get(entry.peer)),
             kind == StatusSituation::Kind::send, (flags & StatusSituation::Await::kOwn) != 0,
             (flags & StatusSituation::Await::kMatched) != 0, kind == StatusSituation::Kind::window});
    }
    for (std::size_t i = 0; i < std::min<std::uint64_t>(get(now.arrivals_listed), now.arrivals.size()); ++i) {
        const StatusSituation::Arrival& entry = now.arrivals[i];
        const base::CallWords words{0, get(entry.peer_and_tag), 0, 0};
        view.arrivals.push_back(
            {get(entry.context), words.peer(), words.tag(), signed_of(get(entry.sender)), get(entry.bytes)});
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
        if (before % 2 == 0 && get(now.sequence) == before)
            return view;
    }
    return std::nullopt;
}

}  // namespace

PageView PageView::of(const base::StatusPage& page)
{
    PageView view;
    const std::uint64_t entered = page.entered.load(std::memory_order_acquire);
    view.calling = (entered & 1) != 0;
    view.begun = (entered >> 1) + get(page.repeated);
    view.calls = calls_of(page, entered);
    view.sent = page.traffic.sent.load();
    view.arrived = page.traffic.arrived.load();
    view.moves = page.traffic.moves();
    view.pid = static_cast<std::int64_t>(get(page.pid));
    view.many_threads = get(page.many_threads) != 0;
    view.left = get(page.left) != 0;
    for (const base::StatusThread& thread : page.threads)
        if (thread.thread.load(std::memory_order_acquire) != 0)
            view.threads.push_back({thread.call.load()});
    for (const base::StatusCommunicator& entry : page.communicators)
        if (const std::uint64_t context = entry.context.load(std::memory_order_acquire); context != 0)
            view.communicators.push_back({context - 1, static_cast<std::uint32_t>(get(entry.number)),
                                          signed_of(get(entry.members)),
                                          text_of(entry.name.data(), base::StatusCommunicator::kNameBytes)});
    for (const base::StatusLock& entry : page.locks) {
        const std::uint64_t context = entry.context.load(std::memory_order_acquire);
        const base::CallWords ranks{0, get(entry.target_and_holder), 0, 0};
        const auto held = static_cast<base::StatusLock::Held>(get(entry.held));
        if (context != 0 && held != base::StatusLock::Held::no && ranks.peer() >= 0 && ranks.tag() >= 0)
            view.locks.push_back(
                {context - 1, ranks.peer(), ranks.tag(), held == base::StatusLock::Held::shared});
    }
    view.more_locks = get(page.locks_left_out) != 0;
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

std::string communicator_in_words(std::uint64_t context, const std::string& name)
{
    if (!name.empty())
        return name.starts_with("window ") ? name : '"' + name + '"';
    context &= ~std::uint64_t{1};
    const std::uint64_t rank = context >> 33;
    const std::uint64_t number = context >> 1 & 0xffffffff;
    if (context == 0)
        return "world";
    return number == kSelfNumber ? "self" : fmt::format("communicator {}.{}", rank, number);
}

}  // namespace tutti::launcher
