#include "launcher/profile/trace_page.hpp"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "launcher/profile/job_statistics.hpp"
#include "launcher/profile/trace_script.hpp"
#include "launcher/profile/trace_words.hpp"
#include "lib/foundation/observe/html_page.hpp"

namespace tutti::launcher {

namespace {

constexpr std::string_view kTimelineStyle = R"(
:root {
  --send: var(--curve0); --receive: var(--curve2); --collective: var(--curve3); --wait: var(--curve4);
  --other: var(--curve6);
}
body { max-width: none; padding-bottom: 1rem; }
canvas { display: block; width: 100%; touch-action: none; cursor: crosshair; }
canvas:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.controls { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem 1.1rem; margin: .8rem 0 .4rem; }
.controls button { font: inherit; color: inherit; padding: .1rem .7rem; background: var(--raised);
  border: 1px solid var(--line); border-radius: .4rem; cursor: pointer; }
.kind::before { content: ""; display: inline-block; width: .9em; height: .9em; margin-right: .4em;
  vertical-align: -.08em; background: var(--colour); }
#state { min-height: 1.5rem; }
#tip { position: fixed; z-index: 1; max-width: 34rem; margin: 0; padding: .45rem .7rem; font-size: .85rem; gap: 0 .8rem;
  grid-template-columns: max-content 1fr; background: var(--ground); border: 1px solid var(--line);
  border-radius: .4rem; box-shadow: 0 2px 8px #0004; pointer-events: none; }
#tip[hidden] { display: none; }
kbd { padding: 0 .3em; border: 1px solid var(--line); border-radius: .25em; background: var(--raised); }
)";

constexpr std::string_view kControls = R"html(
<div class="controls">
<span><button id="nearer" type="button">Zoom in</button> <button id="farther" type="button">Zoom out</button>
<button id="all" type="button">All</button></span>
<label><input id="arrows" type="checkbox" checked> messages as arrows</label>
<span class="kind" style="--colour:var(--send)">send</span>
<span class="kind" style="--colour:var(--receive)">receive</span>
<span class="kind" style="--colour:var(--collective)">collective</span>
<span class="kind" style="--colour:var(--wait)">wait</span>
<span class="quiet">nothing: computing</span>
</div>
<div class="box"><canvas id="timeline" tabindex="0" role="img"
aria-label="Timeline of all ranks; keys move about, n and p go from call to call, which is described below"></canvas></div>
<p id="state" class="quiet" aria-live="polite"></p>
<dl id="tip" hidden></dl>
<p class="quiet"><kbd>wheel</kbd> <kbd>+</kbd> <kbd>-</kbd> zoom, <kbd>drag</kbd> <kbd>arrow keys</kbd> move,
<kbd>0</kbd> all, <kbd>[</kbd> <kbd>]</kbd> lower and higher lines, <kbd>click</kbd> choose a call, <kbd>n</kbd>
<kbd>p</kbd> the next and the previous one, <kbd>double click</kbd> zoom to it, <kbd>Esc</kbd> none.</p>
<noscript><p>The timeline is drawn by a script, and scripts are switched off.</p></noscript>
<section aria-labelledby="chosen"><h2 id="chosen">The chosen call</h2><dl id="details" aria-live="polite"></dl></section>
)html";

/// Gives each text a number, in the order in which they come.
class Texts {
public:
    /// `text` is JSON.
    std::size_t number_of(std::string text)
    {
        const auto [entry, fresh] = numbers_.try_emplace(std::move(text), list_.size());
        if (fresh)
            list_.push_back(entry->first);
        return entry->second;
    }
    std::string json() const { return fmt::format("[{}]", fmt::join(list_, ",")); }

private:
    std::map<std::string, std::size_t> numbers_;
    std::vector<std::string> list_;
};

/// The data of the script. Times are differences to those before, in nanoseconds: shorter than the times.
class PageData {
public:
    PageData(std::ostream& out, const JobTrace& trace) : out_(out), trace_(trace) {}

    void write()
    {
        Texts hosts;
        for (const std::string& host : trace_.hosts)
            hosts_.push_back(hosts.number_of(json_text(host)));
        out_ << "{\"rows\":[";
        for (const RankTrace& rank : trace_.ranks)
            add_rows(rank);
        out_ << "],\n\"arrows\":[";
        add_arrows();
        out_ << fmt::format(
            "],\n\"hosts\":{},\n\"names\":{},\n\"communicators\":{},\n\"callers\":{},\n"
            "\"protocols\":[\"{}\"],\n\"span\":{}}}",
            hosts.json(), names_.json(), communicators_.json(), callers_.json(),
            fmt::join(observe::kMessageProtocolNames, "\",\""), trace_.end_ns - trace_.begin_ns);
    }

private:
    void add_rows(const RankTrace& rank)
    {
        std::map<std::uint32_t, std::vector<const TraceCall*>> lines = {{0, {}}};
        for (const TraceCall& call : rank.calls)
            lines[call.thread].push_back(&call);
        first_row_.push_back(rows_);
        for (const auto& [thread, calls] : lines) {
            out_ << fmt::format("{}{{\"line\":{},\"rank\":{},\"host\":{},\"calls\":[", rows_ > 0 ? ",\n" : "",
                                json_text(line_name(rank.rank, thread)), rank.rank, host_of(rank));
            ++rows_;
            add_calls(rank, calls);
            out_ << "]}";
        }
    }

    std::size_t host_of(const RankTrace& rank) const
    {
        const auto node = static_cast<std::size_t>(rank.node);
        return node < hosts_.size() ? hosts_[node] : 0;
    }

    void add_calls(const RankTrace& rank, const std::vector<const TraceCall*>& calls)
    {
        std::int64_t before_ns = trace_.begin_ns;
        std::string text;
        for (const TraceCall* const one : calls) {
            const observe::CallWords& call = one->call;
            const TraceName name = name_of(call);
            const std::size_t named = names_.number_of(
                fmt::format("[{},{},{},{},{},{}]", json_text(name.name), static_cast<int>(name.kind),
                            json_text(name.algorithm), has_peer(call), has_tag(call), call.is_collective()));
            const std::size_t communicator =
                communicators_.number_of(json_text(communicator_of(rank, call.context)));
            const std::size_t caller = one->caller == 0 || one->caller > rank.callers.size()
                                           ? 0
                                           : callers_.number_of(json_text(rank.callers[one->caller - 1])) + 1;
            // A negative duration: it did not end.
            const std::int64_t took_ns = rank.end_of(*one) - one->begin_ns;
            text +=
                fmt::format("{}{},{},{},{},{},{},{},{}", text.empty() ? "" : ",", one->begin_ns - before_ns,
                            one->end_ns < one->begin_ns ? -std::max<std::int64_t>(took_ns, 1) : took_ns,
                            named, call.peer(), call.is_collective() ? call.number() : call.tag(),
                            call.bytes(), communicator, caller);
            before_ns = one->begin_ns;
        }
        out_ << text;
    }

    void add_arrows()
    {
        std::int64_t before_ns = trace_.begin_ns;
        const char* separator = "";
        for (const TraceArrow& arrow : trace_.arrows) {
            const RankTrace& from = trace_.ranks[static_cast<std::size_t>(arrow.from)];
            out_ << fmt::format("{}{},{},{},{},{},{},{},{}", std::exchange(separator, ","),
                                first_row_[static_cast<std::size_t>(arrow.from)],
                                first_row_[static_cast<std::size_t>(arrow.to)], arrow.sent_ns - before_ns,
                                arrow.arrived_ns - arrow.sent_ns, arrow.tag, arrow.bytes,
                                communicators_.number_of(json_text(communicator_of(from, arrow.context))),
                                static_cast<int>(arrow.protocol));
            before_ns = arrow.sent_ns;
        }
    }

    std::ostream& out_;
    const JobTrace& trace_;
    std::vector<std::size_t> hosts_;
    std::vector<std::size_t> first_row_;  // by rank
    std::size_t rows_ = 0;
    Texts names_;
    Texts communicators_;
    Texts callers_;
};

void write_notes(std::ostream& out, const JobTrace& trace)
{
    out << fmt::format("<p class=\"lead\">{} calls and {} messages of {} ranks on {} host{}, in {}.</p>\n",
                       trace.calls(), trace.arrows.size(), trace.ranks.size(), trace.hosts.size(),
                       trace.hosts.size() == 1 ? "" : "s",
                       short_time(static_cast<double>(trace.end_ns - trace.begin_ns) / 1e9));
    for (const std::string& note : notes_of(trace))
        out << fmt::format("<p class=\"quiet\">{}</p>\n", observe::html_text(note));
}

}  // namespace

void write_trace_page(std::ostream& out, const JobTrace& trace)
{
    const std::string title = valid_text("Trace of " + trace.program);
    out << observe::begin_of_page(title, kTimelineStyle)
        << fmt::format("<header><h1>{}</h1></header>\n<main>\n", observe::html_text(title));
    write_notes(out, trace);
    out << kControls << "</main>\n<script id=\"trace\" type=\"application/json\">";
    PageData(out, trace).write();
    out << "</script>\n<script>\n" << kTraceScript << "</script>\n" << observe::kEndOfPage;
}

}  // namespace tutti::launcher
