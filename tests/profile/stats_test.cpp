// tuttirun --stats: numbers of programs whose calls and messages are known.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "tests/json.hpp"
#include "tests/multiprocess/launched.hpp"

using namespace tutti::test;

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

Json stats_of(int status, const std::vector<std::string>& job)
{
    return Json(stats_file(".json", status, job));
}

Json only(const Json& list, const std::string& members)
{
    const std::vector<Json> found = those_with(list, members);
    CAPTURE(list, members);
    REQUIRE(found.size() == 1);
    return found.front();
}

Json operation(const Json& stats, const std::string& name)
{
    return only(stats["operations"], R"({"operation": ")" + name + "\"}");
}

Json between(const Json& stats, int from, int to)
{
    return only(stats["messages"], fmt::format(R"({{"from": {}, "to": {}}})", from, to));
}

}  // namespace

TEST_CASE("calls, bytes and messages are counted, with their sizes, peers and lines")
{
    const Json stats = stats_of(0, {"-n", "3", program_of("TUTTI_TEST_COUNTED"), "exchange"});
    CHECK(stats["ranks"] == 3);
    CHECK(stats["by_rank"].size() == 3);
    CHECK(stats["left_out_calls"] == 0);
    for (const char* const name : {"send", "irecv"}) {
        const Json calls = operation(stats, name);
        CHECK(calls["calls"] == 60);
        CHECK(calls["bytes"] == 120000);
        CHECK(calls["from_bytes"] == 1024);
        CHECK(calls["communicator"] == "world");
        CHECK(calls["least_seconds"].number() <= calls["most_seconds"].number());
        CHECK(calls["waiting_seconds"].number() <= calls["seconds"].number());
    }
    for (int rank = 0; rank < 3; ++rank) {
        const Json pair = between(stats, rank, (rank + 1) % 3);
        CHECK(pair["messages"] == 20);
        CHECK(pair["bytes"] == 40000);
        const std::string back = fmt::format(R"("from": {}, "to": {})", rank, (rank + 2) % 3);
        CHECK(those_with(stats["messages"], "{" + back + R"(, "messages": 0})").size() ==
              those_with(stats["messages"], "{" + back + "}").size());
    }
#ifdef __x86_64__
    int reported = 0;
    for (const Json& line : stats["lines"].elements()) {
        const std::string place = line["place"].text();
        CAPTURE(place);
        CHECK(contains(place, "counted.cpp:"));
        if (place.starts_with("exchange at counted.cpp:"))
            reported += line["calls"].integer();
    }
    const std::vector<Json> waits = those_with(stats["operations"], R"({"operation": "wait for a receive"})");
    CHECK(reported == 120 + (waits.empty() ? 0 : waits[0]["calls"].integer()));
#endif
}

TEST_CASE("collectives are reported by their kind and algorithm")
{
    const Json stats =
        stats_of(0, {"-n", "2", "-x", "TUTTI_ALLREDUCE=ring", program_of("TUTTI_TEST_COUNTED"), "reduce"});
    const Json calls = operation(stats, "allreduce");
    CHECK(calls["calls"] == 40);
    CHECK(calls["bytes"] == 32000);
    CHECK(calls["from_bytes"] == 512);
    const Json choice = only(stats["algorithms"], R"({"collective": "allreduce"})");
    CHECK(choice["algorithm"] == "ring");
    CHECK(choice["calls"] == 40);
    const Json pair = between(stats, 0, 1);
    CHECK(pair["messages"] == 0);
    CHECK(pair["collective_messages"].integer() >= 40);
    CHECK(pair["collective_bytes"].integer() >= 16000);
}

TEST_CASE("what ranks write to a file is counted as theirs, and what the kernel takes beside it")
{
    const bool has_threads = GENERATE(false, true);
    CAPTURE(has_threads);
    const Json stats = stats_of(
        0, {"-n", "2", program_of("TUTTI_TEST_COUNTED"), has_threads ? "file_threads" : "file", "1000"});
    const auto sum = [&](const std::string& name, const std::string& member) {
        std::int64_t all = 0;
        for (const Json& calls :
             those_with(stats["operations"], fmt::format(R"({{"operation": "{}"}})", name))) {
            CHECK(calls["communicator"] == "file counted-file");
            all += calls[member].integer();
        }
        return all;
    };
    CHECK(sum("write_all", "calls") == 2);
    CHECK(sum("write_all", "bytes") == 20000);
    CHECK(sum("request to write a file", "bytes") == 2000);
    // The collective's data go by the ranks themselves, or by their threads for files.
    CHECK(sum("write of a file", "bytes") == (has_threads ? 0 : 20000));
    CHECK(sum("write of a file by tutti-files", "bytes") == (has_threads ? 22000 : 2000));
}

TEST_CASE("the rank for which all wait is named")
{
    const std::vector<std::string> job = {"-n", "3", program_of("TUTTI_TEST_COUNTED"), "slow"};
    const Json stats = stats_of(0, job);
    CHECK(stats["slow_rank"] == 1);
    CHECK(stats["imbalance"].number() > 1.2);
    CHECK(stats["seconds"].number() > 0.99);
    for (const Json& rank : stats["by_rank"].elements()) {
        const bool slow = rank["rank"] == 1;
        CHECK((rank["computing_seconds"].number() > 0.99) == slow);
        CHECK((rank["waiting_seconds"].number() < 0.5) == slow);
    }
    CHECK(operation(stats, "barrier")["calls"] == 3);

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
    const Json stats = stats_of(128 + SIGKILL, {"-n", "2", program_of("TUTTI_TEST_COUNTED"), "dies"});
    REQUIRE(stats["by_rank"].size() == 2);
    CHECK(stats["by_rank"][1]["left"] == false);
    CHECK(stats["by_rank"][1]["seconds"].number() > 0.19);
    CHECK(stats["by_rank"][1]["computing_seconds"].number() > 0.19);
    const Json calls = only(stats["operations"], R"({"operation": "recv", "from_bytes": 4})");
    CHECK(calls["calls"] == 1);
    CHECK(calls["waiting_seconds"].number() > 0.1);
}

TEST_CASE("several threads of a rank may be in calls")
{
    const Json stats = stats_of(0, {"-n", "2", program_of("TUTTI_TEST_COUNTED"), "threads"});
    CHECK(operation(stats, "send")["calls"] == 40);
}

TEST_CASE("MPI programs have the names of their communicators and their own lines")
{
    const Json stats = stats_of(0, {"-n", "2", program_of("TUTTI_TEST_COUNTED_MPI")});
    const Json calls = operation(stats, "send");
    CHECK(calls["calls"] == 20);
    CHECK(calls["bytes"] == 60000);
    CHECK(calls["communicator"] == "\"rows\"");
    CHECK(operation(stats, "allreduce")["communicator"] == "\"rows\"");
#ifdef __x86_64__
    CHECK(those_with(stats["lines"], R"({"place": "exchange at counted_mpi.c:14", "calls": 20})").size() == 1);
#endif
}

TEST_CASE("a long message of a rank to itself is read in place")
{
    const Json stats = stats_of(0, {"-n", "1", program_of("TUTTI_TEST_COUNTED"), "own", "100000"});
    const std::vector<Json> in_place = those_with(stats["protocols"], R"({"protocol": "read_in_place"})");
    REQUIRE(in_place.size() == 1);
    CHECK(in_place.front()["messages"] == 20);
    CHECK(in_place.front()["bytes"] == 20 * 100000);
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
