// A lost peer: reported once, after its last frame; what is sent to it goes nowhere.
#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <deque>

#include "tests/conformance/harness.hpp"
#include "transports/inproc/inproc_transport.hpp"
#include "transports/shm/shm_transport.hpp"

using namespace tutti::test;

TEST_CASE("the fault decorator cuts a peer off at the given send")
{
    Setup setup = GENERATE(from_range(plain_setups()));
    setup.faults = "loses the peer";
    setup.options.lose_peer_after = 4;
    INFO(setup.name());
    Ranks ranks(setup);
    for (std::uint64_t i = 0; i < 10; ++i) {
        OutFrame frame(i, 8, 20);
        REQUIRE(ranks.send(0, 1, frame) == SendResult::done);
    }
    CHECK(ranks.sink(0).lost.empty());  // not from within send()
    for (int pass = 0; pass < 5; ++pass) {
        ranks.progress(0);
        ranks.progress(1);
    }
    CHECK(ranks.sink(0).lost == std::vector{ranks.rank(1)});
    if (setup.transport != "self") {
        CHECK(ranks.deliver(1, 3));
        CHECK_FALSE(ranks.deliver(1, 4));
        // The other direction is dead, too: the sink throws when a frame comes after the loss.
        OutFrame back(1, 8, 20);
        REQUIRE(ranks.send(1, 0, back) == SendResult::done);
        for (int pass = 0; pass < 5; ++pass)
            ranks.progress(0);
        CHECK(ranks.sink(0).frames.empty());
    }
}

TEST_CASE("frames kept for a peer that is then lost complete all the same")
{
    Setup setup{"inproc", "keeps, then loses", {.pending = 1, .lose_peer_after = 4}};
    std::deque<OutFrame> sent;
    Ranks ranks(setup);
    for (std::uint64_t i = 0; i < 6; ++i) {
        OutFrame& frame = sent.emplace_back(i, 8, 20);
        ranks.at(0).send(1, frame.header, frame.payload, frame);
    }
    for (int pass = 0; pass < 5; ++pass)
        ranks.progress(0);
    for (std::size_t i = 0; i < 3; ++i)
        CHECK(sent[i].fired == 1);
    for (std::size_t i = 3; i < 6; ++i)
        CHECK(sent[i].fired == 0);  // were `done`
    CHECK(ranks.sink(0).lost == std::vector{1});
}

TEST_CASE("inproc: a peer that has closed is lost at the next send, after what it had sent")
{
    Ranks ranks(Setup{"inproc", "plain", {}});
    for (std::uint64_t i = 0; i < 3; ++i) {
        OutFrame frame(i, 8, 20);
        REQUIRE(ranks.send(1, 0, frame) == SendResult::done);
    }
    ranks.at(1).close();
    for (std::uint64_t i = 0; i < 3; ++i) {
        OutFrame frame(i, 8, 20);
        REQUIRE(ranks.send(0, 1, frame) == SendResult::done);
    }
    CHECK(ranks.progress(0) == 4);  // three frames and the loss
    CHECK(ranks.sink(0).frames.size() == 3);
    CHECK(ranks.sink(0).lost == std::vector{1});
    CHECK(ranks.progress(0) == 0);
}

TEST_CASE("inproc: an aborted job throws from progress and wakes sleepers")
{
    const auto hub = std::make_shared<tutti::transport::InprocHub>(2);
    tutti::transport::InprocTransport transport(hub, 0);
    Recorder sink;
    sink.in_progress = true;
    CHECK(transport.progress(sink) == 0);
    const std::uint32_t before = transport.word()->load();
    hub->abort("rank 1 said so");
    CHECK(transport.word()->load() != before);
    for (int i = 0; i < 2; ++i)
        CHECK_THROWS_WITH(transport.progress(sink), Catch::Matchers::Contains("rank 1 said so"));
}

TEST_CASE("shm: a process that died with a full ring is lost, after what it had sent")
{
    constexpr std::array local = {0, 1};
    std::array<int, 2> to_child{};
    std::array<int, 2> to_parent{};
    REQUIRE(pipe(to_child.data()) == 0);
    REQUIRE(pipe(to_parent.data()) == 0);
    const auto exchange = [](Bytes mine, int out, int in) {
        const std::size_t size = mine.size();
        if (write(out, mine.data(), size) != static_cast<ssize_t>(size) ||
            read(in, mine.data(), size) != static_cast<ssize_t>(size))
            _exit(9);
        return mine;
    };
    const pid_t child = fork();
    if (child == 0) {
        tutti::transport::shm::ShmTransport transport(1, local);
        transport.connect(0, exchange(transport.address(), to_parent[1], to_child[0]));
        int status = 0;
        for (std::uint64_t i = 0; i < 40; ++i) {
            OutFrame frame(i, 8, 20);
            status |= transport.send(0, frame.header, frame.payload, frame) != SendResult::done;
        }
        char go = 0;
        status |= read(to_child[0], &go, 1) != 1;  // the parent has connected
        _exit(status);
    }
    tutti::transport::shm::ShmTransport transport(0, local);
    transport.connect(1, exchange(transport.address(), to_child[1], to_parent[0]));
    REQUIRE(write(to_child[1], "x", 1) == 1);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    for (const int end : {to_child[0], to_child[1], to_parent[0], to_parent[1]})
        close(end);

    Recorder sink;
    OutFrame frame(1, 8, 1000);
    std::size_t written = 0;
    while (transport.send(1, frame.header, frame.payload, frame) == SendResult::done)
        REQUIRE(++written < 1'000'000);
    transport.arm();
    sink.in_progress = true;
    for (int pass = 0; pass < 1000; ++pass)
        transport.progress(sink);
    CHECK(sink.frames.size() == 40);
    CHECK(sink.lost == std::vector{1});
    CHECK(sink.left.empty());
    transport.arm();
    CHECK(transport.progress(sink) == 0);
    CHECK(transport.send(1, frame.header, frame.payload, frame) == SendResult::done);
    transport.close();
}

TEST_CASE("shm: a peer that left with a full ring is lost, though its process goes on")
{
    Ranks ranks(Setup{"shm", "plain", {}});
    OutFrame frame(1, 8, 1000);
    std::size_t written = 0;
    while (ranks.at(0).send(1, frame.header, frame.payload, frame) == SendResult::done)
        REQUIRE(++written < 1'000'000);
    ranks.doorbell(0).arm();
    CHECK(ranks.progress(0) == 0);
    ranks.doorbell(0).disarm();
    ranks.at(1).close();
    ranks.doorbell(0).arm();
    CHECK(ranks.progress(0) == 1);
    CHECK(ranks.sink(0).lost == std::vector{1});
    CHECK(ranks.sink(0).left == std::vector{1});
    CHECK(ranks.at(0).send(1, frame.header, frame.payload, frame) == SendResult::done);
    ranks.doorbell(0).disarm();
}
