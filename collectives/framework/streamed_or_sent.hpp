// Streamed or sent: long data of one rank that others want goes in chunks of its stream, or as messages where
// these may be read in place. Only the writer knows whether they may, so its first chunk, of one byte, says
// which.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "collectives/framework/group.hpp"
#include "collectives/framework/streams.hpp"

namespace tutti::collectives {

/// Whether two ranks with a core each, of a node, may read each other's data of `size_bytes` in place. Both
/// answer alike. Ranks that share a core gain little by a message: its receiver has to run before the sender
/// goes on.
inline bool reads_long_data_in_place(const Group& group, std::size_t size_bytes) noexcept
{
    return size_bytes >= kMessageFromBytes && group.size() == 2 && group.placement().chunk_bytes != 0 &&
           !group.placement().more_ranks_than_cores && group.may_read_in_place();
}

/// From this size on messages also gain where ranks share cores or are more than two. By 4, 8 and 16 ranks on
/// 2 cores: one copy by each reader takes 0.3 to 0.7 of the time of chunks, and longer than they for shorter
/// data.
inline constexpr std::size_t kMessagesToAllFromBytes = 128u << 10;

/// Whether the root says how its data, which all others read, comes. All ranks answer alike.
inline bool root_chooses(const Group& group, std::size_t size_bytes) noexcept
{
    if (group.size() == 2 && !group.placement().more_ranks_than_cores)
        return reads_long_data_in_place(group, size_bytes);
    return size_bytes >= kMessagesToAllFromBytes && group.may_read_in_place();
}

/// The longest chunk of data that goes one way. One of two ranks with a core each writes a chunk while the
/// other reads the one before, so short ones end sooner. All other ranks have most of what may be under way.
inline std::size_t one_way_bytes(const Group& group, std::size_t size_bytes) noexcept
{
    constexpr std::size_t kBothAtWork = 2048;
    return size_bytes > kBothAtWork && group.size() == 2 && !group.placement().more_ranks_than_cores
               ? std::min(kBothAtWork, group.placement().chunk_bytes)
               : group.placement().chunk_bytes;
}

/// Done when the writer may say how its data comes, or has said it.
inline Operation way_is_known(Group& group, int writer)
{
    Streams& streams = *group.streams();
    return group.rank() == writer ? streams.room() : streams.published(writer);
}

/// After way_is_known(): the writer says, and all others learn, whether messages come. `data` matters at the
/// writer only.
inline bool comes_as_message(Group& group, int writer, std::span<const std::byte> data)
{
    Streams& streams = *group.streams();
    bool is_message = false;
    if (group.rank() == writer) {
        // If one reader reads it in place, all do: they are ranks of one node.
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
