// Send and receive buffers as benchmarks use them: page-aligned, touched before the clock starts.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "benchmarks/suite/backend.hpp"

namespace tutti::bench {

/// Owns `size_bytes` (rounded up to whole pages, at least one) filled with `letter`.
class Buffer {
public:
    Buffer(std::size_t size_bytes, char letter)
        : size_bytes_((size_bytes / kPageBytes + 1) * kPageBytes),
          data_(static_cast<std::byte*>(std::aligned_alloc(kPageBytes, size_bytes_)))
    {
        if (data_ == nullptr)
            throw std::bad_alloc();
        std::memset(data_.get(), letter, size_bytes_);
    }

    Bytes bytes(std::size_t size_bytes) { return {data_.get(), size_bytes}; }
    std::span<float> floats(std::size_t size_bytes)
    {
        return {reinterpret_cast<float*>(data_.get()), size_bytes / sizeof(float)};
    }

private:
    static constexpr std::size_t kPageBytes = 4096;
    struct Free {
        void operator()(std::byte* data) const { std::free(data); }
    };
    std::size_t size_bytes_;
    std::unique_ptr<std::byte, Free> data_;
};

/// What one rank sends from and receives into.
struct Buffers {
    explicit Buffers(std::size_t largest_bytes) : out(largest_bytes, 'a'), in(largest_bytes, 'b') {}
    Buffer out;
    Buffer in;
};

}  // namespace tutti::bench
