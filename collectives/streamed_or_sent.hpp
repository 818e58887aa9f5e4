// How long data gets from one of two ranks to the other: in chunks of the streams, or as a message, which is
// quicker if the receiver reads it where it lies. Only the writer knows that. It tells in a chunk of one
// byte, which comes first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "collectives/group.hpp"
#include "collectives/streams.hpp"

namespace tutti::collectives {

/// Shorter data goes in chunks, and nothing is told: two copies take no longer than a message.
inline constexpr std::size_t kToldFromBytes = 4096;

/// Whether the writer tells how `size_bytes` come. The same at both ranks. Ranks that share cores gain
/// nothing by a message: its receiver would have to run before the sender goes on.
inline bool is_told(const Group& group, std::size_t size_bytes) noexcept
{
    return size_bytes >= kToldFromBytes && group.size() == 2 && !group.placement().more_ranks_than_cores &&
           group.may_read_in_place();
}
/// Whether two ranks exchange `size_bytes` each as messages: if one of them may be read in place, nothing is
/// told.
inline bool is_sent(const Group& group, std::size_t size_bytes) noexcept
{
    return is_told(group, size_bytes);
}

/// The longest chunk of data that goes one way. One of two ranks with a core each writes a chunk while the
/// other reads the one before, so short ones end sooner. All other ranks have most of what may be under way.
inline std::size_t one_way_bytes(const Group& group, std::size_t size_bytes) noexcept
{
    constexpr std::size_t kBothAtWork = 2048;
    return size_bytes > kBothAtWork && group.size() == 2 && !group.placement().more_ranks_than_cores
               ? std::min(kBothAtWork, group.chunk_bytes())
               : group.chunk_bytes();
}

/// Done when `writer` may tell, or has told.
inline Operation ready_to_tell(Group& group, int writer)
{
    Streams& streams = *group.streams();
    return group.rank() == writer ? streams.room() : streams.published(writer);
}

/// After ready_to_tell(): tells, or learns, whether a message comes. `data` matters at the writer only.
inline bool comes_as_message(Group& group, int writer, std::span<const std::byte> data)
{
    Streams& streams = *group.streams();
    bool is_message = false;
    if (group.rank() == writer) {
        const int reader = 1 - writer;
        is_message = group.reads_in_place(reader, data);
        *streams.own_chunk(1) = std::byte{is_message};
        streams.publish(reader);
    } else {
        is_message = *streams.chunk(writer, 1) != std::byte{};
    }
    streams.pass();
    return is_message;
}

}  // namespace tutti::collectives
