// A rank's profile: what it writes is what a reader finds.
#include "lib/foundation/observe/profile_page.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <thread>

#include <catch2/catch.hpp>

#include "lib/foundation/observe/profile_writer.hpp"

namespace {

using tutti::observe::CallWords;
using tutti::observe::IdleTime;
using tutti::observe::MessageProtocol;
using tutti::observe::Operation;
using tutti::observe::ProfileHeader;
using tutti::observe::ProfileKey;
using tutti::observe::ProfileMemory;
using tutti::observe::ProfileMessage;
using tutti::observe::ProfileWriter;

CallWords call_of(Operation operation, std::uint64_t bytes, std::uint64_t context = 0)
{
    return {context, CallWords::pack(1, 7), CallWords::what_of(operation, bytes), 0};
}

}  // namespace

TEST_CASE("calls that are alike are one entry of a profile")
{
    ProfileWriter writer(ProfileMemory::create(4, 0), false);
    for (const std::uint64_t bytes : {1024u, 2047u, 2048u}) {
        writer.begins(call_of(Operation::recv, bytes), 1, 5, writer.now());
        writer.ended();
    }
    writer.ended();  // in no call
    writer.begins(call_of(Operation::recv, 1024, 8), 1, 5, writer.now());
    writer.ended();
    std::vector<std::pair<int, std::uint64_t>> found;
    for (const auto& entry : writer.memory().aggregates()) {
        const ProfileKey key{entry.key.load()};
        if (key.word == 0)
            continue;
        CHECK(key.operation() == Operation::recv);
        CHECK(key.caller() == 5);
        CHECK(entry.least_ticks <= entry.most_ticks);
        CHECK(entry.most_ticks <= entry.ticks);
        if (entry.context == 0)
            found.emplace_back(key.size_class(), entry.calls * 100000 + entry.bytes);
    }
    std::sort(found.begin(), found.end());
    CHECK(found == std::vector<std::pair<int, std::uint64_t>>{{11, 203071}, {12, 102048}});
}

TEST_CASE("a wait is told of the peer whose message ends it, or of the call's own")
{
    ProfileWriter writer(ProfileMemory::create(4, 0), false);
    const auto idle = [&] {
        IdleTime time(writer);
        time.looks();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        time.idled();
        time.looks();
        writer.arrived(3, 0, 7, 100, MessageProtocol::eager);
        time.moved();
    };
    writer.begins(call_of(Operation::recv, 8), 1, 0, writer.now());
    idle();
    writer.ended();
    CHECK(writer.memory().peers()[1].waited_ticks > 0);
    CHECK(writer.memory().peers()[3].waited_ticks == 0);
    writer.begins(call_of(Operation::wait_any, 2), -1, 0, writer.now());
    CHECK(writer.memory()->open_ticks != 0);
    idle();
    writer.ended();
    CHECK(writer.memory()->open_ticks == 0);
    CHECK(writer.memory().peers()[3].waited_ticks > 0);
    std::uint64_t waited = 0;
    for (const auto& entry : writer.memory().aggregates()) {
        CHECK(entry.waiting_ticks <= entry.ticks);
        waited += entry.waiting_ticks;
    }
    CHECK(waited == writer.memory().peers()[1].waited_ticks + writer.memory().peers()[3].waited_ticks);
}

TEST_CASE("messages are counted by peer, those of collectives apart, and many peers share an entry")
{
    ProfileWriter writer(ProfileMemory::create(5000, 4), false);
    writer.sent(2, 8, 1, 100, std::nullopt, writer.now());
    writer.sent(2, 9, 1, 10, MessageProtocol::inject, writer.now());
    writer.arrived(2, 8, 1, 7, MessageProtocol::pull);
    writer.sent(4095, 8, 1, 1, std::nullopt, writer.now());
    writer.sent(4096, 8, 1, 20, std::nullopt, writer.now());
    writer.sent(4999, 8, 1, 30, MessageProtocol::inject, writer.now());
    writer.took(MessageProtocol::stream, 100);
    writer.took(MessageProtocol::stream, 20);
    const auto peers = writer.memory().peers();
    REQUIRE(peers.size() == ProfileHeader::kMostPeers + 1);
    CHECK(peers[2].sent == 1);
    CHECK(peers[2].sent_bytes == 100);
    CHECK(peers[2].collective_sent == 1);
    CHECK(peers[2].collective_sent_bytes == 10);
    CHECK(peers[2].arrived_bytes == 7);
    CHECK(peers[4095].sent_bytes == 1);
    CHECK(peers[4096].sent_bytes == 50);
    // The ring keeps the last four of six.
    CHECK(writer.memory()->messages_written == 6);
    const auto messages = writer.memory().messages();
    CHECK(messages[2].sequence == 3);
    CHECK(messages[2].bytes_and_kind == (ProfileMessage::kArrived | std::uint64_t{4} << 60 | 7));
    CHECK(messages[1].sequence == 6);
    CHECK(messages[1].bytes_and_kind == (std::uint64_t{1} << 60 | 30));
    const auto stream = static_cast<std::size_t>(MessageProtocol::stream);
    CHECK(writer.memory()->protocol_messages[stream] == 2);
    CHECK(writer.memory()->protocol_bytes[stream] == 120);
    CHECK(writer.memory()->protocol_messages[0] == 2);  // inject
    CHECK(writer.memory()->protocol_bytes[0] == 40);
    CHECK(CallWords{0, messages[1].peer_and_tag, 0, 0}.peer() == 4999);
}

TEST_CASE("the last calls are events")
{
    ProfileWriter writer(ProfileMemory::create(2, 2), false);
    for (int i = 0; i < 3; ++i) {
        writer.begins(call_of(Operation::send, static_cast<std::uint64_t>(i)), -1, 9, writer.now());
        writer.ended();
    }
    const auto events = writer.memory().events();
    CHECK(writer.memory()->events_written == 3);
    CHECK(events[0].sequence == 3);
    CHECK(events[0].call.load().bytes() == 2);
    CHECK(events[1].call.load().bytes() == 1);
    CHECK(events[0].begin_ticks <= events[0].end_ticks);
    CHECK((events[0].caller_and_thread & 0xffff) == 9);
    CHECK(events[0].caller_and_thread >> 16 == static_cast<std::uint64_t>(::gettid()));
}

TEST_CASE("a full table tells how much it leaves out")
{
    ProfileWriter writer(ProfileMemory::create(2, 0), false);
    for (std::uint64_t context = 0; context < 3 * ProfileHeader::kAggregates; ++context) {
        writer.begins(call_of(Operation::send, 8, context), -1, 0, writer.now());
        writer.ended();
    }
    std::uint64_t calls = writer.memory()->left_out_calls;
    CHECK(calls >= 2 * ProfileHeader::kAggregates);
    for (const auto& entry : writer.memory().aggregates())
        calls += entry.calls;
    CHECK(calls == 3 * ProfileHeader::kAggregates);
}

TEST_CASE("the daemon maps a profile of this version only")
{
    ProfileMemory own = ProfileMemory::create(3, 16);
    own.peers()[3].sent = 11;
    const int file = ::fcntl(own.take_descriptor().release(), F_DUPFD_CLOEXEC, 3);
    const ProfileMemory seen = ProfileMemory::open(tutti::base::UniqueFd(::dup(file)));
    REQUIRE(seen);
    CHECK(seen.peers().size() == 4);
    CHECK(seen.peers()[3].sent == 11);
    CHECK(seen.events().size() == 16);
    own->events = 17;
    CHECK_FALSE(ProfileMemory::open(tutti::base::UniqueFd(::dup(file))));
    own->events = 16;
    own->peers = 1ull << 62;
    CHECK_FALSE(ProfileMemory::open(tutti::base::UniqueFd(::dup(file))));
    own->peers = 3;
    own->magic = 1;
    CHECK_FALSE(ProfileMemory::open(tutti::base::UniqueFd(file)));
    CHECK_FALSE(ProfileMemory::open({}));
    CHECK_FALSE(ProfileMemory::open(tutti::base::UniqueFd(::memfd_create("test", MFD_CLOEXEC))));
}
