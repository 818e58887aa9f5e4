#include "launcher/profile/trace_file.hpp"

#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "launcher/profile/trace_align.hpp"
#include "launcher/profile/trace_json.hpp"
#include "launcher/profile/trace_page.hpp"
#include "lib/foundation/base/say.hpp"

namespace tutti::launcher {

namespace {

std::string place_in_words(const StackFrame& frame)
{
    return frame.file.empty() ? frame.function
                              : fmt::format("{} ({}:{})", frame.function, frame.file, frame.line);
}

JobTrace trace_of(const JobOptions& options, const JobMap& map, std::vector<RankProfile> profiles)
{
    JobTrace trace;
    for (const AppContext& app : options.apps)
        trace.program += fmt::format("{}{}", trace.program.empty() ? "" : " : ", fmt::join(app.argv, " "));
    for (const Node& node : map.nodes)
        trace.hosts.push_back(node.name);
    for (const RankPlacement& placement : map.ranks) {
        RankTrace& rank = trace.ranks.emplace_back();
        rank.rank = placement.rank;
        rank.node = placement.node;
    }
    for (RankProfile& profile : profiles) {
        RankTrace& rank = trace.ranks.at(static_cast<std::size_t>(profile.rank));
        rank.ended_ns = profile.ended_ns;
        rank.calls = std::move(profile.last_calls);
        rank.messages = std::move(profile.last_messages);
        rank.dropped_calls = profile.dropped_calls;
        rank.dropped_messages = profile.dropped_messages;
        for (const RankProfile::Communicator& communicator : profile.communicators)
            rank.communicators[communicator.context] = communicator.name;
        for (const StackFrame& frame : profile.callers)
            rank.callers.push_back(place_in_words(frame));
    }
    return trace;
}

}  // namespace

TraceFile::TraceFile(const JobOptions& options) : options_(options), file_("--trace", options.trace) {}

void TraceFile::write(const JobMap& map, std::vector<RankProfile> profiles,
                      const std::vector<ClockTrack>& clocks) const
{
    if (!file_.is_wanted())
        return;
    JobTrace trace = trace_of(options_, map, std::move(profiles));
    align(trace, clocks);
    const bool is_written = file_.write([&](std::ostream& out) {
        if (options_.trace.ends_with(".json"))
            write_trace_json(out, trace);
        else
            write_trace_page(out, trace);
    });
    if (is_written && trace.dropped() > 0 && !options_.quiet)
        base::say(
            fmt::format("tuttirun: {} lacks the oldest {} calls and messages; TUTTI_TRACE_EVENTS=N keeps the "
                        "last N of each rank\n",
                        options_.trace, trace.dropped()));
}

}  // namespace tutti::launcher
