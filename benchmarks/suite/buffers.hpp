// Send and receive buffers as benchmarks use them: page-aligned, touched before the clock starts.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "benchmarks/suite/job.hpp"

namespace tutti::bench {

inline constexpr Memory kOrdinaryMemory{[](std::size_t size_bytes) { return std::malloc(size_bytes); },
                                        [](void* memory) { std::free(memory); }};

/// Owns `size_bytes` (rounded up to whole pages, at least one) filled with `letter`.
class Buffer {
public:
    Buffer(std::size_t size_bytes, char letter, Memory memory = kOrdinaryMemory)
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
    static constexpr std::size_t kPageBytes = 4096;
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
    Buffer out;
    Buffer in;
};

}  // namespace tutti::bench
