#include "launcher/profile/trace_json.hpp"

#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "launcher/job/job_messages.hpp"
#include "launcher/profile/trace_words.hpp"
#include "tutti/status.hpp"

namespace tutti::launcher {

namespace {

// Numbers of processes and threads. Those of hosts and of ranks' first threads differ, since viewers take a
// thread with the process's number for its main one.
constexpr int kFirstHost = 1'000'000;
constexpr int kThreadStep = 2'000'000;

int number_of(const RankTrace& rank, std::uint32_t thread)
{
    return rank.rank + static_cast<int>(thread) * kThreadStep;
}

/// Where a call ends, and the thread that made it.
struct Place {
    std::uint32_t thread = 0;
    bool within_call = false;
};

/// The call of the rank during which a message was sent or came.
Place place_of(const RankTrace& rank, std::int64_t time_ns)
{
    constexpr int kLook = 8;  // calls of several threads overlap
    auto call = std::ranges::upper_bound(rank.calls, time_ns, {}, &TraceCall::begin_ns);
    for (int i = 0; i < kLook && call != rank.calls.begin(); ++i) {
        --call;
        if (rank.end_of(*call) > time_ns)
            return {call->thread, true};
    }
    return {};
}

class JsonWriter {
public:
    JsonWriter(std::ostream& out, const JobTrace& trace) : out_(out), trace_(trace) {}

    void write()
    {
        out_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
        add_hosts();
        make_flows();
        for (std::size_t i = 0; i < trace_.ranks.size(); ++i)
            add_rank(i);
        flush();
        out_ << "\n],\"otherData\":";
        add_other_data();
        out_ << "}\n";
    }

private:
    /// Something of a rank's line at its place in time. The order of several at one time is that of `order`.
    struct Item {
        std::uint32_t thread = 0;
        std::int64_t time_ns = 0;
        std::int64_t order = 0;
        const TraceCall* call = nullptr;  // else an end of an arrow
        std::size_t arrow = 0;
        bool arrives = false;
        bool within_call = false;

        auto key() const noexcept { return std::tie(thread, time_ns, order); }
    };

    template <class... Values>
    void add(fmt::format_string<Values...> format, Values&&... values)
    {
        text_ += std::exchange(separator_, ",\n");
        text_ += fmt::format(format, std::forward<Values>(values)...);
        if (text_.size() > kBufferBytes)
            flush();
    }
    void flush()
    {
        out_ << text_;
        text_.clear();
    }
    /// In microseconds, as the format has it, to the nanosecond.
    std::string time(std::int64_t time_ns) const { return duration(time_ns - trace_.begin_ns); }
    static std::string duration(std::int64_t ns)
    {
        return fmt::format("{}.{:03}", std::max<std::int64_t>(ns, 0) / 1000,
                           std::max<std::int64_t>(ns, 0) % 1000);
    }
    int process_of(const RankTrace& rank) const { return kFirstHost + rank.node; }

    void add_hosts()
    {
        for (std::size_t node = 0; node < trace_.hosts.size(); ++node) {
            const int process = kFirstHost + static_cast<int>(node);
            add(R"({{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":{}}}}})", process,
                json_text("host " + trace_.hosts[node]));
            add(R"({{"ph":"M","name":"process_sort_index","pid":{},"tid":0,"args":{{"sort_index":{}}}}})",
                process, node);
        }
    }

    void make_flows()
    {
        flows_.resize(trace_.ranks.size());
        for (std::size_t i = 0; i < trace_.arrows.size(); ++i) {
            flows_[static_cast<std::size_t>(trace_.arrows[i].from)].emplace_back(i, false);
            flows_[static_cast<std::size_t>(trace_.arrows[i].to)].emplace_back(i, true);
        }
    }

    void add_rank(std::size_t index)
    {
        const RankTrace& rank = trace_.ranks[index];
        std::vector<Item> items;
        std::set<std::uint32_t> threads = {0};
        for (const TraceCall& call : rank.calls) {
            // The longer one of two that begin at once has the other one within it.
            items.push_back({call.thread, call.begin_ns, call.begin_ns - rank.end_of(call), &call});
            threads.insert(call.thread);
        }
        for (const auto& [arrow, arrives] : flows_[index]) {
            const TraceArrow& one = trace_.arrows[arrow];
            const std::int64_t at = arrives ? one.arrived_ns : one.sent_ns;
            const Place place = place_of(rank, at);
            items.push_back({place.thread, at, 1, nullptr, arrow, arrives, place.within_call});
        }
        std::ranges::sort(items, {}, &Item::key);
        for (const std::uint32_t thread : threads)
            add_line_name(rank, thread);
        add_dropped(rank);
        for (const Item& item : items) {
            if (item.call != nullptr)
                add_call(rank, *item.call);
            else
                add_end(rank, item);
        }
    }

    void add_line_name(const RankTrace& rank, std::uint32_t thread)
    {
        add(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})", process_of(rank),
            number_of(rank, thread), json_text(line_name(rank.rank, thread)));
        add(R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
            process_of(rank), number_of(rank, thread), rank.rank);
    }

    void add_dropped(const RankTrace& rank)
    {
        if (const std::string words = dropped_in_words(rank); !words.empty())
            add(R"({{"ph":"i","s":"t","name":{},"cat":"dropped","ts":{},"pid":{},"tid":{},)"
                R"("args":{{"calls":{},"messages":{}}}}})",
                json_text(words), time(trace_.begin_ns), process_of(rank), number_of(rank, 0),
                rank.dropped_calls, rank.dropped_messages);
    }

    void add_call(const RankTrace& rank, const TraceCall& call)
    {
        const TraceName name = name_of(call.call);
        std::string args = fmt::format(R"("communicator":{})", communicator(rank, call.call.context));
        const auto put = [&args](std::string_view key, const auto& value) {
            args += fmt::format(R"(,"{}":{})", key, value);
        };
        if (has_peer(call.call)) {
            put("peer", call.call.peer() < 0 ? "\"any\"" : std::to_string(call.call.peer()));
            if (has_tag(call.call))
                put("tag", call.call.tag() == any_tag ? "\"any\"" : std::to_string(call.call.tag()));
        }
        if (call.call.is_collective())
            put("number", call.call.number());
        if (call.call.operation() == observe::Operation::wait_any)
            put("requests", call.call.bytes());
        else
            put("bytes", call.call.bytes());
        if (!name.algorithm.empty())
            put("algorithm", json_text(name.algorithm));
        if (call.caller != 0 && call.caller <= rank.callers.size())
            put("caller", json_text(rank.callers[call.caller - 1]));
        if (call.end_ns < call.begin_ns)
            put("unfinished", true);
        add(R"({{"ph":"X","name":{},"cat":"{}","ts":{},"dur":{},"pid":{},"tid":{},"args":{{{}}}}})",
            json_text(name.name), kTraceKinds[static_cast<std::size_t>(name.kind)], time(call.begin_ns),
            duration(rank.end_of(call) - call.begin_ns), process_of(rank), number_of(rank, call.thread),
            args);
    }

    /// A flow begins and ends within a complete event, so one stands there where there is no call.
    void add_end(const RankTrace& rank, const Item& item)
    {
        const TraceArrow& arrow = trace_.arrows[item.arrow];
        const int thread = number_of(rank, item.thread);
        if (!item.within_call)
            add(R"({{"ph":"X","name":"{}","cat":"message","ts":{},"dur":0.000,"pid":{},"tid":{},)"
                R"("args":{{"{}":{},"tag":{},"bytes":{}}}}})",
                item.arrives ? "arrival" : "departure", time(item.time_ns), process_of(rank), thread,
                item.arrives ? "from" : "to",
                trace_.ranks[static_cast<std::size_t>(item.arrives ? arrow.from : arrow.to)].rank, arrow.tag,
                arrow.bytes);
        add(R"({{"ph":"{}",{}"id":{},"name":"message","cat":"message","ts":{},"pid":{},"tid":{},)"
            R"("args":{{"bytes":{},"protocol":"{}"}}}})",
            item.arrives ? "f" : "s", item.arrives ? R"("bp":"e",)" : "", item.arrow + 1, time(item.time_ns),
            process_of(rank), thread, arrow.bytes, name_of(arrow.protocol));
    }

    const std::string& communicator(const RankTrace& rank, std::uint64_t context)
    {
        const auto [entry, fresh] = communicators_.try_emplace({&rank, context});
        if (fresh)
            entry->second = json_text(communicator_of(rank, context));
        return entry->second;
    }

    void add_other_data()
    {
        out_ << fmt::format(
            R"({{"tutti":"{}","program":{},"ranks":{},"hosts":{},"calls":{},"arrows":{},"dropped":{},)"
            R"("clock_error_us":{},"most_shifted_us":{},"arrived_before_sent":{},"most_before_sent_us":{}}})",
            kVersion, json_text(trace_.program), trace_.ranks.size(), trace_.hosts.size(), trace_.calls(),
            trace_.arrows.size(), trace_.dropped(), duration(trace_.clock_error_ns),
            duration(trace_.most_shifted_ns), trace_.arrived_before_sent,
            duration(trace_.most_before_sent_ns));
    }

    static constexpr std::size_t kBufferBytes = 1 << 16;

    std::ostream& out_;
    const JobTrace& trace_;
    std::string text_;
    const char* separator_ = "\n";
    std::vector<std::vector<std::pair<std::size_t, bool>>>
        flows_;  // by rank: an arrow, and whether it ends here
    std::map<std::pair<const RankTrace*, std::uint64_t>, std::string> communicators_;
};

}  // namespace

void write_trace_json(std::ostream& out, const JobTrace& trace)
{
    JsonWriter(out, trace).write();
}

}  // namespace tutti::launcher
