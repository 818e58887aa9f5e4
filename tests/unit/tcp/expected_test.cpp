// Frames of a peer that a long one is expected from: the header is read alone, the payload to its place.
#include <catch2/catch.hpp>

#include <algorithm>
#include <optional>

#include "tests/unit/tcp/support.hpp"

using namespace tutti::test;
using tutti::security::Key;
using tutti::transport::SendResult;

namespace {

// What is read with a header that is looked for alone, at most.
constexpr std::size_t kWithHeader = 4u << 10;
constexpr char kUntouched = '?';

/// Expects long frames, and has a place for every payload.
class Expecting final : public tutti::transport::Sink {
public:
    bool expects_long(int peer) const noexcept override { return expects && peer == 0; }
    void frame(int, std::span<const std::byte> header, std::span<const std::byte> payload) override
    {
        frames.push_back({text_of(header), text_of(payload), false});
    }
    std::span<std::byte> destination(int, std::span<const std::byte>, std::size_t payload_bytes) override
    {
        place.emplace(payload_bytes, kUntouched);
        return std::as_writable_bytes(std::span(*place));
    }
    void placed(int, std::span<const std::byte> header, std::size_t) override
    {
        frames.push_back({text_of(header), *std::exchange(place, std::nullopt), true});
    }
    void peer_lost(int, const tutti::transport::Loss&) override {}

    struct Frame {
        std::string header;
        std::string payload;
        bool placed;  // else it came through the transport's own memory
        bool operator==(const Frame&) const = default;
    };
    bool expects = true;
    std::vector<Frame> frames;
    std::optional<std::string> place;  // while a payload is on its way there
};

/// Rank 0, who sends, and rank 1.
struct Pair {
    Pair() : key(Key::random()), zero(0, 2, key), one(1, 2, key)
    {
        zero.connect(one, 1);
        one.connect(zero, 0);
        REQUIRE(drive({&zero, &one}, [&] { return zero->is_connected(1) && one->is_connected(0); }));
        // Not among what the first call finds.
        REQUIRE(zero.send(1, "first") == SendResult::done);
        REQUIRE(drive({&zero, &one}, [&] { return !one.sink.frames.empty(); }));
    }

    bool receive(std::size_t frames)
    {
        return drive({&zero}, [&] {
            one->progress(sink);
            return sink.frames.size() == frames;
        });
    }

    Key key;
    TcpRank zero;
    TcpRank one;
    Expecting sink;
};

std::string text(std::size_t number, std::size_t size)
{
    std::string made(size, ' ');
    for (std::size_t i = 0; i < size; ++i)
        made[i] = static_cast<char>('a' + (number * 7 + i + i / 26) % 26);
    return made;
}

}  // namespace

TEST_CASE("of a long frame that is expected only what comes with its header is copied")
{
    Pair pair;
    constexpr std::size_t kFrames = 20;
    std::size_t seen_without_rest = 0;
    for (std::size_t i = 0; i < kFrames; ++i) {
        const std::string payload = text(i, 40'000 + i);
        // All of it has arrived before anything is received.
        REQUIRE(pair.zero.send(1, payload) == SendResult::done);
        REQUIRE(drive({&pair.zero}, [&] {
            pair.one->progress(pair.sink);
            if (pair.sink.place) {
                CHECK(pair.sink.place->starts_with(payload.substr(0, kWithHeader / 2)));
                CHECK(std::ranges::all_of(pair.sink.place->substr(kWithHeader),
                                          [](char letter) { return letter == kUntouched; }));
                ++seen_without_rest;
            }
            return pair.sink.frames.size() == i + 1;
        }));
        CHECK(pair.sink.frames.back() == Expecting::Frame{"h", payload, true});
    }
    CHECK(seen_without_rest > kFrames / 2);
}

TEST_CASE("a place that is released is written to no more, and the frame comes through all the same")
{
    Pair pair;
    const std::string payload = text(1, 40'000);
    REQUIRE(pair.zero.send(1, payload) == SendResult::done);
    REQUIRE(drive({&pair.zero}, [&] {
        pair.one->progress(pair.sink);
        return pair.sink.place.has_value();
    }));
    const std::string begun = *pair.sink.place;
    REQUIRE(begun.back() == kUntouched);
    pair.one->release_place(0);
    pair.one->release_place(0);  // and where there is none any more
    REQUIRE(pair.receive(1));
    CHECK(pair.sink.frames.back() == Expecting::Frame{"h", payload, false});
    CHECK(*pair.sink.place == begun);
}

TEST_CASE("a short frame comes through just the same")
{
    Pair pair;
    for (std::size_t i = 0; i < 50; ++i) {
        const std::string payload = text(i, i * 61);
        REQUIRE(pair.zero.send(1, payload) == SendResult::done);
        REQUIRE(pair.receive(i + 1));
        CHECK(pair.sink.frames.back() == Expecting::Frame{"h", payload, false});
    }
}

TEST_CASE("frames of all sizes arrive whole and in order, whether a long one is expected or not")
{
    const std::size_t at_once = GENERATE(1u, 2u, 7u);
    CAPTURE(at_once);
    Pair pair;
    std::vector<std::string> sent;
    for (const std::size_t around : {1u, 3'000u, 4'060u, 4'096u, 8'192u, 20'000u}) {
        for (std::size_t size = around - 1; size < around + 20; ++size)
            sent.push_back(text(size, size));
    }
    // Long and short ones behind each other.
    for (std::size_t i = 0; i < sent.size() / 2; i += 2)
        std::swap(sent[i], sent[sent.size() - 1 - i]);
    for (std::size_t i = 0; i < sent.size(); ++i) {
        pair.sink.expects = i / at_once % 3 != 0;
        REQUIRE(pair.zero.send(1, sent[i]) == SendResult::done);
        if ((i + 1) % at_once == 0)
            REQUIRE(pair.receive(i + 1));
    }
    REQUIRE(pair.receive(sent.size()));
    for (std::size_t i = 0; i < sent.size(); ++i) {
        CAPTURE(i, sent[i].size());
        CHECK(pair.sink.frames[i].payload == sent[i]);
    }
}
