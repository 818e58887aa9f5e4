// What collectives check before anything is sent.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "lib/communicator/byte_blocks.hpp"
#include "lib/communicator/communicator_state.hpp"

namespace tutti::detail {

[[noreturn]] void refuse(std::string_view operation, const std::string& detail);

/// Throws ErrorCode::invalid_rank unless `root` is a rank of the communicator.
void check_root(const CommunicatorState& state, std::string_view operation, int root);

// All checks throw ErrorCode::invalid_argument in the name of `operation`, with the numbers and the remedy;
// also for a buffer that has elements but no memory.

/// Whether they share a byte.
bool overlap(ConstElements in, ConstElements out) noexcept;

/// Input and output must share no byte.
void check_apart(std::string_view operation, ConstElements in, ConstElements out);

/// Input and output must be equally long.
void check_equal_size(std::string_view operation, ConstElements in, ConstElements out);

/// `whole` must be as long as a `block` for each of `ranks` ranks. The names are the user's words.
void check_multiple(std::string_view operation, std::string_view block_name, ConstElements block,
                    std::string_view whole_name, ConstElements whole, int ranks,
                    std::string_view ranks_name = "ranks");

/// `whole` must divide into equal blocks; the one of `rank`.
Elements block_of(std::string_view operation, Elements whole, int ranks, int rank);

/// This rank's buffer must be as long as the counts say.
void check_own_count(std::string_view operation, std::string_view name, ConstElements own,
                     std::size_t expected_bytes, int rank);

/// What this rank sends itself must be what it receives from itself.
void check_kept_count(std::string_view operation, std::size_t sent_bytes, std::size_t received_bytes,
                      int rank);

}  // namespace tutti::detail
