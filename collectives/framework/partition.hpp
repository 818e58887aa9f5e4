// Partition: the division of an array into consecutive blocks.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "collectives/framework/group.hpp"
#include "collectives/framework/patterns.hpp"

namespace tutti::collectives {

class Partition {
public:
    /// `parts` blocks that differ by at most one element, the longer ones first.
    static Partition even(std::size_t count, int parts) noexcept
    {
        return Partition(count, static_cast<std::size_t>(parts));
    }
    /// A block for each count; zeros are allowed.
    static Partition of_counts(std::span<const std::size_t> counts)
    {
        Partition made(0, counts.size());
        made.first_.reserve(counts.size() + 1);
        for (const std::size_t count : counts) {
            made.first_.push_back(made.count_);
            made.count_ += count;
        }
        made.first_.push_back(made.count_);
        return made;
    }

    /// Whether it was made by even().
    bool is_even() const noexcept { return first_.empty(); }
    /// Elements of all blocks.
    std::size_t count() const noexcept { return count_; }

    patterns::Block operator[](int index) const noexcept { return range(index, index + 1); }
    /// Blocks begin to end - 1 as one; 0 <= begin <= end <= parts.
    patterns::Block range(int begin, int end) const noexcept
    {
        const std::size_t first = first_of(static_cast<std::size_t>(begin));
        return {first, first_of(static_cast<std::size_t>(end)) - first};
    }

private:
    Partition(std::size_t count, std::size_t parts) noexcept : count_(count), parts_(parts) {}

    std::size_t first_of(std::size_t index) const noexcept
    {
        return first_.empty() ? patterns::block(count_, parts_, index).first : first_[index];
    }

    std::size_t count_;
    std::size_t parts_;
    std::vector<std::size_t> first_;  // of each block, and the end of the last; empty after even()
};

/// A read-only array.
struct ConstBuffer {
    const std::byte* data = nullptr;
    std::size_t element_bytes = 1;

    std::span<const std::byte> bytes(patterns::Block block) const noexcept
    {
        return {data + block.first * element_bytes, block.count * element_bytes};
    }
};

/// The elements of a block.
inline Buffer part(const Buffer& buffer, patterns::Block block) noexcept
{
    return {buffer.data + block.first * buffer.element_bytes, block.count, buffer.element_bytes};
}

}  // namespace tutti::collectives
