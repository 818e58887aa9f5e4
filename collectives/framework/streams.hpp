// Streams: memory that all ranks of a group share, for algorithms in which ranks run ahead of each other.
#pragma once

#include <cstddef>

#include "collectives/framework/awaited_operation.hpp"

namespace tutti::collectives {

/// Shorter data of two ranks goes in chunks even where messages are read in place: two copies take no longer
/// than a message.
inline constexpr std::size_t kMessageFromBytes = 4096;

/// One rank's use of the streams in one collective call. Each rank has a stream of chunks, which the others
/// read. All ranks go through the same positions and have at most one chunk at each: an algorithm's ranks
/// agree who publishes what at which position. Some positions behind, memory is used again: until then
/// writers run ahead of readers.
class Streams {
public:
    static constexpr int kAllRanks = -1;
    /// The size of a chunk whose readers do not know it: at most Placement::chunk_bytes.
    static constexpr std::size_t kAnySize = static_cast<std::size_t>(-1);

    Streams() = default;
    Streams(const Streams&) = delete;
    Streams& operator=(const Streams&) = delete;
    virtual ~Streams() = default;

    /// Done when this rank may write its chunk of this position.
    virtual Operation room() = 0;
    /// Where it writes that chunk, of at most Placement::chunk_bytes or kAnySize, aligned to 16 bytes.
    virtual std::byte* own_chunk(std::size_t size_bytes) noexcept = 0;
    /// Shows the chunk to the other ranks, or to the one that reads it.
    virtual void publish(int reader = kAllRanks) = 0;
    /// Done when `rank` has published its chunk of this position.
    virtual Operation published(int rank) = 0;
    /// That chunk, until pass(). `size_bytes` is what its writer said to own_chunk().
    virtual const std::byte* chunk(int rank, std::size_t size_bytes) noexcept = 0;
    /// Goes to the next position; once for each, whether this rank has used it or not.
    virtual void pass() = 0;
};

}  // namespace tutti::collectives
