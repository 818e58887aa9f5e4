// What tuttirun --top makes of snapshots and keys.
#include <chrono>
#include <string>

#include <catch2/catch.hpp>

#include "launcher/report/rank_load.hpp"
#include "launcher/report/rank_words.hpp"
#include "launcher/report/status_socket.hpp"
#include "launcher/top/view.hpp"

using namespace tutti::launcher;
using tutti::observe::CallWords;
using tutti::observe::Operation;
using Lines = std::vector<std::string>;

namespace {

RankGroup waiting(int rank, int from, double seconds)
{
    RankGroup group;
    group.state = RankState::waiting;
    group.operation = Operation::recv;
    group.communicator = "world";
    group.peer = from;
    group.tag = 42;
    group.ranks = {{rank, rank}};
    group.longest = rank;
    group.least_seconds = group.most_seconds = seconds;
    group.load.ranks = 1;
    group.load.resident_bytes = 3 << 20;
    group.load.posted = 1;
    return group;
}

RankGroup computing(Ranges ranks)
{
    RankGroup group;
    group.state = RankState::computing;
    group.ranks = std::move(ranks);
    group.longest = group.ranks.front().first;
    group.most_seconds = 0.4;
    group.load.ranks = count_of(group.ranks);
    group.load.processors = 0.9 * group.load.ranks;
    group.load.sent_bytes_per_second = 12.0 * (1 << 20);
    group.load.messages_per_second = 1234;
    group.load.resident_bytes = std::uint64_t{5} << 30;
    return group;
}

TopSnapshot snapshot()
{
    TopSnapshot now;
    now.job = 4711;
    now.program = "/usr/bin/lmp";
    now.ranks = 64;
    now.hosts = 2;
    now.seconds = 61;
    now.complete = true;
    now.groups = {computing({{0, 2}, {4, 6}, {8, 63}}), waiting(3, 7, 44), waiting(7, 3, 12)};
    return now;
}

std::string all(const TopPage& page)
{
    std::string text;
    for (const std::string& line : page.lines)
        text += line + '\n';
    return text;
}

bool has(const TopPage& page, const std::string& part)
{
    return all(page).find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("rates are those between two samples")
{
    LoadSample before;
    before.time = std::chrono::steady_clock::now();
    before.calls = 10;
    before.messages = 100;
    before.sent_bytes = 1000;
    before.arrived_bytes = 5000;
    before.processor_ticks = 50;
    LoadSample now{before.time + std::chrono::milliseconds(500), 20, 200, 2000, 5000, 100, 4096};
    const RankLoad load = load_between(before, now);
    CHECK(load.ranks == 1);
    CHECK(load.calls_per_second == Approx(20));
    CHECK(load.messages_per_second == Approx(200));
    CHECK(load.sent_bytes_per_second == Approx(2000));
    CHECK(load.arrived_bytes_per_second == 0);
    CHECK(load.processors == Approx(1.0));  // 50 ticks of a hundredth
    CHECK(load.resident_bytes == 4096);
    // Another program begins at 0, and a look at the same moment has no rates.
    CHECK(load_between(now, {now.time + std::chrono::seconds(1), 1, 0, 0, 0, 0, 0}).calls_per_second == 0);
    CHECK(load_between(before, before).messages_per_second == 0);
    RankLoad sum = load;
    sum.add(load);
    CHECK(sum.ranks == 2);
    CHECK(sum.messages_per_second == Approx(400));
}

TEST_CASE("a history has the rates of a second")
{
    LoadHistory history;
    CHECK(history.load().ranks == 1);
    CHECK(history.load().messages_per_second == 0);
    LoadSample sample;
    for (int i = 0; i < 100; ++i) {
        sample.time += std::chrono::milliseconds(300);
        sample.messages += i < 50 ? 3000 : 30;
        history.add(sample);
    }
    CHECK(history.load().messages_per_second == Approx(100));
}

TEST_CASE("rates that cannot be are refused")
{
    TopSnapshot now = snapshot();
    now.groups[0].load.processors = -1;
    CHECK_THROWS_AS(decode<TopSnapshot>(encode(now)), WireError);
}

TEST_CASE("numbers and ranks have little room")
{
    CHECK(short_number(0) == "0");
    CHECK(short_number(999) == "999");
    CHECK(short_number(1234) == "1.2k");
    CHECK(short_number(9999) == "10k");
    CHECK(short_number(35.4e6) == "35M");
    CHECK(short_bytes(2048) == "2.0K");
    CHECK(short_bytes(3.0 * (1 << 30)) == "3.0G");
    CHECK(short_bytes(999.5 * 1024) == "1.0M");
    CHECK(short_ranks({{0, 2}, {4, 63}}, 63, 12) == "0-2, 4-63");
    CHECK(short_ranks({{0, 0}, {2, 2}, {4, 4}, {6, 6}}, 4, 12) == "0, 2, 4, 6");
    CHECK(short_ranks({{100, 100}, {102, 102}, {104, 104}, {106, 106}}, 5000, 12) == "100 +4999");
    CHECK(short_ranks({{1000000, 2000000}}, 1000001, 8) == "1000001 ranks");
}

TEST_CASE("a table leaves out columns that have no room")
{
    const TopSnapshot now = snapshot();
    const auto groups = ordered(now, TopOrder::time);
    CHECK(table_lines(groups, 40) == Lines{"RANKS        TIME CPU% DOES",               //
                                           "3             44s    0 recv from 7, ta..",  //
                                           "7             12s    0 recv from 3, ta..",
                                           "0-2, 4-6 +56   0s   90 computing"});
    CHECK(table_lines(groups, 120) ==
          Lines{"RANKS        TIME CPU% OUT/S   MEM MSG/S  QUEUES CALLS/S  IN/S DOES",
                "3             44s    0     0  3.0M     0     1/0       0     0 recv from 7, tag 42",
                "7             12s    0     0  3.0M     0     1/0       0     0 recv from 3, tag 42",
                "0-2, 4-6 +56   0s   90   12M  5.0G  1.2k     0/0       0     0 computing"});
    CHECK(ordered(now, TopOrder::ranks).front()->load.ranks == 62);
    CHECK(ordered(now, TopOrder::memory).front()->load.ranks == 62);
    CHECK(ordered(now, TopOrder::processors).front()->load.ranks == 62);
    CHECK(ordered(now, TopOrder::bytes).front()->load.ranks == 62);
}

TEST_CASE("the head has sums and who waits longest")
{
    CHECK(head_lines(snapshot()) == Lines{"job 4711: 64 ranks of lmp on 2 hosts, for 61 s",
                                          "12MB/s, 1.2k messages/s, CPU 5580 %, 5.0GB of memory",
                                          "longest wait: rank 3, 44 s: recv from 7, tag 42"});
    CHECK(plain_text(snapshot()).find("\n3             44s    0 ") != std::string::npos);
}

TEST_CASE("keys choose a row, and show its rank and stack")
{
    TopView view(snapshot());
    TopPage page = view.page(80, 24);
    CHECK(page.lines.size() == 24);
    CHECK(page.titles == 3);
    CHECK(page.selected == 4);
    CHECK(view.question() == "snapshot");
    view.press(kKeyDown);
    page = view.page(80, 24);
    CHECK(page.selected == 5);
    view.press(kKeyEnter);
    CHECK(view.question() == "rank 7");
    CHECK(has(view.page(80, 24), "asking"));
    view.answered("rank 3", "of another rank\n");
    view.answered("rank 7", "rank 7: recv from 3\nprocess 12\n");
    page = view.page(80, 24);
    CHECK(has(page, "process 12"));
    CHECK_FALSE(has(page, "another rank"));
    view.press('s');
    CHECK(view.question() == "stack 7");
    view.answered("stack 7", "main at a.cpp:7\n");
    CHECK(has(view.page(80, 24), "main at a.cpp:7"));
    CHECK(view.question() == "snapshot");  // the rank is not stopped again
    view.press(kKeyBack);
    CHECK(view.question() == "rank 7");
    view.press(kKeyBack);
    CHECK(view.page(80, 24).selected == 5);
    view.press('?');
    CHECK(has(view.page(80, 24), "quit; the job goes on"));
    view.press(kKeyBack);
    CHECK_FALSE(view.is_done());
    view.press('q');
    CHECK(view.is_done());
    CHECK_FALSE(view.has_ended());
}

TEST_CASE("left and right go through the ranks of a row")
{
    TopView view(snapshot());
    view.press('r');
    view.press(kKeyEnter);
    CHECK(view.question() == "rank 0");
    view.press(kKeyLeft);
    CHECK(view.question() == "rank 0");
    for (int i = 0; i < 3; ++i)
        view.press(kKeyRight);
    CHECK(view.question() == "rank 4");
    view.press(kKeyLeft);
    CHECK(view.question() == "rank 2");
}

TEST_CASE("a small terminal shows the row that is chosen")
{
    TopView view(snapshot());
    for (int i = 0; i < 2; ++i)
        view.press(kKeyDown);
    const TopPage page = view.page(40, 6);
    REQUIRE(page.lines.size() == 6);
    CHECK(page.lines[4].substr(0, 12) == "0-2, 4-6 +56");
    CHECK(page.selected == 4);
    for (const std::size_t height : {0, 1, 2, 3, 5})
        CHECK(view.page(10, height).lines.size() == std::max<std::size_t>(height, 1));
    for (const std::string& line : view.page(3, 10).lines)
        CHECK(line.size() <= 3);
}

TEST_CASE("the end of the job, and a job that gives no answer, are reported")
{
    TopView view(snapshot());
    view.waits(12);
    CHECK(has(view.page(80, 24), "no answer for 12 s"));
    TopSnapshot last = snapshot();
    last.ended = true;
    view.answered("snapshot", encode(last));
    CHECK(view.is_done());
    CHECK(view.has_ended());
    CHECK_FALSE(has(view.page(80, 24), "no answer"));
    CHECK_THROWS_AS(view.answered("snapshot", "other bytes"), WireError);
}

TEST_CASE("ten thousand ranks that wait on many communicators are a few rows")
{
    JobStatus job;
    for (int row = 0; row < 100; ++row) {
        NodeReport node;
        for (int rank = 100 * row; rank < 100 * (row + 1); ++rank) {
            RankGroup group = waiting(rank, 0, 1 + rank % 7);
            group.operation = Operation::collective;
            group.kind = 4;
            group.peer = group.tag = 0;
            group.context = static_cast<std::uint64_t>(2 * row + 2);
            group.communicator = "communicator 0." + std::to_string(row + 1);
            group.number = static_cast<std::uint32_t>(row);
            fold(node.groups, group, kMostGroups);
        }
        job.add(decode<NodeReport>(encode(node)));
    }
    TopSnapshot now = snapshot();
    now.take(job);
    now = decode<TopSnapshot>(encode(now));
    REQUIRE(now.groups.size() == 1);
    CHECK(now.groups[0].load.ranks == 10000);
    CHECK(now.groups[0].most_seconds == 7);
    CHECK(now.groups[0].longest % 7 == 6);
    CHECK(table_lines(ordered(now, TopOrder::time), 200).at(1).find("allreduce of different communicators") !=
          std::string::npos);
    // The same in the report of a hang; what it means is found among all.
    CHECK(table(job, [](int) { return std::string("a"); }).size() == 1);
    CHECK(job.groups.size() == 100);
}

TEST_CASE("ranks without order leave a snapshot small")
{
    JobStatus job;
    NodeReport node;
    node.groups = {computing({{0, 0}})};
    for (int rank = 2; rank < 10000; rank += 2)
        node.groups[0].ranks.emplace_back(rank, rank);
    node.groups[0].load.ranks = 5000;
    job.add(node);
    TopSnapshot now = snapshot();
    now.take(job);
    CHECK(encode(now).size() < 16384);
    CHECK(short_ranks(now.groups[0].ranks, now.groups[0].load.ranks, 12) == "0, 2 +4998");
}

TEST_CASE("everything about a rank is reported in lines")
{
    PageView page;
    page.sent = {3, 2048};
    page.calls = {{{0, CallWords::pack(7, 42), CallWords::what_of(Operation::recv, 8), 0}},
                  {{0, CallWords::pack(7, 3), CallWords::what_of(Operation::isend, 8), 0}, 64},
                  {{0, 412, CallWords::what_of(Operation::collective, 0), 1}}};
    page.communicators = {{0, 413, 64, ""}};
    page.situation = PageView::Situation();
    page.situation->posted = 1;
    page.situation->unexpected = 2;
    page.situation->awaits = {{0, 7, 42, 7, false, true, false}};
    page.situation->arrivals = {{0, 7, 24, 7, 8}};
    RankGroup group = waiting(3, 7, 44);
    group.load.processors = 0.5;
    CHECK(rank_in_words(group, &page, 4712) ==
          "rank 3: recv from 7, tag 42, for 44 s\n"
          "process 4712\n"
          "CPU 50 %, 3 MiB of memory\n"
          "0 calls/s, 0 messages/s, 0 B/s sent, 0 B/s arrived\n"
          "in all 3 messages sent (2 KiB), 0 arrived (0 B)\n"
          "queues: 1 receives posted, 2 messages unexpected, 0 sends not asked for\n"
          "  waits for a message from rank 7, tag 42, on world\n"
          "  a message from rank 7 lies here, tag 24, 8 B, on world\n"
          "calls, the newest first:\n"
          "  recv from 7, tag 42\n"
          "  isend of 8 B to 7, tag 3, 64 times\n"
          "  barrier #412 of world\n"
          "world has 64 ranks; its next collective is #413\n");
    page.situation->awaits = {{8, 1, 0, 6, false, true, true, true}};
    page.communicators.push_back({8, 2, 4, "window \"table\""});
    CHECK(rank_in_words(group, &page, 4712).find("\n  waits for rank 6, on window \"table\"\n") !=
          std::string::npos);
    page.situation->awaits = {{0, 7, 42, 7, true, true, false, false, "stream"}};
    CHECK(
        rank_in_words(group, &page, 4712)
            .find(
                "\n  waits for the receive of a message to rank 7, tag 42, on world, offered by stream\n") !=
        std::string::npos);
    group.state = RankState::unknown;
    CHECK(rank_in_words(group, nullptr, -1) == "rank 3: has not joined the job\n");
}
