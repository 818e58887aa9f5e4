#include "benchmarks/suite/collectives/collective_data.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <numeric>
#include <span>

#include "benchmarks/suite/session/pattern.hpp"

namespace tutti::bench {

namespace {

constexpr std::byte kUntouched{0xA5};

// The block from one rank to another; `to` is 0 if all ranks get the same.
std::size_t salt(std::size_t from, std::size_t to)
{
    return 4099 * from + to;
}

// Whole numbers, exact in float as long as their sum over the ranks stays below 2^24. In 8 bits they wrap
// around, at all ranks alike.
std::uint64_t term(std::size_t rank, std::size_t index)
{
    return index % 97 + rank;
}

// The terms of the first ranks, added.
std::uint64_t sum_of_terms(std::size_t ranks, std::size_t index)
{
    return ranks * (index % 97) + (ranks == 0 ? 0 : ranks * (ranks - 1) / 2);
}

template <class Element>
Element element_of(std::uint64_t number)
{
    return static_cast<Element>(number);
}

bool has_one_block(Collective collective)
{
    return collective == Collective::broadcast || collective == Collective::reduce ||
           collective == Collective::allreduce || collective == Collective::scan ||
           collective == Collective::exscan;
}

bool is_unequal(Collective collective)
{
    switch (collective) {
        case Collective::reduce_scatterv:
        case Collective::gatherv:
        case Collective::scatterv:
        case Collective::allgatherv:
        case Collective::alltoallv:
        case Collective::neighbor_allgatherv:
        case Collective::neighbor_alltoallv:
            return true;
        default:
            return false;
    }
}

}  // namespace

CollectiveData::CollectiveData(const CollectivePart& part)
    : collective_(part.collective),
      type_(part.type),
      in_place_(part.in_place),
      rank_(static_cast<std::size_t>(part.rank)),
      ranks_(static_cast<std::size_t>(part.ranks)),
      root_(static_cast<std::size_t>(part.root)),
      neighborhood_(part.neighborhood),
      block_bytes_(part.collective == Collective::barrier ? 0 : part.size_bytes)
{
    const bool neighbourly = is_neighbourly(collective_);
    const std::size_t blocks = has_one_block(collective_) ? 1
                               : neighbourly              ? most_neighbors(*neighborhood_)
                                                          : ranks_;
    total_bytes_ = blocks * block_bytes_;
    if (!is_unequal(collective_))
        return;
    const std::size_t element_bytes = tutti::size_bytes(type_);
    const std::size_t elements = part.size_bytes / element_bytes;
    counts_.assign(neighbourly ? neighbors().sources.size() : ranks_, elements);
    if (collective_ == Collective::reduce_scatterv) {
        for (std::size_t i = 0; i < ranks_; ++i)
            counts_[i] = elements / ranks_ + (i < elements % ranks_ ? 1 : 0);
        total_bytes_ = part.size_bytes;
        block_bytes_ = counts_[rank_] * element_bytes;
    }
}

DescribedCall CollectiveData::call(std::byte* in, std::byte* out) const
{
    return {collective_,
            type_,
            in,
            out,
            block_bytes_ / tutti::size_bytes(type_),
            counts_,
            in_place_,
            static_cast<int>(root_),
            is_neighbourly(collective_) ? neighbors() : NeighborRanks{}};
}

std::vector<CollectiveData::Block> CollectiveData::sent() const
{
    std::vector<Block> blocks;
    switch (collective_) {
        case Collective::broadcast:
            if (rank_ == root_)
                blocks.push_back({0, salt(0, 0)});
            break;
        case Collective::allgather:
        case Collective::allgatherv:
            blocks.push_back({in_place_ ? rank_ * block_bytes_ : 0, salt(rank_, 0)});
            break;
        case Collective::gather:
        case Collective::gatherv:
            blocks.push_back({in_place_ && rank_ == root_ ? rank_ * block_bytes_ : 0, salt(rank_, 0)});
            break;
        case Collective::neighbor_allgather:
        case Collective::neighbor_allgatherv:
            blocks.push_back({0, salt(rank_, 0)});
            break;
        case Collective::scatter:
        case Collective::scatterv:
            if (rank_ != root_)
                break;
            [[fallthrough]];
        case Collective::alltoall:
        case Collective::alltoallv:
            for (std::size_t to = 0; to < ranks_; ++to)
                blocks.push_back({to * block_bytes_, salt(rank_, to)});
            break;
        case Collective::neighbor_alltoall:
        case Collective::neighbor_alltoallv:
            for (std::size_t to = 0; to < neighbors().destinations.size(); ++to)
                blocks.push_back({to * block_bytes_, salt(rank_, to)});
            break;
        default:
            break;
    }
    return blocks;
}

std::vector<CollectiveData::Block> CollectiveData::received_blocks() const
{
    std::vector<Block> blocks;
    switch (collective_) {
        case Collective::broadcast:
            return {{0, salt(0, 0)}};
        case Collective::scatter:
        case Collective::scatterv:
            // In place the root's own block stays where it is.
            return {{in_place_ && rank_ == root_ ? rank_ * block_bytes_ : 0, salt(root_, rank_)}};
        case Collective::gather:
        case Collective::gatherv:
            if (rank_ != root_)
                break;
            [[fallthrough]];
        case Collective::allgather:
        case Collective::allgatherv:
            for (std::size_t from = 0; from < ranks_; ++from)
                blocks.push_back({from * block_bytes_, salt(from, 0)});
            break;
        case Collective::alltoall:
        case Collective::alltoallv:
            for (std::size_t from = 0; from < ranks_; ++from)
                blocks.push_back({from * block_bytes_, salt(from, rank_)});
            break;
        case Collective::neighbor_allgather:
        case Collective::neighbor_allgatherv:
        case Collective::neighbor_alltoall:
        case Collective::neighbor_alltoallv:
            return received_from_neighbors();
        default:
            break;
    }
    return blocks;
}

// Several blocks from one rank to another arrive in the order in which they are sent.
std::vector<CollectiveData::Block> CollectiveData::received_from_neighbors() const
{
    const bool to_all_the_same =
        collective_ == Collective::neighbor_allgather || collective_ == Collective::neighbor_allgatherv;
    std::vector<Block> blocks;
    std::map<int, std::size_t> searched;  // how many blocks of a source have been looked at
    for (const int source : neighbors().sources) {
        const auto from = static_cast<std::size_t>(source);
        const std::vector<int>& destinations = (*neighborhood_)[from].destinations;
        std::size_t& block = searched[source];
        while (destinations[block] != static_cast<int>(rank_))
            ++block;
        blocks.push_back({blocks.size() * block_bytes_, salt(from, to_all_the_same ? 0 : block)});
        ++block;
    }
    return blocks;
}

template <class Visitor>
void CollectiveData::with_elements(Visitor visitor) const
{
    switch (type_) {
        case DataType::int8:
            return visitor(std::int8_t{});
        case DataType::int32:
            return visitor(std::int32_t{});
        case DataType::float64:
            return visitor(double{});
        default:
            return visitor(float{});
    }
}

void CollectiveData::fill_with_ones(std::byte* in, std::byte* out) const
{
    with_elements([&](auto element) {
        using Element = decltype(element);
        for (std::byte* const buffer : {in, out})
            std::fill_n(reinterpret_cast<Element*>(buffer), total_bytes_ / sizeof(Element), Element{1});
    });
}

void CollectiveData::fill(std::byte* in, std::byte* out) const
{
    std::fill_n(out, total_bytes_, kUntouched);
    std::byte* const from = in_place_ || collective_ == Collective::broadcast ? out : in;
    for (const Block& block : sent())
        fill_pattern(std::span(from + block.offset_bytes, block_bytes_), block.salt);
    if (!is_reduction(collective_))
        return;
    with_elements([&](auto element) {
        using Element = decltype(element);
        for (std::size_t i = 0; i < total_bytes_ / sizeof(Element); ++i)
            reinterpret_cast<Element*>(from)[i] = element_of<Element>(term(rank_, i));
    });
}

// Blocks lie one after the other.
std::span<std::byte> CollectiveData::given(std::byte* in, std::byte* out) const
{
    std::byte* const from = in_place_ || collective_ == Collective::broadcast ? out : in;
    if (is_reduction(collective_))
        return {from, total_bytes_};
    const std::vector<Block> blocks = sent();
    return {from + (blocks.empty() ? 0 : blocks.front().offset_bytes), blocks.size() * block_bytes_};
}

std::span<std::byte> CollectiveData::received(std::byte* out) const
{
    if (is_reduction(collective_))
        return {out, collective_ == Collective::reduce && rank_ != root_ ? 0 : block_bytes_};
    const std::vector<Block> blocks = received_blocks();
    return {out + (blocks.empty() ? 0 : blocks.front().offset_bytes), blocks.size() * block_bytes_};
}

std::size_t CollectiveData::wrong_bytes(const std::byte* out) const
{
    std::size_t wrong = 0;
    for (const Block& block : received_blocks())
        wrong += bench::wrong_bytes(std::span(out + block.offset_bytes, block_bytes_), block.salt);
    // Ranks without a result are not checked: MPI leaves open what rank 0 has after exscan.
    const bool has_sums = is_reduction(collective_) &&
                          (collective_ != Collective::reduce || rank_ == root_) &&
                          (collective_ != Collective::exscan || rank_ != 0);
    if (!has_sums)
        return wrong;
    const std::size_t terms = collective_ == Collective::scan     ? rank_ + 1
                              : collective_ == Collective::exscan ? rank_
                                                                  : ranks_;
    with_elements([&](auto element) {
        using Element = decltype(element);
        std::size_t first = 0;
        if (collective_ == Collective::reduce_scatter)
            first = rank_ * block_bytes_ / sizeof(Element);
        if (collective_ == Collective::reduce_scatterv)
            first = std::accumulate(counts_.data(), counts_.data() + rank_, std::size_t{0});
        for (std::size_t i = 0; i < block_bytes_ / sizeof(Element); ++i) {
            const auto expected = element_of<Element>(sum_of_terms(terms, first + i));
            if (std::memcmp(&expected, out + i * sizeof(Element), sizeof(Element)) != 0)
                wrong += sizeof(Element);
        }
    });
    return wrong;
}

}  // namespace tutti::bench
