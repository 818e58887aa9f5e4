// Which rank has which row of a Table, and how a call's rows are put into few operations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "tutti/window_calls.hpp"

namespace tutti {

/// How rows are dealt over their owners.
enum class RowPartition : std::uint8_t {
    modulo,  // in turn: neighbouring rows are at different owners
    range,   // in ranges of equal length: neighbouring rows are at one owner
    hash,    // by a hash of the number: any pattern of rows is spread evenly
};

namespace detail {

/// Rows are known by their owner, as an index in the list of owners, and their place there.
class RowDeal {
public:
    struct Place {
        std::size_t owner;
        std::size_t index;
    };

    RowDeal(RowPartition partition, std::size_t rows, std::size_t owners) noexcept
        : partition_(partition), rows_(rows), owners_(owners), range_((rows + owners - 1) / owners)
    {
        while (partition_ == RowPartition::hash && rows_ > 1 && std::gcd(factor_, rows_) != 1)
            factor_ += 2;
    }

    Place place(std::size_t row) const noexcept
    {
        if (partition_ == RowPartition::range)
            return {row / range_, row % range_};
        if (partition_ == RowPartition::hash)
            row = spread(row);
        return {row % owners_, row / owners_};
    }
    std::size_t rows_of(std::size_t owner) const noexcept
    {
        if (partition_ == RowPartition::range)
            return std::min(range_, rows_ - std::min(rows_, owner * range_));
        return (rows_ + owners_ - 1 - owner) / owners_;
    }

    RowPartition partition() const noexcept { return partition_; }
    std::size_t owners() const noexcept { return owners_; }
    std::size_t range() const noexcept { return range_; }

private:
    // One-to-one: the factor and the number of rows have no common divisor (multiplicative hashing, D. E.
    // Knuth, The Art of Computer Programming 3, 6.4).
    std::size_t spread(std::size_t row) const noexcept
    {
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::size_t>(static_cast<Wide>(row) * factor_ % rows_);
    }

    RowPartition partition_;
    std::size_t rows_;
    std::size_t owners_;
    std::size_t range_;  // rows of an owner
    std::size_t factor_ = 0x9e3779b97f4a7c15u;
};

/// Rows of one owner, one after the other in its memory: every `stride`-th row of a call, from `at` on.
struct RowRun {
    RowDeal::Place place;  // of the first one
    std::size_t at;
    std::size_t length;
    std::size_t stride;
};

inline bool are_consecutive(std::span<const std::size_t> rows) noexcept
{
    bool differ = false;
    for (std::size_t i = 0; i < rows.size(); ++i)
        differ |= rows[i] != rows[0] + i;
    return !differ;
}

/// `count` rows from `first` on, which are not dealt by hash. They need no list.
inline std::vector<RowRun> runs_of(const RowDeal& deal, std::size_t first, std::size_t count)
{
    std::vector<RowRun> runs;
    if (deal.partition() == RowPartition::range) {
        for (std::size_t at = 0; at < count;) {
            const RowDeal::Place place = deal.place(first + at);
            const std::size_t length = std::min(count - at, deal.range() - place.index);
            runs.push_back({place, at, length, 1});
            at += length;
        }
        return runs;
    }
    const std::size_t owners = deal.owners();
    for (std::size_t at = 0; at < std::min(owners, count); ++at)
        runs.push_back({deal.place(first + at), at, (count - at + owners - 1) / owners, owners});
    return runs;
}

/// Calls act(owner, its rows) for rows in any order, some of them at a time; those of an owner stay in order.
template <class Act>
void for_each_owner(const RowDeal& deal, std::span<const std::size_t> rows, std::byte* values,
                    std::size_t row_bytes, Act&& act)
{
    constexpr std::size_t kAtATime = 16'384;
    const std::size_t most = std::min(kAtATime, rows.size());
    std::vector<RowDeal::Place> places(most);
    std::vector<WindowRow> list(most);
    std::vector<std::size_t> ends(deal.owners() + 1);
    for (std::size_t first = 0; first < rows.size(); first += most) {
        const std::size_t count = std::min(most, rows.size() - first);
        std::ranges::fill(ends, 0);
        for (std::size_t i = 0; i < count; ++i) {
            places[i] = deal.place(rows[first + i]);
            ++ends[places[i].owner + 1];
        }
        std::partial_sum(ends.begin(), ends.end(), ends.begin());
        // From here on each is the next place in the list for its owner, and in the end that of the next one.
        for (std::size_t i = 0; i < count; ++i)
            list[ends[places[i].owner]++] = {values + (first + i) * row_bytes, places[i].index * row_bytes,
                                             row_bytes};
        for (std::size_t owner = 0, begin = 0; owner < deal.owners(); begin = ends[owner++])
            if (begin != ends[owner])
                act(owner, std::span<const WindowRow>(list).subspan(begin, ends[owner] - begin));
    }
}

}  // namespace detail
}  // namespace tutti
