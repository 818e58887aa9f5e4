// Copies between the memory of two ranks over shared memory, to their end.
#pragma once

#include <sched.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <span>

#include "tests/conformance/harness.hpp"
#include "transports/shm/shared_heap.hpp"

namespace tutti::test {

/// Memory that peers can map, or not.
class Memory {
public:
    Memory(std::size_t bytes, bool mappable) : bytes_(bytes), mappable_(mappable)
    {
        data_ = mappable ? static_cast<std::byte*>(transport::shm::SharedHeap::instance().allocate(bytes))
                         : new std::byte[bytes];
    }
    ~Memory()
    {
        if (mappable_)
            transport::shm::SharedHeap::instance().deallocate(data_);
        else
            delete[] data_;
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    std::span<std::byte> bytes() const { return {data_, bytes_}; }
    bool holds(const Bytes& expected) const
    {
        return std::memcmp(data_, expected.data(), expected.size()) == 0;
    }

private:
    std::size_t bytes_;
    bool mappable_;
    std::byte* data_;
};

/// What the source holds from before the sender's thread begins: claims reach it through another mapping of
/// the inbox, which the thread sanitizer does not take for the same memory.
inline Bytes filled(const Memory& source)
{
    Bytes content = pattern(1, source.bytes().size(), 5);
    std::memcpy(source.bytes().data(), content.data(), content.size());
    return content;
}

inline constexpr std::chrono::seconds kLongestCopy{30};

/// Calls start(completion), which copies to memory of `rank`, and has it make progress until that is done.
/// Whether it went well.
template <class Start>
bool copy_to_its_end(Transport& rank, Start start)
{
    Reported reported;
    if (start(reported) == SendResult::done)
        return reported.fired == 0;
    Recorder sink;
    sink.in_progress = true;
    const auto deadline = std::chrono::steady_clock::now() + kLongestCopy;
    while (reported.fired == 0 && std::chrono::steady_clock::now() < deadline)
        if (rank.progress(sink) == 0)
            sched_yield();
    return reported.fired == 1 && reported.result == ErrorCode::success;
}

}  // namespace tutti::test
