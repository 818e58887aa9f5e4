// What the buffers of a collective hold before it, and must hold after it.
#pragma once

#include <cstddef>
#include <vector>

#include "benchmarks/suite/collective_call.hpp"

namespace tutti::bench {

/// The buffers of one rank for a collective of `size_bytes`: that of a block, of the whole where there are no
/// blocks, and of all ranks' blocks together for reduce_scatterv. The unequal forms have equal blocks, as
/// OSU's benchmarks have, but for reduce_scatterv, whose first blocks are one element longer where the size
/// asks for it.
class CollectiveData {
public:
    CollectiveData(Collective collective, DataType type, std::size_t size_bytes, bool in_place, int rank,
                   int ranks, int root = 0);

    /// What a rank needs for each of both buffers; the same at all ranks.
    std::size_t buffer_bytes() const noexcept { return total_bytes_; }
    CollectiveCall call(std::byte* in, std::byte* out) const;

    /// For timing. Ones: repeated sums must not run into denormals or infinities, which take other times.
    void fill_with_ones(std::byte* in, std::byte* out) const;
    /// For one call, whose result wrong_bytes() then counts.
    void fill(std::byte* in, std::byte* out) const;
    std::size_t wrong_bytes(const std::byte* out) const;

private:
    struct Block {
        std::size_t offset_bytes;
        std::size_t salt;
    };
    std::vector<Block> sent() const;
    std::vector<Block> received() const;
    template <class Visitor>
    void with_elements(Visitor visitor) const;

    Collective collective_;
    DataType type_;
    bool in_place_;
    std::size_t rank_;
    std::size_t ranks_;
    std::size_t root_;
    std::size_t block_bytes_;            // the own one
    std::size_t total_bytes_;            // of all blocks
    std::vector<std::size_t> counts_{};  // as CollectiveCall::counts
};

}  // namespace tutti::bench
