// Profiles on their way to the head, and what is made of them: hostile pages and frames, sums, words.
#include <algorithm>
#include <random>

#include <catch2/catch.hpp>

#include "launcher/profile/job_statistics.hpp"
#include "launcher/profile/profile_frames.hpp"
#include "launcher/profile/rank_profile.hpp"
#include "launcher/profile/summary.hpp"
#include "launcher/report/names.hpp"
#include "launcher/wire/codec.hpp"
#include "lib/foundation/observe/profile_page.hpp"
#include "lib/foundation/observe/profile_writer.hpp"
#include "tests/json.hpp"

using namespace tutti::launcher;

namespace {

using tutti::observe::Operation;
using tutti::observe::ProfileMemory;
using tutti::observe::StatusWord;

constexpr std::int64_t kSecond = 1'000'000'000;

RankProfile::Calls calls_of(Operation operation, std::int64_t ns, std::int64_t waiting_ns)
{
    RankProfile::Calls calls;
    calls.operation = operation;
    calls.size_class = 11;
    calls.calls = 1;
    calls.bytes = 1024;
    calls.ns = calls.least_ns = calls.most_ns = ns;
    calls.waiting_ns = waiting_ns;
    calls.caller = 0;
    return calls;
}

/// Ten seconds, of which it is in a recv for so long.
RankProfile profile_of(int rank, std::int64_t waiting_ns)
{
    RankProfile profile;
    profile.rank = rank;
    profile.left = true;
    profile.joined_ns = 5 * kSecond;
    profile.ended_ns = 15 * kSecond;
    StackFrame frame;
    frame.function = "(anonymous namespace)::step<int>(double)";
    frame.file = "a.cpp";
    frame.line = 7;
    profile.callers.push_back(frame);
    profile.calls.push_back(calls_of(Operation::recv, waiting_ns, waiting_ns));
    profile.peers.push_back({(rank + 1) % 3, 2, 2048, 1, 8, 0, 0, waiting_ns});
    profile.protocol_messages[1] = 2;  // eager
    profile.protocol_bytes[1] = 2048;
    return profile;
}

void fill_with_random_words(ProfileMemory& memory, std::mt19937_64& random)
{
    auto* const words = reinterpret_cast<StatusWord*>(&*memory);
    const std::size_t size = memory->size_bytes / sizeof(StatusWord);
    const std::uint64_t peers = memory->peers;
    const std::uint64_t events = memory->events;
    for (std::size_t i = 2; i < size; ++i)
        words[i] = random() >> (random() % 64);
    memory->peers = peers;
    memory->events = events;
}

}  // namespace

TEST_CASE("a profile of random words is read, travels, and is added up")
{
    std::mt19937_64 random(3);
    for (int round = 0; round < 20; ++round) {
        ProfileMemory memory = ProfileMemory::create(4, 8);
        fill_with_random_words(memory, random);
        const tutti::base::TickMoment end =
            round % 2 == 0 ? moment_of(memory) : tutti::base::TickMoment{random(), 7};
        const HostTime host{{random(), static_cast<std::int64_t>(random() >> 2)}, end};
        RankProfile profile = read_profile(1, memory, host, end);
        CHECK(places_of(memory).size() == profile.callers.size());
        CHECK(profile.callers.size() <= tutti::observe::ProfileHeader::kCallers);
        for (const RankProfile::Communicator& communicator : profile.communicators)
            CHECK(std::all_of(communicator.name.begin(), communicator.name.end(),
                              [](char c) { return c >= ' ' && c <= '~'; }));
        const RankProfile arrived = decode<RankProfile>(encode(profile));
        TraceReader trace(memory, host, end);
        for (TraceChunk chunk; trace.next(chunk);) {
            CHECK(chunk.calls.size() + chunk.messages.size() <= 8);
            CHECK(encode(decode<TraceChunk>(encode(chunk))) == encode(chunk));
        }
        const Statistics statistics = Statistics::of({arrived}, {"a", "b", "c", "d"});
        CHECK(statistics.missing == std::vector<int>{0, 2, 3});
        CHECK(tutti::test::Json(json_of(statistics, {{"x"}}))["by_rank"].size() == 1);
        CHECK_FALSE(summary_of(statistics).empty());
        CHECK_FALSE(page_of(statistics, {{"x"}}).empty());
    }
}

TEST_CASE("a profile comes in pieces; others' bytes are refused")
{
    RankProfile profile = profile_of(2, kSecond);
    profile.calls.resize(40000, profile.calls.front());
    const std::vector<std::string> pieces = pieces_of(profile);
    REQUIRE(pieces.size() > 1);
    ProfileParts parts;
    std::optional<RankProfile> whole;
    for (const std::string& piece : pieces) {
        CHECK_FALSE(whole);
        whole = parts.add(piece);
    }
    REQUIRE(whole);
    CHECK(encode(*whole) == encode(profile));
    CHECK_THROWS_AS(parts.add("ab"), WireError);
    CHECK_THROWS_AS(parts.add(pieces.back()), WireError);  // without its beginning
    profile = profile_of(2, kSecond);
    profile.calls.front().caller = 1;
    CHECK_THROWS_AS(parts.add(pieces_of(profile).front()), WireError);
    profile = profile_of(2, kSecond);
    profile.calls.front().operation = static_cast<Operation>(200);
    CHECK_THROWS_AS(parts.add(pieces_of(profile).front()), WireError);
    profile = profile_of(2, kSecond);
    profile.peers.front().waited_ns = -1;
    CHECK_THROWS_AS(parts.add(pieces_of(profile).front()), WireError);
    profile = profile_of(2, kSecond);
    profile.protocol_bytes.pop_back();
    CHECK_THROWS_AS(parts.add(pieces_of(profile).front()), WireError);
    profile = profile_of(2, kSecond);
    profile.ended_ns = 0;
    CHECK_THROWS_AS(parts.add(pieces_of(profile).front()), WireError);
}

TEST_CASE("a timeline comes before its profile, some thousand events at a time")
{
    constexpr std::size_t kEvents = 20000;
    ProfileMemory memory = ProfileMemory::create(3, kEvents);
    const std::size_t written = kEvents + 5;
    for (std::size_t i = 0; i < written; ++i) {
        auto& call = memory.events()[i % kEvents];
        call.caller_and_thread = (i + 1) << tutti::observe::ProfileKey::kCallerBits | 7;
        call.sequence = i + 1;
        auto& message = memory.messages()[i % kEvents];
        message.number = i;
        message.sequence = i + 1;
    }
    memory.events()[100].sequence = 0;  // the rank died while it wrote this one
    memory->events_written = written;
    memory->messages_written = written;
    memory->open_ticks = 1;
    const tutti::base::TickMoment end{1000, 1000};
    const HostTime host{{0, 0}, end};

    TraceReader trace(memory, host, end);
    ProfileParts parts;
    std::size_t pieces = 0;
    for (TraceChunk chunk; trace.next(chunk); ++pieces) {
        const std::string piece = piece_of(2, chunk);
        CHECK(piece.size() < std::size_t{1} << 20);
        CHECK_FALSE(parts.add(piece));
    }
    CHECK(pieces > 4);
    std::optional<RankProfile> whole;
    for (const std::string& piece : pieces_of(read_profile(2, memory, host, end)))
        whole = parts.add(piece);
    REQUIRE(whole);
    CHECK(whole->dropped_calls == 5);
    CHECK(whole->dropped_messages == 5);
    REQUIRE(whole->last_calls.size() == kEvents);  // without the one, and with the one that did not end
    CHECK(whole->last_calls.front().caller == 7);
    CHECK(whole->last_calls.back().end_ns < whole->last_calls.back().begin_ns);
    REQUIRE(whole->last_messages.size() == kEvents);
    for (std::size_t i = 0; i < kEvents; ++i)
        if (whole->last_messages[i].number != i + 5)
            FAIL_CHECK("message " << i << " is number " << whole->last_messages[i].number);
}

TEST_CASE("ranks of a host have one clock, however far off their own readings are")
{
    const HostTime host{{1000, 500'000}, {31'000, 510'000}};  // three ticks a nanosecond
    std::vector<ProfileClock> clocks;
    for (const int off : {-200, 0, 300}) {
        ProfileMemory memory = ProfileMemory::create(2, 0);
        memory->ticks_are_of_processor = 1;
        memory->joined_ticks = 4000;
        memory->joined_ns = static_cast<std::uint64_t>(501'000 + off);
        clocks.emplace_back(memory, host, tutti::base::TickMoment{28'000, 509'000 - off});
    }
    for (const std::uint64_t ticks : {4000, 10'000, 10'003, 28'000})
        for (const ProfileClock& clock : clocks)
            CHECK(clock.at(ticks) == 500'000 + static_cast<std::int64_t>(ticks - 1000) / 3);
    CHECK(clocks[0].at(0) == 501'000);  // before it had joined
    CHECK(clocks[0].duration(3000) == 1000);
    ProfileMemory memory = ProfileMemory::create(2, 0);  // of a machine without such a counter
    memory->joined_ticks = 501'000;
    CHECK(ProfileClock(memory, host, {509'000, 509'000}).at(502'003) == 502'003);
}

TEST_CASE("times are added up, and the rank that waits least is the slow one")
{
    const Statistics statistics =
        Statistics::of({profile_of(0, 4 * kSecond), profile_of(1, 5 * kSecond), profile_of(2, kSecond / 10)},
                       {"a", "a", "b"});
    CHECK(statistics.seconds == Approx(10));
    CHECK(statistics.missing.empty());
    CHECK(statistics.share(&Statistics::Rank::waiting) == Approx(0.3033).epsilon(0.01));
    CHECK(statistics.ranks[0].computing == Approx(6));
    CHECK(statistics.imbalance() == Approx(9.9 / (20.9 / 3)));
    REQUIRE(statistics.slow() != nullptr);
    CHECK(statistics.slow()->rank == 2);
    CHECK(statistics.slow()->host == "b");
    CHECK(statistics.ranks[1].awaited_most == 2);
    CHECK(statistics.ranks[2].awaited == Approx(5));
    REQUIRE(statistics.operations.size() == 1);
    CHECK(statistics.operations[0].calls == 3);
    CHECK(statistics.operations[0].bytes == 3072);
    CHECK(statistics.operations[0].most == Approx(5));
    CHECK(statistics.operations[0].least == Approx(0.1));
    REQUIRE(statistics.lines.size() == 1);
    CHECK(statistics.lines[0].place == "step<int> at a.cpp:7");
    REQUIRE(statistics.pairs.size() == 3);
    CHECK(statistics.pairs[0].all_bytes() == 2056);
    CHECK(statistics.pairs[0].all_messages() == 3);
    const std::string text = summary_of(statistics);
    CAPTURE(text);
    CHECK(text.find("statistics: 3 ranks, 10 s: 70 % computing, 30 % waiting, 0 % moving data\n") == 0);
    CHECK(text.find("  the others wait for rank 2 (on b): it waits 100 ms, they 4.5 s in the mean\n") !=
          std::string::npos);
    CHECK(text.find("recv, 1 KiB up, on world: 9.1 s, 100 % of it waiting, 3 calls") != std::string::npos);
    CHECK(text.find("0 to 1: 2.008 KiB, 3 messages") != std::string::npos);
    CHECK(text.find("\n  messages by their protocol: eager 6 (6 KiB)\n") != std::string::npos);
    CHECK(tutti::test::Json(json_of(statistics, {{"x"}}))["protocols"].size() == 5);
}

TEST_CASE("ranks that are alike have no slow one")
{
    const Statistics statistics =
        Statistics::of({profile_of(0, 4 * kSecond), profile_of(1, 5 * kSecond)}, {"a", "a"});
    CHECK(statistics.slow() == nullptr);
    CHECK(Statistics::of({}, {"a"}).slow() == nullptr);
    CHECK(Statistics::of({}, {"a"}).imbalance() == 1);
}

TEST_CASE("a page of many ranks is small, and names of programs are texts in it")
{
    std::vector<RankProfile> profiles;
    for (int rank = 0; rank < 1000; ++rank) {
        profiles.push_back(profile_of(rank, kSecond));
        profiles.back().peers.front().rank = (rank + 1) % 1000;
    }
    const Statistics statistics = Statistics::of(profiles, std::vector<std::string>(1000, "a<b"));
    const std::string page = page_of(statistics, {{"/x/<script>"}});
    CHECK(page.size() < 200'000);
    CHECK(page.find("<script") == std::string::npos);
    CHECK(page.find("a<b") == std::string::npos);
    CHECK(page.find("&lt;script&gt;") != std::string::npos);
    CHECK(page.find("ranks 0-15") != std::string::npos);
}

TEST_CASE("calls of windows have names")
{
    using tutti::observe::WindowCall;
    const auto name_of_call = [](WindowCall call) {
        return name_of_operation(Operation::window_call, static_cast<std::uint64_t>(call));
    };
    CHECK(name_of_call(WindowCall::put) == "put");
    CHECK(name_of_call(WindowCall::compare_and_swap) == "compare_and_swap");
    CHECK(name_of_call(WindowCall::wait) == "wait");
    CHECK(name_of_call(static_cast<WindowCall>(77)) == "a call");
}

TEST_CASE("sizes and times have words")
{
    CHECK(size_class_in_words(0) == "no data");
    CHECK(size_class_in_words(1) == "1 B");
    CHECK(size_class_in_words(3) == "4-7 B");
    CHECK(size_class_in_words(11) == "1 KiB up");
    CHECK(size_class_in_words(21) == "1 MiB up");
    CHECK(short_time(0.0000004) == "400 ns");
    CHECK(short_time(0.0021) == "2.1 ms");
    CHECK(short_time(90) == "1.5 min");
    CHECK(share_in_words(0.004) == "0.4 %");
    CHECK(share_in_words(0.374) == "37 %");
}
