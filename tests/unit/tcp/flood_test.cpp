// More than the kernel takes, in both directions at once.
#include <catch2/catch.hpp>

#include <sys/socket.h>

#include <array>
#include <deque>
#include <set>

#include "tests/unit/tcp/support.hpp"
#include "transports/tcp/send_queue.hpp"

using namespace tutti::test;
using tutti::ErrorCode;
using tutti::security::Key;
using tutti::transport::Completion;
using tutti::transport::SendResult;
using tutti::transport::tcp::Head;
using tutti::transport::tcp::Prefix;
using tutti::transport::tcp::SendQueue;

namespace {

struct Counting : Completion {
    Counting()
    {
        fire = [](Completion& self, ErrorCode code) {
            auto& counting = static_cast<Counting&>(self);
            ++counting.fired;
            counting.result = code;
        };
    }
    int fired = 0;
    ErrorCode result = ErrorCode::success;
};

Bytes payload_of(std::size_t number, std::size_t size)
{
    return Bytes(size, static_cast<std::byte>(number));
}

/// What a queue is flushed into, and who reads it.
struct Ends {
    Ends()
    {
        std::array<int, 2> ends{};
        REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) == 0);
        out = tutti::base::UniqueFd(ends[0]);
        in = tutti::base::UniqueFd(ends[1]);
    }

    /// All of the queue, of which `bytes` bytes are still to be read.
    Bytes pass(SendQueue& queue, std::size_t bytes, std::vector<Completion*>& finished) const
    {
        Bytes got;
        Bytes buffer(100'000);
        bool empty = false;
        while (!empty || got.size() < bytes) {
            empty = queue.flush(out.get(), finished) == SendQueue::Flush::empty;
            const ssize_t more = recv(in.get(), buffer.data(), buffer.size(), 0);
            REQUIRE(more > 0);
            got.insert(got.end(), buffer.begin(), buffer.begin() + more);
        }
        return got;
    }

    tutti::base::UniqueFd out;
    tutti::base::UniqueFd in;
};

}  // namespace

TEST_CASE("two ranks that flood each other")
{
    const std::size_t size = GENERATE(8u, 3000u, 100'000u);
    const Key key = Key::random();
    TcpRank zero(0, 2, key);
    TcpRank one(1, 2, key);
    zero.connect(one, 1);
    one.connect(zero, 0);
    // Neither takes anything until both are full, twice: the second time with a connection that stands.
    std::deque<Counting> completions;
    std::deque<Bytes> payloads;
    std::array<std::size_t, 2> sent{};
    std::size_t pending = 0;
    for (int round = 0; round < 2; ++round) {
        for (int rank : {0, 1}) {
            TcpRank& from = rank == 0 ? zero : one;
            SendResult result = SendResult::done;
            while (result != SendResult::again) {
                payloads.push_back(payload_of(sent[static_cast<std::size_t>(rank)], size));
                result = from->send(1 - rank, bytes_of("h"), payloads.back(), completions.emplace_back());
                pending += result == SendResult::pending;
                sent[static_cast<std::size_t>(rank)] += result != SendResult::again;
                REQUIRE(sent[static_cast<std::size_t>(rank)] < 300'000);
            }
        }
        REQUIRE(drive({&zero, &one}, [&] {
            return one.sink.frames.size() == sent[0] && zero.sink.frames.size() == sent[1];
        }));
    }
    CHECK((pending != 0) == (size >= SendQueue::kCopyBelow));
    std::size_t fired = 0;
    for (const Counting& completion : completions)
        fired += static_cast<std::size_t>(completion.fired);
    CHECK(fired == pending);
    for (TcpRank* rank : {&zero, &one}) {
        for (std::size_t i = 0; i < rank->sink.frames.size(); ++i) {
            const auto& payload = rank->sink.frames[i].payload;
            REQUIRE(payload.size() == size);
            REQUIRE(payload[0] == static_cast<char>(i));
            REQUIRE(payload[size - 1] == static_cast<char>(i));
        }
    }
}

TEST_CASE("frames for a peer that is lost complete with that")
{
    const Key key = Key::random();
    TcpRank zero(0, 2, key);
    connect_to_gone(zero, key);
    std::deque<Counting> completions;
    const Bytes payload(100'000);
    const std::span<const std::byte> whole(payload);
    const std::array parts = {whole.first(1), whole.subspan(1, 70'000), whole.subspan(70'001)};
    for (int i = 0; i < 5; ++i)
        REQUIRE(zero->send(1, bytes_of("h"), payload, completions.emplace_back()) == SendResult::pending);
    for (int i = 0; i < 5; ++i)
        REQUIRE(zero->send_parts(1, bytes_of("h"), parts, completions.emplace_back()) == SendResult::pending);
    REQUIRE(drive({&zero}, [&] { return !zero.sink.losses.empty(); }));
    for (const Counting& completion : completions) {
        CHECK(completion.fired == 1);
        CHECK(completion.result == ErrorCode::peer_lost);
    }
}

TEST_CASE("a queue keeps the order of short and long frames, and its bounds")
{
    Ends ends;
    SendQueue queue;
    std::deque<Counting> completions;
    std::deque<Bytes> payloads;
    Bytes expected;
    std::size_t kept = 0;
    std::size_t copied = 0;
    for (std::size_t i = 0; i < 200; ++i) {
        const Bytes& payload = payloads.emplace_back(payload_of(i, i % 5 == 0 ? 70'000 : i * 10));
        const Head head(Prefix::Kind::frame, bytes_of("header"), payload.size());
        const std::span<const std::byte> whole(payload);
        const std::size_t third = payload.size() / 3;
        const std::array parts = {whole.first(third), whole.subspan(third, 0), whole.subspan(third)};
        const SendResult result = i % 2 == 0 ? queue.push(head, {&whole, 1}, 0, completions.emplace_back())
                                             : queue.push(head, parts, 0, completions.emplace_back());
        if (result == SendResult::again)
            continue;
        kept += result == SendResult::pending;
        copied += result == SendResult::done ? payload.size() : 0;
        expected.insert(expected.end(), head.bytes().begin(), head.bytes().end());
        expected.insert(expected.end(), payload.begin(), payload.end());
    }
    CHECK(kept == 16);
    CHECK(copied < 300'000);
    std::vector<Completion*> finished;
    const Bytes got = ends.pass(queue, expected.size(), finished);
    CHECK(queue.empty());
    CHECK(finished.size() == kept);
    CHECK((got == expected));  // not to be printed: it is long
}

TEST_CASE("a payload that is released may change: what was kept for it goes out as it was")
{
    const bool begun = GENERATE(false, true);
    Ends ends;
    SendQueue queue;
    std::deque<Counting> completions;
    std::deque<Bytes> payloads;
    Bytes expected;
    // Long ones in three parts and in one, and short ones between them.
    for (std::size_t i = 0; i < 9; ++i) {
        const Bytes& payload = payloads.emplace_back(payload_of(i, i % 3 == 2 ? 1'000 : 400'000));
        const Head head(Prefix::Kind::frame, bytes_of("header"), payload.size());
        const std::span<const std::byte> whole(payload);
        const std::array parts = {whole.first(1), whole.subspan(1, 200'000), whole.subspan(200'001)};
        const SendResult result = i % 3 == 0 ? queue.push(head, parts, 0, completions.emplace_back())
                                             : queue.push(head, {&whole, 1}, 0, completions.emplace_back());
        REQUIRE(result == (i % 3 == 2 ? SendResult::done : SendResult::pending));
        expected.insert(expected.end(), head.bytes().begin(), head.bytes().end());
        expected.insert(expected.end(), payload.begin(), payload.end());
    }
    std::vector<Completion*> finished;
    if (begun)
        REQUIRE(queue.flush(ends.out.get(), finished) == SendQueue::Flush::blocked);
    for (const std::size_t i : {3u, 0u, 7u}) {
        queue.release_payload(completions[i]);
        std::ranges::fill(payloads[i], std::byte{0xee});
    }
    const Bytes got = ends.pass(queue, expected.size(), finished);
    CHECK((got == expected));     // not to be printed: it is long
    CHECK(finished.size() == 6);  // each once
    CHECK(std::set(finished.begin(), finished.end()).size() == 6);
}

TEST_CASE("frames that wait for later ones go out in order, and payloads may be released")
{
    const std::size_t released = GENERATE(0u, 1u, 2u, 3u, 6u);
    Ends ends;
    SendQueue queue;
    std::deque<Counting> completions;
    std::deque<Bytes> payloads;
    Bytes expected;
    for (std::size_t i = 0; i < 9; ++i) {
        const std::size_t size = std::array<std::size_t, 3>{10, 5'000, 0}[i % 3];
        const Bytes& payload = payloads.emplace_back(payload_of(i, size));
        const Head head(Prefix::Kind::frame, bytes_of("header"), payload.size());
        const std::span<const std::byte> whole(payload);
        if (i == 4)  // copied, without a completion
            REQUIRE(queue.push(head, {&whole, 1}, 0, completions.emplace_back()) == SendResult::done);
        else
            queue.keep(head, payload, completions.emplace_back());
        expected.insert(expected.end(), head.bytes().begin(), head.bytes().end());
        expected.insert(expected.end(), payload.begin(), payload.end());
    }
    CHECK(queue.size_bytes() == expected.size());
    queue.release_payload(completions[released]);
    std::ranges::fill(payloads[released], std::byte{0xee});
    std::vector<Completion*> finished;
    const Bytes got = ends.pass(queue, expected.size(), finished);
    CHECK((got == expected));  // not to be printed: it is long
    CHECK(queue.size_bytes() == 0);
    REQUIRE(finished.size() == 8);
    for (std::size_t i = 0; i < finished.size(); ++i)
        CHECK(finished[i] == &completions[i < 4 ? i : i + 1]);
}
