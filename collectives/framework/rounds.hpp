// Rounds: an algorithm over Streams, written as what a rank does at each position.
//
// One definition runs in two ways. The coroutine of in_rounds() awaits chunks as every other algorithm does.
// A group that may block (a blocking call's) goes through the rounds by itself, which costs short data
// neither a coroutine nor a suspension.
#pragma once

#include <cstddef>
#include <utility>

#include "collectives/framework/group.hpp"
#include "collectives/framework/streams.hpp"
#include "collectives/framework/task.hpp"

namespace tutti::collectives {

/// One rank's rounds, one for each position that the algorithm uses; there is at least one. In each round the
/// rank leaves a chunk or none, then takes the chunks of others, in order. The members describe the round
/// under way; the constructor sets them for the first one, advance() for the others.
class Rounds {
public:
    struct Source {
        int rank;
        std::size_t size_bytes;  // as the writer says
    };

    /// Writes this rank's chunk, of `leaves_bytes`.
    virtual void leave(std::byte* chunk) = 0;
    /// Where chunk `i` of this round comes from.
    virtual Source source(int i) const = 0;
    virtual void take(int i, const std::byte* chunk) = 0;
    /// Goes to the next round, unless is_last.
    virtual void advance() = 0;

    bool leaves = false;
    bool is_last = true;
    int reader = Streams::kAllRanks;  // of the own chunk
    int takes = 0;                    // chunks
    std::size_t leaves_bytes = 0;     // at most Placement::chunk_bytes, or Streams::kAnySize

protected:
    Rounds() = default;
    Rounds(const Rounds&) = default;
    Rounds& operator=(const Rounds&) = default;
    ~Rounds() = default;
};

/// How many elements of `data` a chunk takes, or all.
inline std::size_t most_elements(const Buffer& data, std::size_t chunk_bytes) noexcept
{
    return data.size_bytes() <= chunk_bytes ? data.count : chunk_bytes / data.element_bytes;
}

/// The coroutine of in_rounds().
template <class Algorithm>
Task await_rounds(Group& group, Algorithm rounds)
{
    Streams& streams = *group.streams();
    for (;;) {
        if (rounds.leaves) {
            Operation room = streams.room();
            co_await room;
            rounds.leave(streams.own_chunk(rounds.leaves_bytes));
            streams.publish(rounds.reader);
        }
        for (int i = 0; i < rounds.takes; ++i) {
            const Rounds::Source from = rounds.source(i);
            Operation published = streams.published(from.rank);
            co_await published;
            rounds.take(i, streams.chunk(from.rank, from.size_bytes));
        }
        streams.pass();
        if (rounds.is_last)
            co_return;
        rounds.advance();
    }
}

/// Runs an algorithm that is a Rounds. The group has Streams.
template <class Algorithm>
Task in_rounds(Group& group, Algorithm rounds)
{
    if (group.runs_at_once(rounds))
        return Task();
    return await_rounds(group, std::move(rounds));
}

}  // namespace tutti::collectives
