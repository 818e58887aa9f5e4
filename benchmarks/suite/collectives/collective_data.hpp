// What the buffers of a collective hold before it, and must hold after it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "benchmarks/suite/library/described_call.hpp"

namespace tutti::bench {

/// Which collective, and which rank's part of it.
struct CollectivePart {
    Collective collective;
    DataType type = DataType::int8;
    /// Bytes of a block; of the whole where there are no blocks; of all ranks' blocks together for
    /// reduce_scatterv.
    std::size_t size_bytes = 0;
    bool in_place = false;
    int rank = 0;
    int ranks = 1;
    int root = 0;
    const Neighborhood* neighborhood = nullptr;  // of neighbourhood collectives; borrowed
};

/// The buffers of one rank. The unequal forms have equal blocks, as OSU's benchmarks have, but for
/// reduce_scatterv, whose first blocks are one element longer where the size asks for it.
class CollectiveData {
public:
    explicit CollectiveData(const CollectivePart& part);

    /// What a rank needs for each of both buffers; the same at all ranks.
    std::size_t buffer_bytes() const noexcept { return total_bytes_; }
    DescribedCall call(std::byte* in, std::byte* out) const;

    /// Ones, for timing: repeated sums must not run into denormals or infinities, which take other times.
    void fill_with_ones(std::byte* in, std::byte* out) const;
    /// Data for one call, whose result wrong_bytes() then counts.
    void fill(std::byte* in, std::byte* out) const;
    std::size_t wrong_bytes(const std::byte* out) const;
    /// What a program writes before a call, and reads after it.
    std::span<std::byte> given(std::byte* in, std::byte* out) const;
    std::span<std::byte> received(std::byte* out) const;

private:
    struct Block {
        std::size_t offset_bytes;
        std::size_t salt;
    };
    std::vector<Block> sent() const;
    std::vector<Block> received_blocks() const;
    std::vector<Block> received_from_neighbors() const;
    const NeighborRanks& neighbors() const { return (*neighborhood_)[rank_]; }
    template <class Visitor>
    void with_elements(Visitor visitor) const;

    Collective collective_;
    DataType type_;
    bool in_place_;
    std::size_t rank_;
    std::size_t ranks_;
    std::size_t root_;
    const Neighborhood* neighborhood_;
    std::size_t block_bytes_;            // the own one
    std::size_t total_bytes_;            // of as many blocks as any rank sends or receives
    std::vector<std::size_t> counts_{};  // as DescribedCall::counts
};

}  // namespace tutti::bench
