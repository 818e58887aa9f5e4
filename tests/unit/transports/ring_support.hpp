// A ring in ordinary memory, and frames whose every byte is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "transports/shm/ring.hpp"

namespace tutti::test {

using namespace tutti::transport::shm;

struct Ring {
    explicit Ring(std::size_t size_bytes = 32u << 10) : Ring(size_bytes, size_bytes) {}
    Ring(std::size_t size_bytes, std::size_t first_part)
        : memory(static_cast<std::byte*>(std::aligned_alloc(4096, size_bytes)), std::free),
          view{memory.get(), size_bytes, &control, first_part},
          part(first_part),
          producer(view, producer_credits),
          consumer(view, consumer_credits)
    {
        std::memset(memory.get(), 0, size_bytes);
    }

    // With more of the ring where that is wanted, as the transport does.
    bool write(std::span<const std::byte> header, std::span<const std::byte> payload)
    {
        while (!producer.try_write(header, payload)) {
            if (producer.wanted_part() == 0)
                return false;
            part = producer.wanted_part();
            producer.use_part(part);
        }
        return true;
    }

    // What a record of the consumer's rank to the producer's does.
    void reply()
    {
        consumer_credits.offered = consumer_credits.consumed;
        producer_credits.returned = consumer_credits.consumed;
    }

    RingControl control{};
    Credits producer_credits;
    Credits consumer_credits;
    std::unique_ptr<std::byte, decltype(&std::free)> memory;
    RingMemory view;
    std::size_t part;  // that the producer uses
    RingProducer producer;
    RingConsumer consumer;
};

using Bytes = std::vector<std::byte>;

// Byte `i` of the part of frame `number`: neighbours, frames and header and payload all differ.
inline Bytes pattern(std::uint64_t number, std::size_t size, unsigned salt)
{
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<std::byte>(number * 131 + i * 7 + (i >> 8) + salt);
    return bytes;
}

struct Frame {
    Bytes header;
    Bytes payload;

    Frame() = default;
    Frame(std::uint64_t number, std::size_t header_bytes, std::size_t payload_bytes)
        : header(pattern(number, header_bytes, 1)), payload(pattern(number, payload_bytes, 101))
    {
    }
    bool write_to(Ring& ring) const { return ring.write(header, payload); }
    friend bool operator==(const Frame&, const Frame&) = default;
};

// The next frame, copied; nothing in `frame` when the ring is empty or corrupt.
inline RingConsumer::Poll read(Ring& ring, Frame& frame)
{
    const auto result = ring.consumer.poll([&](auto header, auto payload) {
        frame.header.assign(header.begin(), header.end());
        frame.payload.assign(payload.begin(), payload.end());
    });
    if (result == RingConsumer::Poll::frame)
        ring.consumer.report();
    return result;
}

}  // namespace tutti::test
