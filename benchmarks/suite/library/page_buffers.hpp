// Send and receive buffers as benchmarks use them: page-aligned, touched before the clock starts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "benchmarks/suite/library/job_under_test.hpp"

namespace tutti::bench {

inline constexpr Memory kOrdinaryMemory{[](std::size_t size_bytes) { return std::malloc(size_bytes); },
                                        [](void* memory) { std::free(memory); }};

inline constexpr std::size_t kPageBytes = 4096;

/// Owns `size_bytes` (rounded up to whole pages, at least one) filled with `letter`.
class PageBuffer {
public:
    PageBuffer(std::size_t size_bytes, char letter, Memory memory = kOrdinaryMemory)
        : block_(memory.allocate(whole_pages(size_bytes) + kPageBytes), memory.release)
    {
        if (block_ == nullptr)
            throw std::bad_alloc();
        void* start = block_.get();
        std::size_t room = whole_pages(size_bytes) + kPageBytes;
        data_ = static_cast<std::byte*>(std::align(kPageBytes, whole_pages(size_bytes), start, room));
        std::memset(data_, letter, whole_pages(size_bytes));
    }

    Bytes bytes(std::size_t size_bytes) { return {data_, size_bytes}; }
    std::span<float> floats(std::size_t size_bytes)
    {
        return {reinterpret_cast<float*>(data_), size_bytes / sizeof(float)};
    }

private:
    static std::size_t whole_pages(std::size_t size_bytes)
    {
        return (size_bytes / kPageBytes + 1) * kPageBytes;
    }

    std::unique_ptr<void, void (*)(void*)> block_;
    std::byte* data_ = nullptr;
};

/// What one rank sends from and receives into.
struct Buffers {
    explicit Buffers(std::size_t largest_bytes, Memory memory = kOrdinaryMemory)
        : out(largest_bytes, 'a', memory), in(largest_bytes, 'b', memory)
    {
    }
    PageBuffer out;
    PageBuffer in;
};

/// Where the messages of a window lie in a buffer: all at its beginning, or each on pages of its own.
class MessagePlaces {
public:
    MessagePlaces(Bytes all_in_one) : data_(all_in_one.data()), size_bytes_(all_in_one.size()) {}
    /// The buffer has whole pages for each of them.
    MessagePlaces(PageBuffer& buffer, std::size_t size_bytes, std::size_t messages)
        : data_(buffer.bytes(0).data()),
          size_bytes_(size_bytes),
          stride_bytes_((size_bytes + kPageBytes - 1) / kPageBytes * kPageBytes),
          count_(messages)
    {
    }

    /// The place of a window's i-th message.
    Bytes operator[](std::size_t message) const { return {data_ + message * stride_bytes_, size_bytes_}; }
    /// The number of different places.
    std::size_t count() const noexcept { return count_; }
    /// The places of a window of so many messages.
    MessagePlaces first(std::size_t messages) const
    {
        MessagePlaces places = *this;
        places.count_ = std::min(count_, messages);
        return places;
    }

private:
    std::byte* data_;
    std::size_t size_bytes_;
    std::size_t stride_bytes_ = 0;
    std::size_t count_ = 1;
};

}  // namespace tutti::bench
