// Which rank has which row of a Table, and how a call's rows are put into few operations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "tutti/layout.hpp"

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

/// Rows of one owner: where their elements are in the caller's buffer, and in the owner's memory.
struct RowBatch {
    std::size_t owner;
    std::size_t first_element;  // of the buffer: `here` is relative to it
    Layout here;
    Layout there;
};

/// The rows of a call by owner, each row once; rows that are named again are in later batches.
class RowBatches {
public:
    RowBatches(const RowDeal& deal, std::span<const std::size_t> rows, std::size_t width,
               std::size_t element_bytes)
        : deal_(deal), row_bytes_(width * element_bytes), width_(width), element_bytes_(element_bytes)
    {
        if (rows.empty() || width == 0)
            return;
        if (are_consecutive(rows) && deal.partition() != RowPartition::hash)
            add_consecutive(rows.front(), rows.size());
        else
            add_any(rows);
    }

    auto begin() const noexcept { return batches_.begin(); }
    auto end() const noexcept { return batches_.end(); }

private:
    struct Item {
        std::size_t index;  // the row's, at its owner
        std::size_t at;     // in the call
    };

    static bool are_consecutive(std::span<const std::size_t> rows) noexcept
    {
        bool differ = false;
        for (std::size_t i = 0; i < rows.size(); ++i)
            differ |= rows[i] != rows[0] + i;
        return !differ;
    }

    // No list of rows: their elements lie at regular distances.
    void add_consecutive(std::size_t first, std::size_t count)
    {
        if (deal_.partition() == RowPartition::range) {
            for (std::size_t at = 0; at < count;) {
                const auto [owner, index] = deal_.place(first + at);
                const std::size_t length = std::min(count - at, deal_.range() - index);
                add_run(owner, index, at, length, 1);
                at += length;
            }
            return;
        }
        const std::size_t owners = deal_.owners();
        for (std::size_t at = 0; at < std::min(owners, count); ++at) {
            const auto [owner, index] = deal_.place(first + at);
            add_run(owner, index, at, (count - at + owners - 1) / owners, owners);
        }
    }

    // `length` rows from place `index` on, from every `stride`-th row of the call.
    void add_run(std::size_t owner, std::size_t index, std::size_t at, std::size_t length, std::size_t stride)
    {
        const Layout::Block run[] = {block(index, length)};
        batches_.push_back(
            {owner, at * width_,
             Layout::strided(length, width_, static_cast<std::ptrdiff_t>(stride * width_), element_bytes_),
             Layout::indexed(run)});
    }

    void add_any(std::span<const std::size_t> rows)
    {
        std::vector<std::size_t> counts(deal_.owners() + 1);
        for (const std::size_t row : rows)
            ++counts[deal_.place(row).owner + 1];
        std::partial_sum(counts.begin(), counts.end(), counts.begin());
        std::vector<Item> items(rows.size());
        std::vector<std::size_t> next(counts.begin(), counts.end() - 1);
        for (std::size_t at = 0; at < rows.size(); ++at) {
            const auto [owner, index] = deal_.place(rows[at]);
            items[next[owner]++] = {index, at};
        }
        for (std::size_t owner = 0; owner < deal_.owners(); ++owner)
            add_items(owner, std::span(items).subspan(counts[owner], counts[owner + 1] - counts[owner]));
    }

    void add_items(std::size_t owner, std::span<Item> items)
    {
        const auto in_order = [](const Item& a, const Item& b) {
            return a.index != b.index ? a.index < b.index : a.at < b.at;
        };
        if (!std::ranges::is_sorted(items, in_order))
            std::ranges::sort(items, in_order);
        std::vector<Layout::Block> here, there;
        std::vector<Item> again;
        while (!items.empty()) {
            again.clear();
            here.clear();
            there.clear();
            for (std::size_t i = 0; i < items.size(); ++i) {
                if (i > 0 && items[i].index == items[i - 1].index) {
                    again.push_back(items[i]);
                    continue;
                }
                here.push_back(block(items[i].at, 1));
                there.push_back(block(items[i].index, 1));
            }
            batches_.push_back({owner, 0, Layout::indexed(here), Layout::indexed(there)});
            std::ranges::copy(again, items.begin());
            items = items.first(again.size());
        }
    }

    Layout::Block block(std::size_t row, std::size_t rows) const noexcept
    {
        return {static_cast<std::ptrdiff_t>(row * row_bytes_), rows * row_bytes_};
    }

    const RowDeal& deal_;
    std::size_t row_bytes_;
    std::size_t width_;
    std::size_t element_bytes_;
    std::vector<RowBatch> batches_;
};

}  // namespace detail
}  // namespace tutti
