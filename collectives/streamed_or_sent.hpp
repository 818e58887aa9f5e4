// How long data gets from one rank to the other, or to all others: in chunks of the streams, or as messages,
// which are quicker if receivers read it where it lies. Only the writer knows that. It tells in a chunk of
// one byte, which comes first.
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
/// little by a message: its receiver has to run before the sender goes on.
inline bool is_told(const Group& group, std::size_t size_bytes) noexcept
{
    return size_bytes >= kToldFromBytes && group.size() == 2 && !group.placement().more_ranks_than_cores &&
           group.may_read_in_place();
}
/// Ranks that share cores, and more than two, gain by messages from here on: by 4, 8 and 16 ranks on 2 cores,
/// one copy by each reader takes 0.3 to 0.7 of the time, and of shorter data more than chunks.
inline constexpr std::size_t kToldToAllFromBytes = 128u << 10;

/// Whether a root tells how `size_bytes` come that all others read. The same at all ranks.
inline bool is_told_to_all(const Group& group, std::size_t size_bytes) noexcept
{
    if (group.size() == 2 && !group.placement().more_ranks_than_cores)
        return is_told(group, size_bytes);
    return size_bytes >= kToldToAllFromBytes && group.may_read_in_place();
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

/// After ready_to_tell(): tells, or learns, whether messages come. `data` matters at the writer only. All
/// other ranks read what it tells.
inline bool comes_as_message(Group& group, int writer, std::span<const std::byte> data)
{
    Streams& streams = *group.streams();
    bool is_message = false;
    if (group.rank() == writer) {
        // What one reads in place all do: they are ranks of one node.
        const int reader = (writer + 1) % group.size();
        is_message = group.reads_in_place(reader, data);
        *streams.own_chunk(1) = std::byte{is_message};
        streams.publish(group.size() == 2 ? reader : Streams::kAllRanks);
    } else {
        is_message = *streams.chunk(writer, 1) != std::byte{};
    }
    streams.pass();
    return is_message;
}

}  // namespace tutti::collectives
