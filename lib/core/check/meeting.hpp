// At the end of a checked job the ranks meet, so that messages which nobody has received are there.
#pragma once

#include <cstdint>
#include <span>

#include "lib/engine/progress/engine.hpp"
#include "lib/engine/protocol/protocol.hpp"

namespace tutti::check {

/// All ranks tell rank 0 that they have come; rank 0 tells all when all have. Under the engine's lock.
class Meeting {
public:
    Meeting(protocol::Protocol& protocol, int rank, int size);

    /// Waits for all other ranks, a few seconds at most, and not if one is lost. Can be called several times.
    void meet(progress::Engine& engine, progress::Engine::Lock& lock);

private:
    void heard(protocol::FrameKind kind);
    void tell(protocol::FrameKind kind, int peer) noexcept;
    void arrived();

    protocol::Protocol& protocol_;
    const int rank_;
    const int size_;
    std::uint64_t arrivals_ = 0;  // of all ranks, at rank 0
    std::uint64_t begun_ = 0;     // meetings that this rank has come to
    std::uint64_t over_ = 0;      // that all have come to
};

}  // namespace tutti::check
