// What tutti-info --explain says of a call, and what --trace shows of a job that makes it.
#include <unistd.h>

#include <cstdlib>

#include <catch2/catch.hpp>

#include "tests/json.hpp"
#include "tests/multiprocess/on_hosts.hpp"

using namespace tutti::test;

namespace {

/// A job as `words` say, and a case of the program `counted`.
Json trace_of(Words words, const std::string& what, int bytes)
{
    const std::string file = std::string(std::getenv("TUTTI_TEST_FOLDER")) + "/explained-" +
                             std::to_string(::getpid()) + ".json";
    // On any machine, as if each rank had a core.
    words.insert(words.begin(), {"--trace", file, "-x", "TUTTI_SHARED_CORES=0"});
    words.insert(words.end(), {std::getenv("TUTTI_TEST_COUNTED"), what, std::to_string(bytes)});
    const Result result = tuttirun(words);
    CAPTURE(result.err);
    REQUIRE(result.status == 0);
    Json document(file_text(file));
    std::filesystem::remove(file);
    return document;
}

Json explained(Words words)
{
    words.insert(words.begin(), {std::getenv("TUTTI_TEST_INFO"), "--json", "--explain"});
    Launched info(words);
    return Json(info.wait().out);
}

}  // namespace

TEST_CASE("a message goes by the protocol that is explained, or by one of two that timings choose from")
{
    struct Case {
        std::string transport;
        std::string memory;
        int bytes;
    };
    const auto message = GENERATE(values<Case>({{"shm", "any memory", 0},
                                                {"shm", "any memory", 8},
                                                {"shm", "any memory", 4 << 10},
                                                {"shm", "any memory", 64 << 10},
                                                {"shm", "any memory", 1 << 20},
                                                {"shm", "memory that both map", 512},
                                                {"shm", "memory that both map", 64 << 10},
                                                {"tcp", "any memory", 8},
                                                {"tcp", "any memory", 4 << 10},
                                                {"tcp", "any memory", 64 << 10},
                                                {"tcp", "any memory", 1 << 20}}));
    CAPTURE(message.transport, message.memory, message.bytes);
    const std::vector<Json> reported =
        those_with(explained({"send", "--ranks", "2", "--bytes", std::to_string(message.bytes)})["sends"],
                   R"({"transport": ")" + message.transport + R"(", "message": ")" + message.memory + "\"}");
    REQUIRE(reported.size() == 1);

    Words job = message.transport == "shm" ? Words{"-n", "2"} : on_hosts({1, 1}, {});
    job.insert(job.begin(), {"--heap", message.memory == "any memory" ? "off" : "on"});
    const Json trace = trace_of(job, "send", message.bytes);
    std::vector<Json> sent = those_with(trace["traceEvents"], R"({"ph": "s", "tid": 0})");
    std::erase_if(sent, [&](const Json& event) { return event["args"]["bytes"] != message.bytes; });
    REQUIRE(sent.size() >= 20);
    // The first one connects the ranks, which takes a request.
    for (std::size_t i = 1; i < sent.size(); ++i) {
        const std::string protocol = sent[i]["args"]["protocol"].text();
        CAPTURE(i, protocol);
        CHECK((reported.front()["protocol"] == protocol || reported.front()["or"] == protocol));
    }
}

TEST_CASE("an allreduce takes the algorithm that is explained")
{
    const auto [ranks, bytes] = GENERATE(table<int, int>({{2, 8},
                                                          {2, 800},
                                                          {2, 64 << 10},
                                                          {2, 1 << 20},
                                                          {3, 8},
                                                          {3, 64 << 10},
                                                          {3, 1 << 20},
                                                          {4, 800},
                                                          {4, 64 << 10},
                                                          {4, 1 << 20}}));
    CAPTURE(ranks, bytes);
    const Json reported =
        explained({"allreduce", "--ranks", std::to_string(ranks), "--bytes", std::to_string(bytes)});
    const Json trace = trace_of({"-n", std::to_string(ranks)}, "reduce", bytes);
    const std::vector<Json> calls =
        those_with(trace["traceEvents"], R"({"ph": "X", "name": "allreduce", "tid": 0})");
    REQUIRE(calls.size() == 20);
    // The first ones have no shared memory yet, where ranks make it for calls of this kind.
    CHECK(calls.back()["args"]["algorithm"] == reported["algorithm"].text());
}
