// A caller's counts and displacements, checked and converted to sizes and offsets in bytes.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "collectives/framework/block_pool.hpp"
#include "collectives/framework/rank_blocks.hpp"
#include "tutti/blocks.hpp"

namespace tutti::detail {

/// `unit`: what is counted.
[[noreturn]] void refuse_null(std::string_view operation, std::string_view name, std::size_t count,
                              std::string_view unit = "elements");

/// Throws ErrorCode::invalid_argument if `buffer` has elements but no memory.
inline void check_memory(std::string_view operation, std::string_view name, const ConstElements& buffer)
{
    if (buffer.data == nullptr && buffer.count != 0) [[unlikely]]
        refuse_null(operation, name, buffer.count);
}

class ByteBlocks {
public:
    enum class Use { sent, received };

    /// None.
    ByteBlocks() noexcept : ranks_(0) {}
    /// Throws ErrorCode::invalid_argument in the name of `operation` unless there is a block for each of
    /// `ranks` ranks, all blocks lie within `buffer`, and received blocks do not overlap. `name` is the
    /// user's word for the buffer, `whose` for a rank.
    ByteBlocks(std::string_view operation, std::string_view name, const BlockCounts& blocks,
               ConstElements buffer, int ranks, Use use, std::string_view whose = "rank");

    std::span<const std::size_t> sizes() const noexcept { return {numbers(), ranks_}; }
    std::span<const std::size_t> offsets() const noexcept { return {numbers() + ranks_, ranks_}; }

    /// The blocks of `data`. Valid while this object lives.
    collectives::Blocks in(std::byte* data) const noexcept { return {data, sizes(), offsets()}; }
    collectives::ConstBlocks in(const std::byte* data) const noexcept { return {data, sizes(), offsets()}; }

private:
    static constexpr std::size_t kFewRanks = 8;
    const std::size_t* numbers() const noexcept { return ranks_ <= kFewRanks ? few_.data() : many_.data(); }

    std::size_t ranks_;
    // Sizes, then offsets. For few ranks they lie here: an allocation takes as long as all the rest.
    std::array<std::size_t, 2 * kFewRanks> few_;
    std::vector<std::size_t, collectives::pool::Allocator<std::size_t>> many_;
};

}  // namespace tutti::detail
