// Jobs that end early: a rank leaves, dies, throws, or cannot join.
#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>

#include "tests/multiprocess/api/ranks.hpp"

using namespace tutti::test;

TEST_CASE("a rank that is killed, or throws, ends a job of progress threads", "[endings]")
{
    std::vector<std::string> arguments = ranks(3, "killed", {"recv"});
    arguments.insert(arguments.begin(), {"-x", "TUTTI_PROGRESS=thread"});
    CHECK(tuttirun(arguments).status == 128 + 9);
    arguments = ranks(3, "progress", {"throw"});
    arguments.insert(arguments.begin(), {"-x", "TUTTI_PROGRESS=thread"});
    const Result thrown = tuttirun(arguments);
    CHECK(thrown.status == 1);
    CHECK(contains(thrown.err, "rank 2 has had enough"));
    CHECK(thrown.seconds < kSoonSeconds);
}

TEST_CASE("a rank that leaves while others wait for it is reported by name", "[endings]")
{
    const std::string waits_in =
        GENERATE("recv", "ssend", "barrier", "allreduce", "ireduce", "probe", "mprobe", "iprobe", "improbe");
    const bool board = GENERATE(true, false);
    const std::string barriers = board ? "5" : GENERATE("0", "1");
    const bool probes = waits_in.ends_with("probe");
    if (probes ? barriers != "1" : barriers == "0" && waits_in != "recv" && waits_in != "barrier")
        return;  // none of the others connects in another way
    CAPTURE(waits_in, board, barriers);
    std::vector<std::string> arguments = ranks(3, "leaves", {waits_in, barriers});
    arguments.insert(arguments.begin(), {"-x", board ? "TUTTI_SHARED_CORES=1" : "TUTTI_SHARED_CORES=0"});
    const Result result = tuttirun(arguments);
    CHECK(result.status == 1);
    CHECK(contains(result.err, probes ? ": " + waits_in + ": peer lost: nothing more comes from rank 2: "
                                      : "rank 2 of the "));
    // Who has never been spoken to leaves no word.
    CHECK((contains(result.err, " left ") || contains(result.err, "its process has ended")));
    CHECK(result.seconds < kSoonSeconds);
}

TEST_CASE("one of two ranks that look for each other's data in shared memory leaves, and is reported",
          "[endings]")
{
    const std::string call = GENERATE("barrier", "allreduce");
    CAPTURE(call);
    std::vector<std::string> arguments = ranks(2, "leaves", {call, "9"});
    arguments.insert(arguments.begin(), {"-x", "TUTTI_SHARED_CORES=0"});
    const Result result = tuttirun(arguments);
    CAPTURE(result.err);
    CHECK(result.status == 1);
    CHECK(contains(result.err, call + ": peer lost: rank 1 of the communicator was lost"));
    CHECK(result.seconds < kSoonSeconds);
}

TEST_CASE("the error of a lost rank names the call that was made", "[endings]")
{
    struct Case {
        std::string call;
        std::string barriers;
        std::string reported;
    };
    // Before it is connected, without an order of calls, and in the call that agrees on shared memory.
    const auto [call, barriers, reported] =
        GENERATE(Case{"allreduce", "0", "allreduce: "}, Case{"ssend", "0", "send: "},
                 Case{"create_from", "1", "create_from: "}, Case{"allreduce", "3", "allreduce: "});
    CAPTURE(call, barriers);
    std::vector<std::string> arguments = ranks(3, "leaves", {call, barriers});
    arguments.insert(arguments.begin(), {"-x", "TUTTI_SHARED_CORES=1"});
    const Result result = tuttirun(arguments);
    CAPTURE(result.err);
    CHECK(result.status == 1);
    CHECK(contains(result.err, ": uncaught exception: " + reported + "peer lost: "));
    CHECK(contains(result.err, "rank 2 "));
    CHECK(result.seconds < kSoonSeconds);
}

TEST_CASE("a collective that finds no working memory says which it is, and how much it needs", "[endings]")
{
    if (kSanitized)
        return;  // sanitizers need more of the address space than all else
    const std::string call = GENERATE("allreduce", "iallreduce", "ring");
    const Result result = tuttirun(ranks(2, "memory", {call}));
    const std::string reported = result.err + result.out;
    CAPTURE(call, reported);
    CHECK(result.status == (call == "ring" ? 3 : 1));
    CHECK(contains(reported,
                   call == "ring" ? "reduce_scatter: out of memory: " : "allreduce: out of memory: "));
    CHECK(contains(reported, " bytes of working memory"));
    CHECK(contains(reported, "reduce_scatter of 67108864 bytes") == (call == "ring"));
}

TEST_CASE("a wait for any source ends once all others have left, and says who has", "[endings]")
{
    const std::string waits_in = GENERATE("recv_any", "irecv_any", "probe_any", "mprobe_any", "wait_any");
    const std::string barriers = waits_in == "recv_any" ? std::string(GENERATE("0", "1")) : "1";
    CAPTURE(waits_in, barriers);
    const Result result = tuttirun(ranks(4, "leaves", {waits_in, barriers}));
    CHECK(result.status == 1);
    CAPTURE(result.err);
    CHECK(contains(result.err, "rank 0 waits for a message from any source with "));
    CHECK(contains(result.err, " in the world, and all others of it are gone: rank 1: "));
    CHECK(contains(result.err, "; rank 3: it"));
    CHECK(contains(result.err, waits_in.starts_with("probe")    ? "probe: "
                               : waits_in.starts_with("mprobe") ? "mprobe: "
                                                                : "recv: "));
}

TEST_CASE("a second Environment, and a use of what an Environment has left behind, are refused", "[endings]")
{
    const auto reported = [](const std::string& what, int count) {
        const Result result = tuttirun(ranks(count, "lifetimes", {what}));
        CAPTURE(what, count, result.err);
        CHECK(result.status == 3);
        CHECK(result.seconds < kSoonSeconds);
        return result.out;
    };
    for (const int count : {1, 2})
        CHECK(
            contains(reported("again", count), "this process has left its job, which it can join only once"));
    for (const std::string what : {"barrier", "send", "wait", "split"})
        CHECK(contains(reported(what, 2), "Environment ha"));
    CHECK(tuttirun(ranks(2, "lifetimes", {"destroy"})).status == 0);
}

TEST_CASE("a rank that closes all descriptors ends, and the job with it", "[endings]")
{
    // Side by side: libpmix is given its time.
    Launched leaves(tuttirun_command(ranks(2, "closes", {"leave"})));
    Launched aborts(tuttirun_command(ranks(2, "closes", {"abort"})));
    const Result left = leaves.wait();
    CHECK(left.status == 1);
    CHECK(contains(left.err, "tuttirun: rank 0 (pid "));
    CHECK(contains(left.err, "without calling finalize"));
    const Result aborted = aborts.wait();
    CHECK(aborted.status == 3);
    CHECK(contains(aborted.err, "tuttirun: rank 0 (pid "));
    CHECK(contains(aborted.err, "exited with status 3"));
    CHECK(tuttirun(ranks(2, "closes", {"first"})).status == 0);
}

TEST_CASE("a forked child leaves its parent's job alone, and is told that it has no part in it", "[endings]")
{
    for (const std::string what :
         {"fork_return", "fork_request", "fork_wait", "fork_barrier", "fork_ibarrier", "fork_send"}) {
        const bool calls = what != "fork_return" && what != "fork_request";
        const Result result = tuttirun(ranks(2, "lifetimes", {what}));
        CAPTURE(what, result.err, result.out);
        CHECK(result.status == 0);
        // A leak checker finds none of the threads whose memory it would look through.
        CHECK((kSanitized || contains(result.out, calls ? "child 3" : "child 0")));
        CHECK(contains(result.out, "this process was forked by a rank") == calls);
        const bool receives = what == "fork_send" || what == "fork_request";
        CHECK(contains(result.out, "received 2") == receives);
        CHECK_FALSE(contains(result.out, "received 1"));
        CHECK(result.seconds < kSoonSeconds);
    }
}

TEST_CASE("a request that outlives its Environment unfinished is reported, and ends the process", "[endings]")
{
    for (const int count : {1, 2}) {
        const Result result = tuttirun(ranks(count, "lifetimes", {"static"}));
        CAPTURE(count, result.err);
        CHECK(result.status == 1);
        CHECK(contains(result.err, "a request was destroyed without a wait"));
        CHECK(contains(result.err, "the Environment had ended"));
        CHECK(result.seconds < kSoonSeconds);
    }
}

TEST_CASE("children that end leave their parents' memory as it is", "[endings]")
{
    const Result result = tuttirun(ranks(4, "forks"));
    CAPTURE(result.err, result.out);
    CHECK(result.status == 0);
    for (int rank = 0; rank < 4; ++rank)
        CHECK(contains(result.out, "rank " + std::to_string(rank) + ": 0 wrong"));
}

TEST_CASE("an exception that is caught outside of its Environment is reported, and ends the job", "[endings]")
{
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{}, {"stay"}}) {
        const Result result = tuttirun(ranks(3, "caught", arguments));
        CHECK(result.status == 1);
        CAPTURE(result.err);
        // The rank's words and the launcher's come by different ways, in any order. The others may hear of
        // the loss before they are ended.
        CHECK(std::ranges::count_if(lines_of(result.err), [](const std::string& line) {
                  return !line.starts_with("caught: recv: peer lost: nothing more comes from rank 2");
              }) == 2);
        CHECK(contains(result.err, "caught: the disk is full"));
        CHECK(contains(result.err, "rank 2: left its Environment by an exception that was caught outside"));
        CHECK(result.seconds < kSoonSeconds);
    }
    // Nobody waits for a rank alone.
    const Result alone = tuttirun(ranks(1, "caught"));
    CHECK(alone.status == 3);
    CHECK(contains(alone.err, "caught: the disk is full"));
    CHECK_FALSE(contains(alone.err, "Environment"));
}

TEST_CASE("a wrong TUTTI_PROGRESS is named", "[endings]")
{
    std::vector<std::string> arguments = ranks(2, "progress");
    arguments.insert(arguments.begin(), {"-x", "TUTTI_PROGRESS=threads"});
    const Result result = tuttirun(arguments);
    CHECK(result.status == 1);
    const std::vector<std::string> lines = lines_of(result.err);
    REQUIRE(lines.size() == 1);
    CHECK(contains(lines[0], "called abort with status 1: rank "));
    CHECK(contains(lines[0], ": uncaught exception: "));
    CHECK(contains(lines[0], "TUTTI_PROGRESS=threads is neither calls nor thread; did you mean 'thread'?"));
}

TEST_CASE("a rank that cannot join a job ends with the reason", "[endings]")
{
    // A job of one, and one that a launcher without PMIx has started.
    const Result alone = Launched({"/usr/bin/env", "TUTTI_PROGRESS=threads", program("api_progress")}).wait();
    CHECK(alone.status == 1);
    REQUIRE(lines_of(alone.err).size() == 1);
    CHECK(alone.err.starts_with("tutti: rank 0: uncaught exception: "));
    CHECK(contains(alone.err, "TUTTI_PROGRESS=threads is neither"));

    const Result lost =
        Launched({"/usr/bin/env", "PMI_SIZE=2", "PMI_RANK=0", program("api_progress")}).wait();
    CHECK(lost.status == 1);
    REQUIRE(lines_of(lost.err).size() == 1);
    CHECK(lost.err.starts_with("tutti: uncaught exception: "));
    CHECK(contains(lost.err, "started several processes without PMIx and PMI_FD; use tuttirun"));
}

TEST_CASE("a rank that is killed ends the job at once, whatever the others wait for", "[endings]")
{
    const int count = GENERATE(2, 4, 16);
    const std::string how = GENERATE("recv", "barrier");
    CAPTURE(count, how);
    const Result result = tuttirun(ranks(count, "killed", {how}));
    CHECK(result.status == 128 + 9);
    CHECK(contains(result.err, "rank " + std::to_string(count - 1)));
    CHECK(result.seconds < kSoonSeconds);
}
