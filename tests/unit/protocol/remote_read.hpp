// A wire with remote reads that do what the test wants, and a message to send over it.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <deque>
#include <random>

#include "tests/unit/protocol/wire.hpp"

namespace tutti::test {

using protocol::FrameKind;
using transport::Completion;
using transport::RemoteRegion;
using transport::SendResult;

/// Remote reads as the test wants them. Kept at one address: the wire's options refer to it.
struct Reader {
    struct Read {
        RemoteRegion remote;
        std::span<std::byte> local;
        Completion* completion;
    };

    WireOptions options(tutti::transport::FaultOptions faults = {})
    {
        const auto get = [this](RemoteRegion remote, std::span<std::byte> local, Completion& completion) {
            reads.push_back({remote, local, &completion});
            if (throws) {
                std::memset(local.data(), 0xee, local.size() / 2);  // as far as it came
                throw tutti::Error(ErrorCode::not_supported, "get", "the test forbids it", 0);
            }
            if (answer == SendResult::done)
                copy(reads.back());
            return answer;
        };
        return {.protocol = {.eager_limit_bytes = 256, .unexpected_bytes = 4096},
                .faults = faults,
                .frame_bytes = 64,
                .get = get,
                .abandon = [this](const Completion& completion) { abandoned.push_back(&completion); }};
    }
    static void copy(const Read& read)
    {
        std::memcpy(read.local.data(), reinterpret_cast<const std::byte*>(read.remote.address),
                    read.local.size());
    }
    void complete(ErrorCode result)
    {
        const Read read = reads.back();
        if (result == ErrorCode::success)
            copy(read);
        read.completion->fire(*read.completion, result);
    }

    std::deque<Read> reads;
    std::vector<const Completion*> abandoned;
    SendResult answer = SendResult::done;
    bool throws = false;
};

using Kinds = std::vector<FrameKind>;

inline std::size_t count(const Kinds& kinds, FrameKind kind)
{
    return static_cast<std::size_t>(std::ranges::count(kinds, kind));
}

/// A message from rank 0 to rank 1 and the receive that takes it.
struct Message {
    explicit Message(std::size_t size, std::uint64_t number = 1)
        : data(message(number, size)), buffer(size, std::byte{0x77})
    {
    }

    void send(Wire& wire, bool synchronous = false) { wire.send(sent, 0, data, 5, synchronous); }
    void receive(Wire& wire) { wire.receive(received, 1, 0, 5, buffer); }
    /// Both ended well, with the right bytes.
    bool arrived() const
    {
        return sent.done && received.done && sent.status.code == ErrorCode::success &&
               received.status.code == ErrorCode::success && buffer == data;
    }

    Bytes data;
    Bytes buffer;
    SendRequest sent;
    ReceiveRequest received;
};

/// Sends `messages` of sizes that size_of(random) gives, one in four synchronous, and receives them in order,
/// with steps of both sides in between. All arrive.
template <class Size>
void exchange_mixed(Wire& wire, unsigned seed, std::uint64_t messages, Size size_of)
{
    std::mt19937 random(seed);
    std::deque<Message> all;
    std::size_t received = 0;
    for (std::uint64_t number = 0; number < messages; ++number) {
        const std::size_t size = size_of(random);
        all.emplace_back(size, number).send(wire, random() % 4 == 0);
        if (random() % 2 == 0)
            wire.step(static_cast<int>(random() % 2));
        while (received < all.size() && random() % 2 == 0)
            all[received++].receive(wire);
    }
    while (received < all.size())
        all[received++].receive(wire);
    wire.settle();
    for (const Message& one : all) {
        CAPTURE(one.data.size());
        REQUIRE(one.arrived());
    }
}

}  // namespace tutti::test
