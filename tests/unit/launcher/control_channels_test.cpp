#include "launcher/ranks/control_channels.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/foundation/base/terminal.hpp"
#include "lib/foundation/control/channel.hpp"
#include "lib/foundation/control/packet.hpp"

using namespace tutti::launcher;
using tutti::control::Channel;
using State = Channel::Fetched::State;

namespace {

/// A daemon with ranks 0 and 1; what it is told.
struct Channels {
    Channels()
        : channels(loop, {[this](int rank, const std::string& leaving_call) {
                              said.push_back("joined " + std::to_string(rank) + leaving_call);
                          },
                          [this](int rank) { said.push_back("left " + std::to_string(rank)); },
                          [this](int rank, int status, const std::string& message, pid_t thread) {
                              said.push_back(std::to_string(rank) + " aborted " + std::to_string(status) +
                                             " " + message + (thread == 0 ? "" : ", waits"));
                              channels.let_go(rank);
                          },
                          [this](int rank, pid_t process, const tutti::control::Crash& crash) {
                              said.push_back(std::to_string(rank) + " crashed " +
                                             std::to_string(process - ::getpid()) + " by " +
                                             std::to_string(crash.signal) + " at " +
                                             std::to_string(crash.address));
                              channels.let_go(rank);
                          },
                          [](int, const std::string& name, const ControlChannels::Answer& answer) {
                              answer(ControlChannels::Deposit::found, name + " of another node");
                          }})
    {
    }

    /// Runs what ranks do, in a thread of their own, while the daemon serves them.
    template <class Ranks>
    void serve(Ranks&& ranks)
    {
        std::thread thread([&] {
            ranks();
            loop.post([this] { loop.stop(); });
        });
        loop.run();
        thread.join();
    }

    EventLoop loop;
    std::vector<std::string> said;
    ControlChannels channels;
    Channel zero{channels.open(0)};
    Channel one{channels.open(1)};
};

}  // namespace

TEST_CASE("the daemon hears what its ranks say, in order")
{
    Channels scene;
    scene.zero.joined();
    scene.zero.joined(" until MPI_Finalize");
    scene.zero.left();
    scene.one.abort(5, "no more fuel");
    scene.channels.ended(0);
    scene.channels.ended(1);
    CHECK(scene.said == std::vector<std::string>{"joined 0", "joined 0 until MPI_Finalize", "left 0",
                                                 "1 aborted 5 no more fuel"});
}

TEST_CASE("a rank that crashes or aborts waits until the daemon lets it go, if that may look")
{
    using Clock = std::chrono::steady_clock;
    Channels scene;
    const Clock::time_point begin = Clock::now();
    scene.serve([&] {
        scene.zero.crash({.signal = 11, .address = 8});
        scene.one.abort(1, "plain");
        scene.one.let_daemon_look();
        scene.one.abort(2, "seen");
        scene.one.joined();  // comes behind
    });
    scene.channels.ended(1);
    CHECK(Clock::now() - begin < tutti::control::kStackPatience);
    CHECK(scene.said == std::vector<std::string>{"0 crashed 0 by 11 at 8", "1 aborted 1 plain",
                                                 "1 aborted 2 seen, waits", "joined 1"});
    // A daemon that does not answer costs the time that a rank may wait, one that is gone nothing.
    scene.zero.crash({.signal = 11});
    CHECK(Clock::now() - begin >= tutti::control::kStackPatience);
    scene.channels.ended(0);
    const Clock::time_point gone = Clock::now();
    scene.zero.crash({.signal = 11});
    CHECK(Clock::now() - gone < tutti::control::kStackPatience);
}

TEST_CASE("ranks fetch what others have deposited, with its descriptor")
{
    Channels scene;
    const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    scene.serve([&] {
        CHECK(scene.one.fetch(0, "memory").state == State::missing);
        scene.zero.deposit("contact", "bytes");
        scene.zero.deposit("memory", "", null.get());
        const Channel::Fetched contact = scene.one.fetch(0, "contact");
        CHECK(contact.state == State::found);
        CHECK(contact.bytes == "bytes");
        CHECK_FALSE(contact.descriptor);
        const Channel::Fetched memory = scene.one.fetch(0, "memory");
        CHECK(memory.state == State::found);
        REQUIRE(memory.descriptor);
        CHECK(tutti::base::identity_of_file(memory.descriptor.get()) ==
              tutti::base::identity_of_file(null.get()));
        scene.zero.withdraw("memory");
        CHECK(scene.one.fetch(0, "memory").state == State::missing);
        CHECK(scene.one.fetch(7, "contact").bytes == "contact of another node");
    });
}

TEST_CASE("what a rank has deposited is found before the daemon has looked at that rank")
{
    Channels scene;
    const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    State state = State::gone;
    std::thread asking([&] {
        state = scene.one.fetch(0, "memory", std::chrono::seconds(20)).state;
        scene.loop.post([&] { scene.loop.stop(); });
    });
    // The question is the first to be ready.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    scene.zero.deposit("memory", "", null.get());
    scene.loop.run();
    asking.join();
    CHECK(state == State::found);
}

TEST_CASE("ranks that fetch without end, of themselves and of each other in circles, cost the daemon nothing")
{
    using tutti::control::Packet;
    Channels scene;
    const UniqueFd two = scene.channels.open(2);
    const UniqueFd three = scene.channels.open(3);
    const auto ask = [](const UniqueFd& asker, int rank) {
        CHECK(tutti::control::send(asker.get(),
                                   {.kind = Packet::Kind::fetch, .number = rank, .name = "contact"}));
    };
    scene.serve([&] {
        for (int i = 0; i < 100'000; ++i)
            ask(two, 2);
        for (int i = 0; i < 100'000; ++i) {
            ask(two, 3);
            ask(three, 2);
        }
        scene.zero.deposit("contact", "bytes");
        CHECK(scene.one.fetch(0, "contact", std::chrono::seconds(20)).bytes == "bytes");
    });
    // Each was answered, until the rank's socket was full.
    Packet answer;
    REQUIRE(tutti::control::receive(two.get(), answer) == tutti::control::Arrival::packet);
    CHECK(answer.kind == Packet::Kind::missing);
}

TEST_CASE("of a rank that has ended its contact stays, and its descriptors go")
{
    Channels scene;
    const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    scene.zero.deposit("contact", "bytes");
    scene.zero.deposit("memory", "", null.get());
    scene.channels.ended(0);
    scene.serve([&] {
        CHECK(scene.one.fetch(0, "contact").bytes == "bytes");
        CHECK(scene.one.fetch(0, "memory").state == State::gone);
    });
    std::string bytes;
    CHECK(scene.channels.find(0, "contact", bytes) == ControlChannels::Deposit::found);
    CHECK(scene.channels.find(5, "contact", bytes) == ControlChannels::Deposit::gone);
}

TEST_CASE("a rank's end of its channel has a number that scripts do not use")
{
    EventLoop loop;
    ControlChannels channels(loop, {});
    CHECK(channels.open(0).get() >= 20);
}
