// What the daemons and the head make of status pages.
#include <algorithm>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "launcher/report/page_view.hpp"
#include "launcher/report/process_state.hpp"
#include "launcher/report/rank_words.hpp"
#include "launcher/report/report_words.hpp"
#include "tests/unit/launcher/report_support.hpp"

using namespace tutti::launcher;
using tutti::observe::CallWords;
using tutti::observe::Operation;

TEST_CASE("what the kernel does to a rank is reported: stopped, held by a debugger, swapped out")
{
    const auto swapped = [](const std::string& text) {
        std::istringstream status("Name:\tVmSwap: 7\nVmRSS:\t  123456 kB\n" + text + "Threads:\t1\n");
        return swapped_bytes(status);
    };
    CHECK(swapped("VmSwap:\t   20480 kB\n") == std::uint64_t{20} << 20);
    CHECK(swapped("VmSwap:\t       0 kB\n") == 0);
    CHECK(swapped("") == 0);  // a kernel without swap space says nothing
    CHECK(swapped_bytes(pid_t{0}) == 0);
    CHECK(note_in_words(RankState::sleeping, 77, std::uint64_t{20} << 20) == "has 20 MiB in swap space");
    CHECK(note_in_words(RankState::waiting, 77, std::uint64_t{16} << 20) == "has 16 MiB in swap space");
    CHECK(note_in_words(RankState::waiting, 77, (std::uint64_t{16} << 20) - 4096).empty());
    CHECK(note_in_words(RankState::stopped, 77, std::uint64_t{20} << 20) ==
          "is stopped; 'kill -CONT 77' lets it go on");
    CHECK(note_in_words(RankState::traced, 77, 0) == "is held by a debugger (pid 77)");
}

TEST_CASE("ranks are reported as ranges")
{
    Ranges ranges;
    for (const int rank : {4, 1, 0, 2, 9, 5})
        add_rank(ranges, rank);
    CHECK(ranks_in_words(ranges) == "ranks 0-2, 4, 5, 9");
    CHECK(ranks_in_words({{3, 3}}) == "rank 3");
    CHECK(count_of(ranges) == 6);
    Ranges odd;
    for (int rank = 1; rank < 60; rank += 2)
        add_rank(odd, rank);
    CHECK(ranks_in_words(odd) == "ranks 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23 and 18 more");
}

TEST_CASE("calls and times in words")
{
    CHECK(group_in_words(receives(3, 7, 42)) == "recv from 7, tag 42, for 44 s");
    RankGroup on_rows = receives(3, tutti::launcher::RankGroup::kVarious, -2);
    on_rows.context = 8;
    on_rows.communicator = "\"rows\"";
    CHECK(group_in_words(on_rows) == "recv from different ranks, any tag, on \"rows\", for 44 s");
    RankGroup sum = calls({{0, 2}, {4, 63}}, kAllreduce, 412);
    sum.more = "1 MiB, sum of float32";
    CHECK(group_in_words(sum) == "allreduce #412 of world, 1 MiB, sum of float32, for 29 s to 31 s");
    RankGroup computing = receives(3, 7, 42);
    computing.state = RankState::computing;
    computing.most_seconds = computing.least_seconds = 125;
    CHECK(group_in_words(computing) == "computing for 2 min 5 s; the last call: recv from 7, tag 42");
}

TEST_CASE("256 ranks that all do something else are a few lines")
{
    JobStatus job;
    NodeReport node;
    for (int rank = 0; rank < 256; ++rank) {
        fold(node.groups, receives(rank, (rank + 1) % 256, rank % 5), kMostGroups);
        node.edges.push_back({rank, (rank + 1) % 256, rank % 5, 0, false, true, false});
    }
    node.quiet = true;
    job.add(decode<NodeReport>(encode(node)));
    const auto lines = table(job, [](int) { return std::string("a"); });
    CHECK(lines.size() == 5);  // one a tag
    CHECK(lines[0].substr(0, 24) == "ranks 0, 5, 10, 15, 20, ");
    CHECK(lines[0].find("(host a): recv from different ranks, tag 0, for 44 s") != std::string::npos);
    const auto on_many = table(job, [](int rank) { return "node" + std::to_string(100 + rank); });
    CHECK(
        on_many[0].find("(hosts node[100,105,110,115,120,125,130,135,140,145,150,155] and 40 more): recv") !=
        std::string::npos);
    const auto on_four = table(job, [](int rank) { return "node0" + std::to_string(1 + rank / 64); });
    CHECK(on_four[0].find("(hosts node[01-04]): recv") != std::string::npos);
    const Analysis analysis = analyse(job);
    CHECK(analysis.deadlock);
    CHECK(analysis.sentences.at(0).find("and so on through 249 more ranks back to rank 0") !=
          std::string::npos);
}

TEST_CASE("ten thousand ranks that wait for one are two lines, and few bytes of each daemon")
{
    constexpr int kNodes = 250;
    constexpr int kRanksOfNode = 40;
    constexpr int kLate = 4711;
    JobStatus job;
    std::size_t most_bytes = 0;
    for (int of_node = 0; of_node < kNodes; ++of_node) {
        NodeReport node;
        node.quiet = true;
        Ranges in_barrier;
        for (int rank = of_node * kRanksOfNode; rank < (of_node + 1) * kRanksOfNode; ++rank) {
            if (rank == kLate) {
                fold(node.groups, receives(rank, 7, 42), kMostGroups);
                node.collectives.push_back({0, 412, {{rank, rank}}});
                node.edges.push_back({rank, 7, 42, 0, false, true, false});
                continue;
            }
            fold(node.groups, calls({{rank, rank}}, kBarrier, 412), kMostGroups);
            add_rank(in_barrier, rank);
        }
        node.collectives.push_back({0, 413, in_barrier});
        const std::string frame = encode(node);
        most_bytes = std::max(most_bytes, frame.size());
        job.add(decode<NodeReport>(frame));
    }
    CHECK(most_bytes < 1000);
    const auto lines = table(job, [](int rank) { return "n" + std::to_string(rank / kRanksOfNode); });
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] == "ranks 0-4710, 4712-9999 (hosts n[0-249]): barrier #412 of world, for 29 s to 31 s");
    CHECK(lines[1] == "rank 4711 (host n117): recv from 7, tag 42, for 44 s");
    const Analysis analysis = analyse(job);
    CHECK(analysis.deadlock);
    REQUIRE(analysis.sentences.size() == 2);
    CHECK(analysis.sentences[1] ==
          "rank 4711 has not entered barrier #412 of world: recv from 7, tag 42, for 44 s");
}

TEST_CASE("two ranks that both receive are a deadlock")
{
    const Analysis analysis = analysis_of(both_receive());
    CHECK(analysis.deadlock);
    CHECK(analysis.sentences.at(0) ==
          "a circle: rank 0 waits for rank 1 (recv, tag 5), rank 1 waits for rank 0 (recv, tag 5); none of "
          "them can go on");
}

TEST_CASE(
    "ranks that all send first, or all receive first, are told what mends it, by the names of their "
    "interface")
{
    NodeReport node = both_receive();
    const std::string cpp_receives =
        "each of them receives before it sends: let one of them send first, or use sendrecv, or irecv before "
        "the send "
        "and wait() after it";
    CHECK(analysis_of(node).sentences.at(1) == cpp_receives);
    node.edges[0].in_mpi = node.edges[1].in_mpi = true;
    CHECK(analysis_of(node).sentences.at(1) ==
          "each of them receives before it sends: let one of them send first, or use MPI_Sendrecv, or "
          "MPI_Irecv before "
          "the send and MPI_Wait after it");
    for (WaitEdge& edge : node.edges)
        edge.send = true;
    node.messages = {{1, 0, 5, 0, 1 << 20, "world"}, {0, 1, 5, 0, 1 << 20, "world"}};
    CHECK(analysis_of(node).sentences ==
          std::vector<std::string>{"a circle: rank 0 waits for rank 1 (recv, tag 5), rank 1 waits for rank 0 "
                                   "(recv, tag 5); none of them can "
                                   "go on",
                                   "each of them sends before it receives, and the send of a long message "
                                   "ends when its receiver takes it: "
                                   "let one of them receive first, or use MPI_Sendrecv, or MPI_Isend before "
                                   "the receive and MPI_Wait after "
                                   "it"});
    node.edges[0].in_mpi = node.edges[1].in_mpi = false;
    CHECK(analysis_of(node).sentences.at(1).ends_with(
        "let one of them receive first, or use sendrecv, or isend before the receive and wait() after it"));
    // As daemons tell it.
    node.edges[1].in_mpi = true;
    CHECK(decode<NodeReport>(encode(node)).edges[1].in_mpi);
}

TEST_CASE("circles of another kind get no remedy")
{
    NodeReport node = both_receive();
    SECTION("one sends and the other receives")
    {
        node.edges[0].send = true;
    }
    SECTION("another thread may send")
    {
        node.groups[0].many_threads = true;
    }
    SECTION("at a window")
    {
        node.groups[0].operation = Operation::window_call;
    }
    SECTION("a message that nobody awaits")
    {
        node.messages = {{0, 1, 24, 0, 8, "world"}};
    }
    const Analysis analysis = analysis_of(node);
    CHECK(analysis.sentences.at(0).starts_with("a circle: "));
    for (const std::string& sentence : analysis.sentences)
        CHECK(sentence.find("each of them") == std::string::npos);
}

TEST_CASE("what may still go on is no deadlock")
{
    NodeReport node = both_receive();
    SECTION("a message is under way")
    {
        node.sent = 1;
    }
    SECTION("something moves")
    {
        node.quiet = false;
    }
    SECTION("the data of a message is on its way")
    {
        node.edges[0].matched = true;
    }
    SECTION("another thread may send")
    {
        node.groups[0].many_threads = true;
    }
    SECTION("the rank waits for one of several")
    {
        node.edges[0].own = false;
    }
    SECTION("a send whose receiver may have asked for the data")
    {
        node.edges[0].send = true;
    }
    const Analysis analysis = analysis_of(node);
    CHECK_FALSE(analysis.deadlock);
    CHECK(analysis.sentences.at(0).find("none of them") == std::string::npos);
}

TEST_CASE("a send whose message lies unexpected waits for good")
{
    NodeReport node = both_receive();
    node.edges[0].send = true;
    node.messages = {{1, 0, 5, 0, 1 << 20, "world"}};
    CHECK(analysis_of(node).deadlock);
}

TEST_CASE("who has not entered a collective, and what it does instead")
{
    NodeReport node;
    node.quiet = true;
    node.groups = {calls({{0, 2}, {4, 63}}, kBarrier, 412), receives(3, 7, 42)};
    node.collectives = {{0, 413, {{0, 2}, {4, 63}}}, {0, 412, {{3, 3}}}};
    node.edges = {{3, 7, 42, 0, false, true, false}};
    const Analysis analysis = analysis_of(node);
    CHECK(analysis.deadlock);
    CHECK(analysis.sentences.at(0) ==
          "a circle: rank 3 waits for rank 7 (recv, tag 42), rank 7 waits for rank 3 (barrier #412 of "
          "world); none of them can go on");
    CHECK(analysis.sentences.at(1) ==
          "rank 3 has not entered barrier #412 of world: recv from 7, tag 42, for 44 s");
}

TEST_CASE("a rank that can still act may end a collective")
{
    NodeReport node;
    node.quiet = true;
    node.groups = {calls({{0, 0}}, kBarrier, 0), receives(1, 0, 42), receives(2, 0, 1)};
    node.groups[2].state = RankState::sleeping;
    node.collectives = {{0, 1, {{0, 0}}}, {0, 0, {{1, 2}}}};
    node.edges = {{1, 0, 42, 0, false, true, false}};
    CHECK_FALSE(analysis_of(node).deadlock);
    node.groups[2].state = RankState::waiting;
    CHECK(analysis_of(node).deadlock);
}

TEST_CASE("a message that nearly fits is reported")
{
    NodeReport node = both_receive();
    node.messages = {{0, 1, 24, 0, 8, "world"}, {1, 2, 5, 0, 2048, "world"}, {1, 0, 5, 8, 4, "\"rows\""}};
    const Analysis analysis = analysis_of(node);
    REQUIRE(analysis.sentences.size() == 4);
    CHECK(analysis.sentences[1] ==
          "a message from rank 1 with tag 24 (8 B) is at rank 0, where tag 5 is awaited");
    CHECK(analysis.sentences[2] ==
          "a message from rank 2 with tag 5 (2 KiB) is at rank 1, where one from rank 0 is awaited");
    CHECK(analysis.sentences[3] ==
          "a message from rank 0 with tag 5 (4 B, on \"rows\") is at rank 1, where one on another "
          "communicator is awaited");
}

TEST_CASE("a rank that others wait for and that waits for nobody is reported")
{
    NodeReport node = both_receive();
    node.groups[1].state = RankState::left;
    node.edges.pop_back();
    CHECK(analysis_of(node).sentences ==
          std::vector<std::string>{"rank 0 waits for rank 1: has left the job"});
}

TEST_CASE("ranks outside of Tutti are late, and no deadlock")
{
    NodeReport node;
    node.quiet = true;
    node.groups = {calls({{0, 2}, {5, 9}}, kBarrier, 412), receives(3, 7, 42), receives(4, 7, 42)};
    node.groups[1].state = RankState::sleeping;
    node.groups[2].state = RankState::computing;
    node.collectives = {{0, 413, {{0, 2}, {5, 9}}}, {0, 412, {{3, 4}}}};
    const Analysis analysis = analysis_of(node);
    CHECK_FALSE(analysis.deadlock);
    REQUIRE(analysis.sentences.size() == 3);
    CHECK(analysis.sentences[0] ==
          "rank 3 is asleep outside of Tutti for 44 s, and others wait for it: no deadlock, if it goes on (a "
          "sleep, a file, a lock, another program)");
    CHECK(analysis.sentences[1] ==
          "rank 4 computes outside of Tutti for 44 s, and others wait for it: no deadlock, if it goes on");
    CHECK(analysis.sentences[2].find("ranks 3, 4 have not entered barrier #412") == 0);
    // A rank for which nobody waits is not late.
    node.groups[0].ranks = {{0, 9}};
    node.collectives = {{0, 413, {{0, 9}}}};
    CHECK(analysis_of(node).sentences.empty());
}

TEST_CASE("a report of ranks or states that cannot be is refused")
{
    NodeReport node = both_receive();
    node.groups[0].ranks = {{5, 2}};
    CHECK_THROWS_AS(decode<NodeReport>(encode(node)), WireError);
    node = both_receive();
    node.groups[0].operation = static_cast<Operation>(77);
    CHECK_THROWS_AS(decode<NodeReport>(encode(node)), WireError);
}
