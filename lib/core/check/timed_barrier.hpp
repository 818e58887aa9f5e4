// A barrier at the end of a checked job: behind it, messages that nobody has received have come.
#pragma once

#include <cstdint>

#include "lib/engine/progress/engine.hpp"
#include "lib/engine/protocol/protocol.hpp"

namespace tutti::check {

/// Each rank tells rank 0 that it has come; rank 0 tells all when all have. Under the engine's lock.
class TimedBarrier {
public:
    TimedBarrier(protocol::Protocol& protocol, int rank, int size);

    /// Waits for all other ranks, a few seconds at most, and not if one is lost. Can be called several times.
    void wait(progress::Engine& engine, progress::Engine::Lock& lock);

private:
    void arrived();

    protocol::Protocol& protocol_;
    const int rank_;
    const int size_;
    std::uint64_t arrivals_ = 0;  // of all ranks, at rank 0
    std::uint64_t begun_ = 0;     // calls of wait()
    std::uint64_t over_ = 0;      // of those, the ones to which all ranks have come
};

}  // namespace tutti::check
