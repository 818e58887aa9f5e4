// What reports say of windows, their locks and who holds them.
#include <algorithm>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "launcher/report/names.hpp"
#include "launcher/report/page_view.hpp"
#include "launcher/report/process_state.hpp"
#include "launcher/report/rank_words.hpp"
#include "launcher/report/report_words.hpp"
#include "tests/unit/launcher/report_support.hpp"

using namespace tutti::launcher;
using tutti::observe::CallWords;
using tutti::observe::Operation;

TEST_CASE("calls of windows have their target, range and epoch")
{
    RankGroup group = receives(1, 0, 0);
    group.operation = Operation::window_call;
    group.context = 8;
    group.communicator = tutti::launcher::communicator_in_words(8, "window \"table\"");
    const auto words_of = [&group](tutti::observe::WindowCall call, std::uint64_t bytes,
                                   const std::string& more) {
        group.kind = static_cast<std::uint8_t>(call);
        group.bytes = bytes;
        group.more = more;
        return tutti::launcher::call_in_words(group);
    };
    using tutti::observe::WindowCall;
    CHECK(words_of(WindowCall::put, 8, "bytes 16 to 24, in the epoch of lock()") ==
          "put of 8 B to 0, on window \"table\", bytes 16 to 24, in the epoch of lock()");
    CHECK(words_of(WindowCall::get, 2048, "") == "get of 2 KiB from 0, on window \"table\"");
    CHECK(words_of(WindowCall::accumulate, 8, "") == "accumulate of 8 B to 0, on window \"table\"");
    CHECK(words_of(WindowCall::fetch_and_op, 8, "") == "fetch_and_op of 8 B at 0, on window \"table\"");
    CHECK(words_of(WindowCall::lock, 0, "shared") == "lock of 0, on window \"table\", shared");
    CHECK(words_of(WindowCall::start, 0, "") == "start, until 0 posts, on window \"table\"");
    CHECK(words_of(WindowCall::wait, 0, "") == "wait, until 0 completes, on window \"table\"");
    CHECK(tutti::launcher::short_call(group) == "wait, on window \"table\"");
    CHECK(words_of(static_cast<WindowCall>(77), 0, "") == "a call at 0, on window \"table\"");
    // A wait for a rank of a window, but for a lock that it has alone, is no deadlock for certain.
    NodeReport node = both_receive();
    node.groups[0] = group;
    node.groups[0].ranks = {{0, 0}};
    node.edges[0].matched = true;
    CHECK_FALSE(analysis_of(node).deadlock);
    CHECK(analysis_of(node).sentences.at(0).starts_with(
        "a circle: rank 0 waits for rank 1 (a call, on window"));
}

namespace {

/// Of rank 0's memory in a window, whose ranks are those of the job in reverse, on 10 ranks.
RankGroup wants_lock(int rank)
{
    RankGroup group = receives(rank, 9, 0);
    group.operation = Operation::window_call;
    group.kind = static_cast<std::uint8_t>(tutti::observe::WindowCall::lock);
    group.context = 8;
    group.communicator = "window 1";
    group.more = "exclusive";
    return group;
}

WaitEdge wants_lock_edge(int rank, int target)
{
    return {rank, target, 0, 8, false, true, true, 9};
}

}  // namespace

TEST_CASE("who holds the lock of a window is reported by the nodes of all holders, folded")
{
    RankGroup asleep = receives(4, 1, 3);
    asleep.state = RankState::sleeping;
    asleep.operation = Operation::none;
    asleep.ranks = {{4, 6}};
    NodeReport one;
    one.groups = {wants_lock(1), calls({{2, 3}}, kBarrier, 7)};
    one.edges = {wants_lock_edge(1, -1)};
    one.locks = {{8, 9, true, {{6, 7}}, {{2, 3}}}, {8, 5, false, {{6, 6}}, {{3, 3}}}};
    NodeReport other;
    other.groups = {asleep, wants_lock(7)};
    other.edges = {wants_lock_edge(7, 0)};
    other.locks = {{8, 9, true, {{3, 5}}, {{4, 6}}}, {6, 9, false, {{1, 1}}, {{1, 1}}}};
    JobStatus job;
    job.add(decode<NodeReport>(encode(one)));
    job.add(decode<NodeReport>(encode(other)));
    const auto lines = table(job, [](int) { return std::string("a"); });
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] ==
          "ranks 1, 7 (host a): lock of 9 (held by 3-7, shared), on window 1, exclusive, for 44 s");
    const Analysis analysis = analyse(job);
    CHECK_FALSE(analysis.deadlock);
    REQUIRE(analysis.sentences.size() == 2);
    CHECK(analysis.sentences[0] ==
          "ranks 4-6 are asleep outside of Tutti for 44 s, and others wait for them: no deadlock, if they go "
          "on (a sleep, a file, a lock, another program)");
    CHECK(
        analysis.sentences[1] ==
        "ranks 1, 7 wait for ranks 2-6, which hold the lock of 9 on window 1, shared: ranks 2, 3: barrier #7 "
        "of world, for 29 s to 31 s; ranks 4-6: asleep outside of Tutti for 44 s");
    CHECK(analysis.culprits == std::vector<int>{2, 3, 4});
}

TEST_CASE("a holder of the lock of a window that waits for the one that wants it is a circle")
{
    NodeReport node;
    node.quiet = true;
    node.groups = {wants_lock(0), receives(1, 0, 5)};
    node.edges = {wants_lock_edge(0, 9), {1, 0, 5, 0, false, true, false}};
    SECTION("the holder is known")
    {
        node.locks = {{8, 9, false, {{8, 8}}, {{1, 1}}}};
        const Analysis analysis = analysis_of(node);
        CHECK(analysis.deadlock);
        REQUIRE(analysis.sentences.size() == 1);
        CHECK(analysis.sentences[0] ==
              "a circle: rank 0 waits for rank 1 (lock, on window 1), rank 1 waits for rank 0 (recv, tag 5); "
              "none of them can go on");
        node.groups[0].many_threads = true;
        CHECK_FALSE(analysis_of(node).deadlock);
        node.groups[0].many_threads = false;
        node.quiet = false;
        CHECK_FALSE(analysis_of(node).deadlock);
    }
    SECTION("the holder shares it")
    {
        node.locks = {{8, 9, true, {{8, 8}}, {{1, 1}}}};
        const Analysis analysis = analysis_of(node);
        CHECK_FALSE(analysis.deadlock);
        REQUIRE(analysis.sentences.size() == 1);
        CHECK(analysis.sentences[0] ==
              "a circle: rank 0 waits for rank 1 (lock, on window 1), rank 1 waits for rank 0 (recv, tag 5)");
    }
    SECTION("nobody holds it: the target is late")
    {
        node.locks = {{8, 8, false, {{8, 8}}, {{1, 1}}}};
        node.groups.push_back(receives(9, 0, 5));
        node.groups.back().state = RankState::computing;
        const Analysis analysis = analysis_of(node);
        REQUIRE(analysis.sentences.size() == 2);
        CHECK(analysis.sentences[1] ==
              "rank 0 waits for rank 9: computing for 44 s; the last call: recv from 0, tag 5");
    }
    SECTION("its holder may hold too many to tell")
    {
        node.more_locks = {{1, 1}};
        JobStatus job;
        job.add(node);
        CHECK(call_in_words(job.groups.at(0)) ==
              "lock of 9 (perhaps held by rank 1 of the job, which does not list all locks), on window 1, "
              "exclusive");
    }
}

TEST_CASE("ranks at many places of a window are a few lines")
{
    std::vector<RankGroup> groups;
    for (int rank = 0; rank < 256; ++rank) {
        RankGroup group = receives(rank, 0, 0);
        group.operation = Operation::window_call;
        group.bytes = 8;
        group.more = "bytes " + std::to_string(8 * rank) + " to " + std::to_string(8 * rank + 8);
        fold(groups, group, kMostGroups);
    }
    REQUIRE(groups.size() == 1);
    CHECK(groups[0].more.empty());
    CHECK(groups[0].ranks == Ranges{{0, 255}});
}
