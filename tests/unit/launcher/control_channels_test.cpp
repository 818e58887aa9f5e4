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

using namespace tutti::launcher;
using tutti::control::Channel;
using State = Channel::Fetched::State;

namespace {

/// A daemon with ranks 0 and 1; what it is told.
struct Channels {
    Channels()
        : channels(loop, {[this](int rank, const std::string& farewell) {
                              said.push_back("joined " + std::to_string(rank) + farewell);
                          },
                          [this](int rank) { said.push_back("left " + std::to_string(rank)); },
                          [this](int rank, int status, const std::string& message) {
                              said.push_back(std::to_string(rank) + " aborted " + std::to_string(status) +
                                             " " + message);
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

TEST_CASE("ranks fetch what others have deposited, with its descriptor")
{
    Channels scene;
    const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    scene.serve([&] {
        CHECK(scene.one.fetch(0, "memory").state == State::missing);
        scene.zero.deposit("card", "bytes");
        scene.zero.deposit("memory", "", null.get());
        const Channel::Fetched card = scene.one.fetch(0, "card");
        CHECK(card.state == State::found);
        CHECK(card.bytes == "bytes");
        CHECK_FALSE(card.descriptor);
        const Channel::Fetched memory = scene.one.fetch(0, "memory");
        CHECK(memory.state == State::found);
        REQUIRE(memory.descriptor);
        CHECK(tutti::base::identity_of_file(memory.descriptor.get()) ==
              tutti::base::identity_of_file(null.get()));
        scene.zero.withdraw("memory");
        CHECK(scene.one.fetch(0, "memory").state == State::missing);
        CHECK(scene.one.fetch(7, "card").bytes == "card of another node");
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

TEST_CASE("of a rank that has ended its card stays, and its descriptors go")
{
    Channels scene;
    const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    scene.zero.deposit("card", "bytes");
    scene.zero.deposit("memory", "", null.get());
    scene.channels.ended(0);
    scene.serve([&] {
        CHECK(scene.one.fetch(0, "card").bytes == "bytes");
        CHECK(scene.one.fetch(0, "memory").state == State::gone);
    });
    std::string bytes;
    CHECK(scene.channels.find(0, "card", bytes) == ControlChannels::Deposit::found);
    CHECK(scene.channels.find(5, "card", bytes) == ControlChannels::Deposit::gone);
}

TEST_CASE("a rank's end of its channel has a number that scripts do not use")
{
    EventLoop loop;
    ControlChannels channels(loop, {});
    CHECK(channels.open(0).get() >= 20);
}
