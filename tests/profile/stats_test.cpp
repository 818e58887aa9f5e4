// tuttirun --stats: numbers of programs whose calls and messages are known.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/multiprocess/launched.hpp"

using namespace tutti::test;
using nlohmann::json;

namespace {

std::string program_of(const char* variable)
{
    return std::getenv(variable);
}

/// Runs the case with its statistics in a file of this ending, and takes its text.
std::string stats_file(const std::string& ending, int status, std::vector<std::string> job)
{
    const std::string file =
        std::string(std::getenv("TUTTI_TEST_FOLDER")) + "/stats-" + std::to_string(::getpid()) + ending;
    job.insert(job.begin(), "--stats=" + file);
    const Result result = tuttirun(job);
    CAPTURE(result.err);
    CHECK(result.status == status);
    std::string text = file_text(file);
    std::filesystem::remove(file);
    return text;
}

json stats_of(int status, const std::vector<std::string>& job)
{
    return json::parse(stats_file(".json", status, job));
}

/// The entries that have these values.
std::vector<json> those_with(const json& list, const json& values)
{
    std::vector<json> found;
    for (const json& entry : list)
        if (std::all_of(values.items().begin(), values.items().end(),
                        [&](const auto& value) { return entry.at(value.key()) == value.value(); }))
            found.push_back(entry);
    return found;
}

json only(const json& list, const json& values)
{
    const std::vector<json> found = those_with(list, values);
    CAPTURE(list.dump(1), values.dump());
    REQUIRE(found.size() == 1);
    return found.front();
}

}  // namespace

TEST_CASE("calls, bytes and messages are counted, with their sizes, peers and lines")
{
    const json stats = stats_of(0, {"-n", "3", program_of("TUTTI_TEST_COUNTED"), "exchange"});
    CHECK(stats["ranks"] == 3);
    CHECK(stats["by_rank"].size() == 3);
    CHECK(stats["left_out_calls"] == 0);
    for (const char* const name : {"send", "irecv"}) {
        const json calls = only(stats["operations"], {{"operation", name}});
        CHECK(calls["calls"] == 60);
        CHECK(calls["bytes"] == 120000);
        CHECK(calls["from_bytes"] == 1024);
        CHECK(calls["communicator"] == "world");
        CHECK(calls["least_seconds"] <= calls["most_seconds"]);
        CHECK(calls["waiting_seconds"] <= calls["seconds"]);
    }
    for (int rank = 0; rank < 3; ++rank) {
        const json pair = only(stats["messages"], {{"from", rank}, {"to", (rank + 1) % 3}});
        CHECK(pair["messages"] == 20);
        CHECK(pair["bytes"] == 40000);
        CHECK(
            those_with(stats["messages"], {{"from", rank}, {"to", (rank + 2) % 3}, {"messages", 0}}).size() ==
            those_with(stats["messages"], {{"from", rank}, {"to", (rank + 2) % 3}}).size());
    }
#ifdef __x86_64__
    int told = 0;
    for (const json& line : stats["lines"]) {
        const std::string place = line["place"];
        CAPTURE(place);
        CHECK(contains(place, "counted.cpp:"));
        if (place.starts_with("exchange at counted.cpp:"))
            told += line["calls"].get<int>();
    }
    const json waits = those_with(stats["operations"], {{"operation", "wait for a receive"}});
    CHECK(told == 120 + (waits.empty() ? 0 : waits[0]["calls"].get<int>()));
#endif
}

TEST_CASE("collectives are told by their kind and algorithm")
{
    const json stats =
        stats_of(0, {"-n", "2", "-x", "TUTTI_ALLREDUCE=ring", program_of("TUTTI_TEST_COUNTED"), "reduce"});
    const json calls = only(stats["operations"], {{"operation", "allreduce"}});
    CHECK(calls["calls"] == 40);
    CHECK(calls["bytes"] == 32000);
    CHECK(calls["from_bytes"] == 512);
    const json choice = only(stats["algorithms"], {{"collective", "allreduce"}});
    CHECK(choice["algorithm"] == "ring");
    CHECK(choice["calls"] == 40);
    const json pair = only(stats["messages"], {{"from", 0}, {"to", 1}});
    CHECK(pair["messages"] == 0);
    CHECK(pair["collective_messages"] >= 40);
    CHECK(pair["collective_bytes"] >= 16000);
}

TEST_CASE("the rank for which all wait is named")
{
    const std::vector<std::string> job = {"-n", "3", program_of("TUTTI_TEST_COUNTED"), "slow"};
    const json stats = stats_of(0, job);
    CHECK(stats["slow_rank"] == 1);
    CHECK(stats["imbalance"].get<double>() > 1.2);
    CHECK(stats["seconds"].get<double>() > 0.99);
    for (const json& rank : stats["by_rank"]) {
        const bool slow = rank["rank"] == 1;
        CHECK((rank["computing_seconds"].get<double>() > 0.99) == slow);
        CHECK((rank["waiting_seconds"].get<double>() < 0.5) == slow);
    }
    CHECK(only(stats["operations"], {{"operation", "barrier"}})["calls"] == 3);

    std::vector<std::string> to_terminal = job;
    to_terminal.insert(to_terminal.begin(), "--stats");
    const Result result = tuttirun(to_terminal);
    CAPTURE(result.err);
    CHECK(result.status == 0);
    CHECK(contains(result.err, "tuttirun: statistics: 3 ranks, "));
    CHECK(contains(result.err, "  the others wait for rank 1 (on "));
    CHECK(contains(result.err, "  barrier, on world: "));
    CHECK(contains(result.err, "  imbalance "));
    CHECK(lines_of(result.err).size() <= 22);
}

TEST_CASE("a rank that dies leaves its numbers")
{
    const json stats = stats_of(128 + SIGKILL, {"-n", "2", program_of("TUTTI_TEST_COUNTED"), "dies"});
    REQUIRE(stats["by_rank"].size() == 2);
    CHECK(stats["by_rank"][1]["left"] == false);
    CHECK(stats["by_rank"][1]["seconds"].get<double>() > 0.19);
    CHECK(stats["by_rank"][1]["computing_seconds"].get<double>() > 0.19);
    const json calls = only(stats["operations"], {{"operation", "recv"}, {"from_bytes", 4}});
    CHECK(calls["calls"] == 1);
    CHECK(calls["waiting_seconds"].get<double>() > 0.1);
}

TEST_CASE("several threads of a rank may be in calls")
{
    const json stats = stats_of(0, {"-n", "2", program_of("TUTTI_TEST_COUNTED"), "threads"});
    CHECK(only(stats["operations"], {{"operation", "send"}})["calls"] == 40);
}

TEST_CASE("MPI programs have the names of their communicators and their own lines")
{
    const json stats = stats_of(0, {"-n", "2", program_of("TUTTI_TEST_COUNTED_MPI")});
    const json calls = only(stats["operations"], {{"operation", "send"}});
    CHECK(calls["calls"] == 20);
    CHECK(calls["bytes"] == 60000);
    CHECK(calls["communicator"] == "\"rows\"");
    CHECK(only(stats["operations"], {{"operation", "allreduce"}})["communicator"] == "\"rows\"");
#ifdef __x86_64__
    CHECK(std::any_of(stats["lines"].begin(), stats["lines"].end(), [](const json& line) {
        return line["place"] == "exchange at counted_mpi.c:14" && line["calls"] == 20;
    }));
#endif
}

TEST_CASE("the page needs nothing from elsewhere")
{
    const std::string page =
        stats_file(".html", 0, {"-n", "3", program_of("TUTTI_TEST_COUNTED"), "exchange"});
    CHECK(contains(page, "<!DOCTYPE html>"));
    CHECK(page.ends_with("</html>\n"));
    CHECK(contains(page, "Who sends how much to whom"));
    CHECK(contains(page, "0 to 1: 39.06 KiB, 20 messages"));
    for (const char* const elsewhere : {"http:", "https:", "src=", "href=", "<script"})
        CHECK_FALSE(contains(page, elsewhere));
}

TEST_CASE("files that cannot be, and programs that do not join")
{
    const Result unwritable = tuttirun({"--stats=/no/such/folder/stats.json", "-n", "1", "true"});
    CHECK(unwritable.status == 2);
    CHECK(contains(unwritable.err, "--stats: cannot write /no/such/folder/stats.json: No such file"));
    const Result other = tuttirun({"--stats=stats.txt", "-n", "1", "true"});
    CHECK(other.status == 2);
    CHECK(contains(other.err, "must end in .json or .html"));
    const Result none = tuttirun({"--stats", "-n", "1", "true"});
    CHECK(none.status == 0);
    CHECK(none.err == "tuttirun: statistics: no rank has joined the job, so there are none\n");
}
