// tuttirun --trace: timelines of programs whose calls and messages are known.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include <catch2/catch.hpp>

#include "tests/multiprocess/on_hosts.hpp"
#include "tests/trace_format.hpp"

using namespace tutti::test;

namespace {

std::string counted()
{
    return std::getenv("TUTTI_TEST_COUNTED");
}

std::string trace_name(const std::string& ending)
{
    return std::string(std::getenv("TUTTI_TEST_FOLDER")) + "/trace-" + std::to_string(::getpid()) + ending;
}

std::string taken(const std::string& file)
{
    std::string text = file_text(file);
    std::filesystem::remove(file);
    return text;
}

Json trace_of(int status, Words job, std::string* err = nullptr)
{
    const std::string file = trace_name(".json");
    job.insert(job.begin(), {"--trace", file});
    const Result result = tuttirun(job);
    CAPTURE(result.err);
    CHECK(result.status == status);
    if (err != nullptr)
        *err = result.err;
    const Json document = Json(taken(file));
    CHECK(TraceCheck(document).problems == Words());
    return document;
}

bool at_work(pid_t process)
{
    const std::string status = file_text("/proc/" + std::to_string(process) + "/stat");
    const std::size_t name = status.rfind(") ");
    return name != std::string::npos && status[name + 2] != 'Z';
}

std::size_t count_of(const Json& document, const std::string& members)
{
    return those_with(document["traceEvents"], members).size();
}

/// Beginnings ("s") or ends ("f") of messages of so many bytes, by whatever protocol they went.
std::size_t messages_in(const Json& document, const std::string& phase, int bytes)
{
    std::size_t count = 0;
    for (const Json& event : those_with(document["traceEvents"], R"({"ph": ")" + phase + R"("})"))
        count += event["args"]["bytes"] == bytes ? 1 : 0;
    return count;
}

}  // namespace

TEST_CASE("a timeline has every call, and an arrow for every message")
{
    const Json document = trace_of(0, {"-n", "3", counted(), "exchange"});
    CHECK(count_of(document, R"({"ph": "X", "name": "send"})") == 60);
    CHECK(count_of(document, R"({"ph": "X", "name": "irecv"})") == 60);
    CHECK(count_of(document, R"({"ph": "X", "name": "wait for a receive"})") <= 60);
    CHECK(messages_in(document, "s", 2000) == 60);
    CHECK(messages_in(document, "f", 2000) == 60);
    CHECK(count_of(document, R"({"name": "thread_name"})") == 3);
    CHECK(document["otherData"]["dropped"] == 0);
    const std::vector<Json> sends = those_with(document["traceEvents"], R"({"name": "send"})");
    REQUIRE(!sends.empty());
    const Json send = sends.front();
    CHECK(send["args"]["bytes"] == 2000);
    CHECK(send["args"]["tag"] == 7);
    CHECK(send["args"]["communicator"] == "world");
}

TEST_CASE("no message arrives before it is sent on the clock of one host")
{
    const Json document = trace_of(0, {"-n", "2", counted(), "pings"});
    CHECK(messages_in(document, "s", 4) == 5000);
    CHECK(document["otherData"]["arrived_before_sent"] == 0);
    CHECK(document["otherData"]["most_before_sent_us"] == 0.0);
}

TEST_CASE("collectives have their number and algorithm")
{
    const Json document =
        trace_of(0, {"-n", "2", "-x", "TUTTI_ALLREDUCE=recursive_doubling", counted(), "reduce"});
    CHECK(count_of(document, R"({"ph": "X", "name": "allreduce"})") == 40);
    for (const Json& event : document["traceEvents"].elements())
        if (event["name"] == "allreduce")
            CHECK(event["args"]["algorithm"] == "recursive_doubling");
}

TEST_CASE("the oldest events are dropped and told")
{
    std::string err;
    const Json document =
        trace_of(0, {"-n", "2", "-x", "TUTTI_TRACE_EVENTS=10", counted(), "exchange"}, &err);
    CHECK(TraceCheck(document).dropped == 2);
    CHECK(count_of(document, R"({"ph": "X", "name": "send"})") <= 20);
    CHECK(document["otherData"]["dropped"].integer() > 100);
    CHECK(contains(err, "lacks the oldest"));
    CHECK(contains(err, "TUTTI_TRACE_EVENTS=N"));
}

TEST_CASE("a large timeline takes little memory of the daemon")
{
    const std::string file = trace_name(".json");
    Launched job(tuttirun_command(
                     {"--trace", file, "-n", "2", "-x", "TUTTI_TRACE_EVENTS=16777216", counted(), "many"}),
                 4 * kHungAfter);
    pid_t daemon = -1;
    while (daemon < 0)
        for (const pid_t pid : job.processes())
            if (file_text("/proc/" + std::to_string(pid) + "/comm") == "tuttirun-daemon\n")
                daemon = pid;
    // Of its own: not of what it maps.
    long most_kib = 0;
    for (; at_work(daemon); ::usleep(2000)) {
        const std::string status = file_text("/proc/" + std::to_string(daemon) + "/status");
        if (const std::size_t at = status.find("RssAnon:"); at != std::string::npos)
            most_kib = std::max(most_kib, std::atol(status.c_str() + at + 8));
    }
    const Result result = job.wait();
    CAPTURE(result.err);
    CHECK(result.status == 0);
    CHECK(most_kib > 0);
    if (!kSanitized)
        CHECK(most_kib < 24 << 10);  // there are some 40 MiB of events
    const std::string text = taken(file);
    std::size_t sends = 0;
    for (std::size_t at = 0; (at = text.find(R"("name":"send")", at)) != std::string::npos; ++at)
        ++sends;
    CHECK(sends == 200'000);
}

TEST_CASE("a rank that dies leaves a whole timeline")
{
    const Json document = trace_of(128 + SIGKILL, {"-n", "2", counted(), "dies"});
    CHECK(count_of(document, R"({"ph": "X", "name": "send", "tid": 0})") == 1);
    CHECK(count_of(document, R"({"ph": "X", "name": "recv", "tid": 1})") == 1);
}

TEST_CASE("calls that have not ended last to the end")
{
    const Json document = trace_of(124, {"--timeout", "1", "-n", "2", counted(), "waits"});
    REQUIRE(count_of(document, R"({"ph": "X", "name": "recv"})") == 2);
    for (const Json& event : document["traceEvents"].elements())
        if (event["name"] == "recv")
            CHECK(event["args"]["unfinished"] == true);
}

TEST_CASE("so does a job that the user ends, and one of another program")
{
    const std::string file = trace_name(".json");
    Words words = {"--trace", file};
    const Words rest = script(2, kReadyForEver);
    words.insert(words.end(), rest.begin(), rest.end());
    Launched job(tuttirun_command(words));
    REQUIRE(job.wait_for_output("ready\nready\n"));
    job.signal(SIGINT);
    CHECK(job.wait().status == 128 + SIGINT);
    const TraceCheck check(Json(taken(file)));
    CHECK(check.problems == Words());
    CHECK(check.calls == 0);
}

TEST_CASE("clocks of several hosts are aligned")
{
    const Json document = trace_of(0, on_hosts({1, 1}, {counted(), "exchange"}));
    CHECK(messages_in(document, "s", 2000) == 40);
    CHECK(count_of(document, R"({"name": "process_name"})") == 2);
    CHECK(document["otherData"]["arrived_before_sent"] == 0);
    CHECK(document["otherData"]["clock_error_us"].number() > 0);
    CHECK(document["otherData"]["clock_error_us"].number() < 1e6);
}

TEST_CASE("a host's clock may be an hour ahead")
{
    if (::system("unshare --time --fork --monotonic 3600 true 2> /dev/null") != 0) {
        WARN("no time namespaces here");
        return;
    }
    ::setenv("TEST_AGENT_SCRIPT",
             "host=$1; shift; case $host in\n"
             "*1) exec unshare --time --fork --monotonic 3600 sh -c \"$*\";;\n"
             "*) exec sh -c \"$*\";; esac",
             1);
    Words words = on_hosts({1, 1}, {counted(), "exchange"});
    std::string& agent = words[3];
    agent = agent.substr(0, agent.rfind("/agent\"")) + "/scripted\"";
    const Json document = trace_of(0, words);
    ::unsetenv("TEST_AGENT_SCRIPT");
    CHECK(messages_in(document, "s", 2000) == 40);
    for (const Json& event : document["traceEvents"].elements())
        if (event.contains("ts"))
            CHECK(event["ts"].number() < 60e6);
}

TEST_CASE("the page is whole")
{
    const std::string file = trace_name(".html");
    CHECK(tuttirun({"--trace", file, "-n", "2", counted(), "exchange"}).status == 0);
    const std::string page = taken(file);
    CHECK(page.starts_with("<!DOCTYPE html>"));
    CHECK(page.ends_with("</html>\n"));
}

TEST_CASE("a file that cannot be written, or has another ending, is an error before the job starts")
{
    const Result nowhere = tuttirun({"--trace", "/nonexistent/t.json", "-n", "2", "echo", "started"});
    CHECK(nowhere.status == 2);
    CHECK(nowhere.out == "");
    CHECK(contains(nowhere.err, "--trace: cannot write /nonexistent/t.json: No such file or directory"));
    const Result ending = tuttirun({"--trace", "t.jsn", "-n", "2", "echo", "started"});
    CHECK(ending.status == 2);
    CHECK(ending.out == "");
    CHECK(contains(ending.err, "json"));
    CHECK(contains(ending.err, "did you mean"));
}
