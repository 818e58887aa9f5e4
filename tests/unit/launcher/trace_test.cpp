// A timeline made of what ranks have recorded: clocks, arrows, and the files.
#include <algorithm>
#include <sstream>

#include <catch2/catch.hpp>

#include "launcher/profile/job_statistics.hpp"
#include "launcher/profile/trace_align.hpp"
#include "launcher/profile/trace_json.hpp"
#include "launcher/profile/trace_page.hpp"
#include "launcher/profile/trace_words.hpp"
#include "tests/json.hpp"
#include "tests/trace_format.hpp"
#include "tutti/status.hpp"

using namespace tutti::launcher;
using tutti::observe::CallWords;
using tutti::observe::CollectiveWord;
using tutti::observe::Operation;
using tutti::test::Json;
using tutti::test::TraceCheck;

namespace {

constexpr std::int64_t kMs = 1'000'000;

CallWords message_call(Operation operation, int peer, int tag, std::uint64_t bytes)
{
    return {0, CallWords::pack(peer, tag), CallWords::what_of(operation, bytes), 0};
}

CallWords allreduce(std::uint32_t number)
{
    constexpr std::uint8_t kAllreduce = 4;  // tutti::collectives::CallKind
    constexpr std::uint8_t kBoard = 2;      // in the list of its algorithms
    return {1, number, CallWords::what_of(Operation::collective, 4096),
            CollectiveWord::of(kAllreduce, false, kBoard).word};
}

/// Rank 0 sends `messages` to rank 1, each under way for 10 us; rank 1's clock is ahead by `ahead_ns`.
JobTrace two_ranks(int messages, std::int64_t ahead_ns = 0)
{
    JobTrace trace;
    trace.program = "a.out";
    trace.hosts = {"a", "b"};
    trace.ranks.resize(2);
    trace.ranks[1].rank = trace.ranks[1].node = 1;
    for (int i = 0; i < messages; ++i) {
        const std::int64_t at = (i + 1) * kMs;
        const auto number = static_cast<std::uint64_t>(i + 1);
        trace.ranks[0].calls.push_back({at - 1000, at + 1000, message_call(Operation::send, 1, 7, 64)});
        trace.ranks[0].messages.push_back({at, 1, 7, 0, 64, number, false});
        const std::int64_t comes = at + 10'000 + ahead_ns;
        trace.ranks[1].calls.push_back({comes - 500, comes + 500, message_call(Operation::recv, 0, 7, 64)});
        trace.ranks[1].messages.push_back({comes, 0, 7, 0, 64, number, true});
    }
    return trace;
}

Json json_of(const JobTrace& trace)
{
    std::ostringstream text;
    write_trace_json(text, trace);
    return Json(text.str());
}

/// Round trips to a clock that is ahead by `ahead_ns`; the way back takes as long as the way there.
ClockTrack clock_ahead(std::int64_t ahead_ns)
{
    ClockTrack track;
    for (const std::int64_t trip : {90'000, 20'000, 300'000})
        track.add({kMs, kMs + trip / 2 + ahead_ns, kMs + trip});
    return track;
}

}  // namespace

TEST_CASE("Of several readings of a clock the one with the shortest trip counts")
{
    ClockTrack track;
    track.add({1000, 501'000, 2000});        // ahead by 499,500, at most 500 off
    track.add({3000, 503'000 + 700, 3100});  // by 500,650, at most 50 off
    track.add({5000, 509'000, 9000});
    CHECK(track.size() == 1);
    CHECK(track.error_ns() == 50);
    CHECK(track.to_head(503'700) == 3050);
    CHECK(track.to_head(600'650) == 100'000);
    CHECK(ClockTrack().to_head(77) == 77);
}

TEST_CASE("Between readings a clock's offset changes evenly")
{
    ClockTrack track;
    const std::int64_t second = 1'000'000'000;
    track.add({0, 1'000'000, 0});
    track.add({10 * second, 10 * second + 3'000'000, 10 * second});  // 200 us a second fast
    REQUIRE(track.size() == 2);
    CHECK(track.to_head(5 * second + 2'000'000) == Approx(5.0 * second).margin(500));
    CHECK(track.to_head(20 * second) == 20 * second - 3'000'000);
    CHECK(track.to_head(0) == -1'000'000);
}

TEST_CASE("A long job's readings stay few, and the best ones stay")
{
    ClockTrack track;
    for (std::int64_t i = 0; i < 1000; ++i) {
        const std::int64_t at = i * ClockTrack::kWindowNs;
        const std::int64_t trip = i % 2 == 0 ? 100 : 5000;
        track.add({at, at + trip / 2 + 42, at + trip});
    }
    CHECK(track.size() <= ClockTrack::kMostReadings);
    CHECK(track.size() >= ClockTrack::kMostReadings / 2);
    CHECK(track.error_ns() == 50);
    CHECK(track.to_head(5'000'042) == 5'000'000);
}

TEST_CASE("Messages are paired by their number, and clocks of two hosts by their offset")
{
    JobTrace trace = two_ranks(3, 5000 * kMs);
    trace.ranks[1].messages.erase(trace.ranks[1].messages.begin());  // dropped
    align(trace, std::vector<ClockTrack>{{}, clock_ahead(5000 * kMs)});
    REQUIRE(trace.arrows.size() == 2);
    for (const TraceArrow& arrow : trace.arrows) {
        CHECK(arrow.from == 0);
        CHECK(arrow.to == 1);
        CHECK(arrow.arrived_ns - arrow.sent_ns == 10'000);
    }
    CHECK(trace.arrows[0].sent_ns == 2 * kMs);
    CHECK(trace.clock_error_ns == 10'000);
    CHECK(trace.most_shifted_ns == 0);
    CHECK(trace.arrived_before_sent == 0);
    CHECK(trace.begin_ns == kMs - 1000);
    CHECK(trace.end_ns == 3 * kMs + 10'500);
}

TEST_CASE("A host whose messages would arrive before they are sent is moved")
{
    JobTrace trace = two_ranks(3, -15'000);  // 5 us before they are sent
    align(trace, {});
    REQUIRE(trace.arrows.size() == 3);
    CHECK(trace.most_shifted_ns == 5000);
    CHECK(trace.arrived_before_sent == 0);
    CHECK(trace.arrows[1].arrived_ns == trace.arrows[1].sent_ns);
    CHECK(trace.ranks[1].calls[0].end_ns == kMs + 500);
}

TEST_CASE("Where no shift helps the error is reported")
{
    JobTrace trace = two_ranks(1, -15'000);
    trace.ranks[1].messages.push_back({2 * kMs, 0, 7, 0, 64, 1, false});
    trace.ranks[0].messages.push_back({2 * kMs - 3000, 1, 7, 0, 64, 1, true});
    align(trace, {});
    CHECK(trace.most_shifted_ns == 0);
    CHECK(trace.arrived_before_sent == 2);
    CHECK(trace.most_before_sent_ns == 5000);
    CHECK(notes_of(trace).back() ==
          "2 messages arrive before they are sent, by up to 6 us: times are no more exact than that");
}

TEST_CASE("Three hosts that follow each other are moved one after the other")
{
    JobTrace trace;
    trace.hosts = {"a", "b", "c"};
    trace.ranks.resize(3);
    for (int i = 0; i < 3; ++i)
        trace.ranks[static_cast<std::size_t>(i)].rank = trace.ranks[static_cast<std::size_t>(i)].node = i;
    trace.ranks[0].messages.push_back({10'000, 1, 0, 0, 8, 1, false});
    trace.ranks[1].messages.push_back({6000, 0, 0, 0, 8, 1, true});
    trace.ranks[1].messages.push_back({7000, 2, 0, 0, 8, 1, false});
    trace.ranks[2].messages.push_back({5000, 1, 0, 0, 8, 1, true});
    align(trace, {});
    CHECK(trace.most_shifted_ns == 6000);
    CHECK(trace.arrived_before_sent == 0);
    CHECK(trace.ranks[2].messages[0].time_ns == 11'000);
}

TEST_CASE("The document of a trace holds its format, and an arrow a message")
{
    JobTrace trace = two_ranks(5);
    trace.ranks[0].callers = {"solve (solver.cpp:12)"};
    trace.ranks[0].calls.push_back({9 * kMs, 9 * kMs - 1, allreduce(412), 1});
    trace.ranks[0].ended_ns = 12 * kMs;
    trace.ranks[1].messages.push_back({8 * kMs, 0, 9, 0, 8, 1, false, 1});  // outside of any call
    trace.ranks[0].messages.push_back({8 * kMs + 100, 1, 9, 0, 8, 1, true, 2});
    trace.ranks[1].messages[0].protocol = 4;
    trace.ranks[1].messages[1].protocol = 200;
    align(trace, {});
    const Json document = json_of(trace);
    const TraceCheck check(document);
    CHECK(check.problems == std::vector<std::string>());
    CHECK(check.calls == 11);
    CHECK(check.arrows == 6);
    CHECK(check.dropped == 0);
    CHECK(document["otherData"]["arrows"] == 6);
    CHECK(document["otherData"]["calls"] == 11);
    // The sender's word is believed first, then the receiver's, if it is one.
    std::vector<std::string> protocols;
    for (const Json& event : document["traceEvents"].elements())
        if (event["ph"] == "f")
            protocols.push_back(event["args"]["protocol"].text());
    CHECK(protocols == std::vector<std::string>{"inject", "pull", "eager", "eager", "eager", "eager"});
    std::map<std::string, Json> events;
    for (const Json& event : document["traceEvents"].elements())
        if (event["ph"] == "X")
            events.insert_or_assign(event["name"].text(), event);
    const auto by_name = [&events](const char* name) { return events.at(name); };
    CHECK(by_name("send")["args"] == Json(R"({"communicator": "world", "peer": 1, "tag": 7, "bytes": 64})"));
    CHECK(by_name("send")["dur"] == 2.0);
    CHECK(by_name("send")["tid"] == 0);
    CHECK(by_name("recv")["cat"] == "receive");
    CHECK(by_name("allreduce")["args"]["number"] == 412);
    CHECK(by_name("allreduce")["args"]["algorithm"] == "board");
    CHECK(by_name("allreduce")["args"]["caller"] == "solve (solver.cpp:12)");
    CHECK(by_name("allreduce")["args"]["unfinished"] == true);
    CHECK(by_name("allreduce")["dur"] == 3000.0);
    CHECK(by_name("departure")["args"]["to"] == 0);
}

TEST_CASE("Calls of several threads have lines of their own")
{
    JobTrace trace;
    trace.hosts = {"a"};
    trace.ranks.resize(1);
    trace.ranks[0].rank = 3;
    trace.ranks[0].calls = {{1000, 5000, message_call(Operation::recv, tutti::any_source, tutti::any_tag, 0)},
                            {2000, 9000, message_call(Operation::send, 1, 0, 8), 0, 1}};
    align(trace, {});
    const Json document = json_of(trace);
    CHECK(TraceCheck(document).problems == std::vector<std::string>());
    std::vector<std::string> lines;
    for (const Json& event : document["traceEvents"].elements()) {
        if (event["name"] == "thread_name")
            lines.push_back(event["args"]["name"].text());
        if (event["name"] == "recv") {
            CHECK(event["args"]["peer"] == "any");
            CHECK(event["args"]["tag"] == "any");
        }
    }
    CHECK(lines == std::vector<std::string>{"rank 3", "rank 3, thread 1"});
}

TEST_CASE("A trace without events is a valid one")
{
    JobTrace trace;
    CHECK(TraceCheck(json_of(trace)).problems == std::vector<std::string>());
    trace.hosts = {"a"};
    trace.ranks.resize(1);
    align(trace, {});
    const Json document = json_of(trace);
    CHECK(TraceCheck(document).problems == std::vector<std::string>());
    CHECK(document["otherData"]["calls"] == 0);
}

TEST_CASE("What was dropped is reported in the document and in the page")
{
    JobTrace trace = two_ranks(1);
    trace.ranks[1].dropped_calls = 1234;
    trace.ranks[1].dropped_messages = 5;
    align(trace, {});
    const Json document = json_of(trace);
    const TraceCheck check(document);
    CHECK(check.problems == std::vector<std::string>());
    CHECK(check.dropped == 1);
    CHECK(document["otherData"]["dropped"] == 1239);
    std::ostringstream page;
    write_trace_page(page, trace);
    CHECK(page.str().find("rank 1: 1234 older calls and 5 older messages were dropped") != std::string::npos);
}

TEST_CASE("Names of hosts, programs and communicators may hold anything")
{
    const std::string odd = "a\"b\\c</script><b>\n\xff\x01";
    JobTrace trace = two_ranks(1);
    trace.program = odd;
    trace.hosts[1] = odd;
    trace.ranks[0].communicators[0] = odd;
    align(trace, {});
    const Json document = json_of(trace);
    CHECK(TraceCheck(document).problems == std::vector<std::string>());
    CHECK(document["otherData"]["program"] == "a\"b\\c</script><b>\n\xef\xbf\xbd\x01");
    std::ostringstream text;
    write_trace_page(text, trace);
    const std::string page = text.str();
    std::size_t ends = 0;
    for (std::size_t at = page.find("</script>"); at != std::string::npos;
         at = page.find("</script>", at + 1))
        ++ends;
    CHECK(ends == 2);  // of the data and of the script
    CHECK(page.find("<b>") == std::string::npos);
}

TEST_CASE("The page has a row a rank and all that its script reads")
{
    JobTrace trace = two_ranks(4);
    align(trace, {});
    std::ostringstream text;
    write_trace_page(text, trace);
    const std::string page = text.str();
    CHECK(page.find("http") == std::string::npos);  // no network
    const std::string open = "<script id=\"trace\" type=\"application/json\">";
    const std::size_t begin = page.find(open) + open.size();
    const Json data = Json(page.substr(begin, page.find("</script>", begin) - begin));
    REQUIRE(data["rows"].size() == 2);
    CHECK(data["rows"][1]["line"] == "rank 1");
    CHECK(data["rows"][0]["calls"].size() == 4 * 8);
    REQUIRE(data["arrows"].size() == 4 * 8);
    CHECK(data["protocols"][static_cast<std::size_t>(data["arrows"][7].integer())] == "eager");
    CHECK(data["span"] == trace.end_ns - trace.begin_ns);
    CHECK(data["names"][0] == Json(R"(["send", 0, "", true, true, false])"));
    CHECK(page.find(" messages of 2 ranks on 2 hosts, in " +
                    short_time(static_cast<double>(trace.end_ns - trace.begin_ns) / 1e9) + ".</p>") !=
          std::string::npos);
}

TEST_CASE("Calls of windows have a target, and no tag")
{
    JobTrace trace = two_ranks(4);
    CallWords put = message_call(Operation::window_call, 1, 0, 8);
    put.signature = static_cast<std::uint64_t>(tutti::observe::WindowCall::put);
    trace.ranks[0].calls = {{1000, 5000, put}};
    align(trace, {});
    const Json document = json_of(trace);
    const std::vector<Json> puts = those_with(document["traceEvents"], R"({"name": "put"})");
    REQUIRE(puts.size() == 1);
    const Json found = puts.front();
    CHECK(found["cat"] == "wait");
    CHECK(found["args"]["peer"] == 1);
    CHECK(found["args"]["bytes"] == 8);
    CHECK_FALSE(found["args"].contains("tag"));
    std::ostringstream page;
    write_trace_page(page, trace);
    CHECK(page.str().find(R"(["put",3,"",true,false,false])") != std::string::npos);
}
