// Whether a document is one of the Trace Event Format, as Perfetto reads it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/json.hpp"

namespace tutti::test {

/// What is wrong; empty: nothing.
class TraceCheck {
public:
    explicit TraceCheck(const Json& document)
    {
        if (!document.contains("traceEvents"))
            wrong("there is no list traceEvents", document);
        else
            for (const Json& event : document["traceEvents"].elements())
                check(event);
        for (const auto& [id, ends] : flows_)
            if (ends.first != 1 || ends.second != 1)
                problems.push_back("flow " + std::to_string(id) + " begins and ends not once");
        for (const auto& [line, time] : last_)
            if (!named_.contains(line))
                problems.push_back("a line without a name");
    }

    std::vector<std::string> problems;
    int calls = 0;
    int arrows = 0;
    int dropped = 0;

private:
    using Line = std::pair<std::int64_t, std::int64_t>;  // process and thread

    void wrong(const std::string& what, const Json& event)
    {
        problems.push_back(what + ": " + event.dump().substr(0, 200));
    }

    void check(const Json& event)
    {
        for (const char* const field : {"ph", "name", "pid", "tid"})
            if (!event.contains(field))
                return wrong(std::string("no ") + field, event);
        if (!event["pid"].is_integer() || !event["tid"].is_integer())
            return wrong("pid and tid are numbers", event);
        const std::string phase = event["ph"].text();
        const Line line{event["pid"].integer(), event["tid"].integer()};
        if (phase == "M") {
            if (event["name"] == "thread_name" && event["args"]["name"].is_string())
                named_.insert(line);
            return;
        }
        if (!event.contains("ts") || !event["ts"].is_number() || event["ts"].number() < 0)
            return wrong("no time", event);
        // In whole nanoseconds, as they are written.
        const std::int64_t time = to_ns(event["ts"].number());
        if (const auto before = last_.find(line); before != last_.end() && time < before->second)
            wrong("earlier than the one before it", event);
        last_[line] = time;
        std::vector<std::int64_t>& open = open_[line];
        while (!open.empty() && open.back() <= time && phase == "X")
            open.pop_back();
        if (phase == "X")
            check_complete(event, time, open);
        else if (phase == "s" || phase == "f")
            check_flow(event, phase == "s", time, line);
        else if (phase == "i")
            ++dropped;
        else
            wrong("another phase", event);
    }

    void check_complete(const Json& event, std::int64_t time, std::vector<std::int64_t>& open)
    {
        if (!event.contains("dur") || event["dur"].number() < 0 || !event["args"].is_object())
            return wrong("no duration or arguments", event);
        const std::int64_t end = time + to_ns(event["dur"].number());
        if (!open.empty() && end > open.back())
            wrong("ends after the one that it is in", event);
        if (event["cat"] != "message")
            ++calls;
        open.push_back(end);
        last_complete_[{event["pid"].integer(), event["tid"].integer()}] = {time, end};
    }

    void check_flow(const Json& event, bool begins, std::int64_t time, const Line& line)
    {
        if (!event.contains("id") || event["cat"] != "message")
            return wrong("no id", event);
        auto& [begun, ended] = flows_[event["id"].integer()];
        ++(begins ? begun : ended);
        arrows += begins ? 1 : 0;
        if (!begins && event["bp"] != "e")
            wrong("is not bound to the event around it", event);
        const auto around = last_complete_.find(line);
        if (around == last_complete_.end() || time < around->second.first)
            wrong("stands in no complete event", event);
    }

    static std::int64_t to_ns(double microseconds)
    {
        return static_cast<std::int64_t>(microseconds * 1000 + 0.5);
    }

    std::map<Line, std::int64_t> last_;
    std::map<Line, std::vector<std::int64_t>> open_;
    std::map<Line, std::pair<std::int64_t, std::int64_t>> last_complete_;
    std::map<std::int64_t, std::pair<int, int>> flows_;
    std::set<Line> named_;
};

}  // namespace tutti::test
