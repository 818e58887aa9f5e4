// Checks that collectives make before anything is sent. The checks are inline and their errors are not: a
// collective of a few bytes takes little longer than its checks.
#pragma once

#include <string>
#include <string_view>

#include "lib/core/communicators/byte_blocks.hpp"
#include "lib/core/communicators/communicator_state.hpp"

namespace tutti::detail {

[[noreturn]] void refuse(std::string_view operation, const std::string& detail);

// The errors of the checks below.
[[noreturn]] void refuse_rank(std::string_view operation, int rank, std::string_view place, int ranks);
[[noreturn]] void refuse_root(std::string_view operation, int root, int ranks);
[[noreturn]] void refuse_overlap(std::string_view operation);
[[noreturn]] void refuse_sizes(std::string_view operation, const ConstElements& in, const ConstElements& out);
[[noreturn]] void refuse_multiple(std::string_view operation, std::string_view block_name,
                                  const ConstElements& block, std::string_view whole_name,
                                  const ConstElements& whole, int ranks, std::string_view ranks_name);
[[noreturn]] void refuse_rest(std::string_view operation, std::size_t count, int ranks);

/// Throws ErrorCode::invalid_rank unless `rank` is one of 0 to ranks - 1. `place`: what it should be a rank
/// of.
inline void check_rank(std::string_view operation, int rank, std::string_view place, int ranks)
{
    if (static_cast<unsigned>(rank) >= static_cast<unsigned>(ranks)) [[unlikely]]
        refuse_rank(operation, rank, place, ranks);
}

/// Throws ErrorCode::invalid_rank unless `root` is a rank of the communicator.
inline void check_root(const CommunicatorState& state, std::string_view operation, int root)
{
    if (root < 0 || root >= state.size()) [[unlikely]]
        refuse_root(operation, root, state.size());
}

// All checks throw ErrorCode::invalid_argument in the name of `operation`, with the numbers and the remedy,
// also if a buffer has elements but no memory.

/// Whether both share a byte.
inline bool overlap(const ConstElements& in, const ConstElements& out) noexcept
{
    return in.data < out.data + out.size_bytes() && out.data < in.data + in.size_bytes();
}

/// Input and output must share no byte.
inline void check_apart(std::string_view operation, const ConstElements& in, const ConstElements& out)
{
    if (in.count != 0 && overlap(in, out)) [[unlikely]]
        refuse_overlap(operation);
}

/// Input and output must be equally long.
inline void check_equal_size(std::string_view operation, const ConstElements& in, const ConstElements& out)
{
    check_memory(operation, "input", in);
    check_memory(operation, "output", out);
    if (in.size_bytes() != out.size_bytes()) [[unlikely]]
        refuse_sizes(operation, in, out);
}

/// `whole` must have one `block` for each of `ranks` ranks. The names are the user's words.
inline void check_multiple(std::string_view operation, std::string_view block_name,
                           const ConstElements& block, std::string_view whole_name,
                           const ConstElements& whole, int ranks, std::string_view ranks_name = "ranks")
{
    check_memory(operation, block_name, block);
    check_memory(operation, whole_name, whole);
    if (whole.size_bytes() != block.size_bytes() * static_cast<std::size_t>(ranks)) [[unlikely]]
        refuse_multiple(operation, block_name, block, whole_name, whole, ranks, ranks_name);
}

/// `whole` must divide into equal blocks. Returns the block of `rank`.
inline Elements block_of(std::string_view operation, const Elements& whole, int ranks, int rank)
{
    check_memory(operation, "buffer", whole);
    const std::size_t count = whole.count / static_cast<std::size_t>(ranks);
    if (whole.count != count * static_cast<std::size_t>(ranks)) [[unlikely]]
        refuse_rest(operation, whole.count, ranks);
    return {whole.data + static_cast<std::size_t>(rank) * count * whole.element_bytes, count,
            whole.element_bytes};
}

/// This rank's buffer must have the size that the counts give.
void check_own_count(std::string_view operation, std::string_view name, const ConstElements& own,
                     std::size_t expected_bytes, int rank);

/// The block that this rank sends to itself must be as long as the block that it receives from itself.
void check_kept_count(std::string_view operation, std::size_t sent_bytes, std::size_t received_bytes,
                      int rank);

}  // namespace tutti::detail
