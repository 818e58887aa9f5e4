// The arithmetic of trees and blocks that algorithms share: pure functions, so that tests need no group.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

namespace tutti::collectives::patterns {

/// Smallest k with 2^k >= value; value >= 1.
constexpr int ceil_log2(int value) noexcept
{
    return std::bit_width(static_cast<unsigned>(value - 1));
}

/// Largest power of two that is <= value; value >= 1.
constexpr int floor_power_of_two(int value) noexcept
{
    return static_cast<int>(std::bit_floor(static_cast<unsigned>(value)));
}

/// The lowest `bits` bits of a value below 2^bits, in the opposite order.
constexpr int reversed_bits(int value, int bits) noexcept
{
    int reversed = 0;
    for (int bit = 0; bit < bits; ++bit)
        reversed = reversed << 1 | (value >> bit & 1);
    return reversed;
}

/// Ranks counted from a root: relative = (rank - root) mod size.
class FromRoot {
public:
    /// 0 <= rank < size and 0 <= root < size.
    constexpr FromRoot(int rank, int root, int size) noexcept
        : relative_(rank >= root ? rank - root : rank - root + size), root_(root), size_(size)
    {
    }

    constexpr bool is_root() const noexcept { return relative_ == 0; }

protected:
    constexpr int absolute(int relative) const noexcept
    {
        return relative < size_ - root_ ? relative + root_ : relative - (size_ - root_);
    }

    int relative_;
    int root_;
    int size_;
};

/// One rank's place in the binomial tree over `size` ranks with any root. Ranks are counted from the root.
/// The parent of a relative rank clears its lowest set bit; child i adds 2^i, below that bit. So the subtree
/// of child i is the 2^i relative ranks (fewer at the end) from the child on, and the subtrees of children 0,
/// 1, ... are contiguous.
///
///     size 6, root 0:     0          child 0 of rank 0 is 1, child 1 is 2, child 2 is 4;
///                       / | \        rank 2's child 0 is 3, rank 4's is 5
///                      1  2  4
///                         |  |
///                         3  5
class BinomialTree : public FromRoot {
public:
    using FromRoot::FromRoot;

    /// Not for the root.
    constexpr int parent() const noexcept { return absolute(relative_ & (relative_ - 1)); }
    constexpr int child_count() const noexcept
    {
        // The lowest set bit limits the children of an inner rank (the root has none set); the number of
        // ranks limits all.
        const int by_bit = std::countr_zero(static_cast<unsigned>(relative_));
        const int by_size = std::bit_width(static_cast<unsigned>(size_ - 1 - relative_));
        return std::min(by_bit, by_size);
    }
    /// 0 <= index < child_count(); a larger index has the larger subtree.
    constexpr int child(int index) const noexcept { return absolute(relative_ + (1 << index)); }
    /// The relative rank after the last one of the subtree, which starts at this rank.
    constexpr int subtree_end() const noexcept
    {
        const int lowest_bit = relative_ & -relative_;
        return relative_ == 0 ? size_ : relative_ + std::min(lowest_bit, size_ - relative_);
    }
    /// Number of ranks in the subtree.
    constexpr int ranks() const noexcept { return subtree_end() - relative_; }
    /// Number of ranks in the subtree of child `index`: 2^index, fewer at the end, from child(index) on.
    constexpr int child_ranks(int index) const noexcept
    {
        return std::min(1 << index, size_ - relative_ - (1 << index));
    }
};

/// The radix that algorithms use.
inline constexpr int kKnomialRadix = 4;

/// One rank's place in the k-nomial tree over `size` ranks with any root: a binomial tree in base `radix`.
///
/// Ranks are counted from the root. The parent of a rank clears its lowest nonzero digit; a child sets one of
/// the digits below it, so the subtrees of children 0, 1, ... are contiguous.
///
///     size 9, root 0, radix 3:       0              children of 0: 1 2 3 6; of 3: 4 5; of 6: 7 8
///                                / |  |  \ .
///                               1  2  3   6
///                                    /|   |\ .
///                                   4 5   7 8
class KnomialTree : public FromRoot {
public:
    /// radix >= 2.
    constexpr KnomialTree(int rank, int root, int size, int radix) noexcept
        : FromRoot(rank, root, size), radix_(radix)
    {
        while (weight_ < size && relative_ / weight_ % radix == 0)
            weight_ *= radix;
    }

    /// Not for the root.
    constexpr int parent() const noexcept
    {
        return absolute(relative_ - relative_ / weight_ % radix_ * weight_);
    }
    constexpr int child_count() const noexcept
    {
        int count = 0;
        for (int weight = 1; weight < weight_; weight *= radix_)
            for (int digit = 1; digit < radix_; ++digit)
                count += relative_ + digit * weight < size_ ? 1 : 0;
        return count;
    }
    /// 0 <= index < child_count(); a larger index has a subtree at least as large.
    constexpr int child(int index) const noexcept
    {
        int weight = 1;
        for (int level = 0; level < index / (radix_ - 1); ++level)
            weight *= radix_;
        return absolute(relative_ + (index % (radix_ - 1) + 1) * weight);
    }

private:
    int radix_;
    int weight_ = 1;  // of the lowest nonzero digit; for the root a power of the radix >= size
};

/// One rank's place in the complete binary tree over `size` ranks with any root. Ranks are counted from the
/// root; the children of relative rank r are 2 r + 1 and 2 r + 2.
class BinaryTree : public FromRoot {
public:
    using FromRoot::FromRoot;

    /// Not for the root.
    constexpr int parent() const noexcept { return absolute((relative_ - 1) / 2); }
    constexpr int child_count() const noexcept { return std::clamp(size_ - 1 - 2 * relative_, 0, 2); }
    /// 0 <= index < child_count().
    constexpr int child(int index) const noexcept { return absolute(2 * relative_ + 1 + index); }
};

/// Reduces the ranks to a power of two. Each even rank of the first 2 * (size - power) folds into the odd
/// rank above it and stays out; the other ranks are renumbered without a gap, in their order.
///
///     size 6, power 4:   rank          0    1    2    3    4    5
///                        folded rank   out  0    out  1    2    3
class Fold {
public:
    static constexpr int kOut = -1;

    constexpr explicit Fold(int size) noexcept
        : power_(floor_power_of_two(size)), folded_(2 * (size - power_))
    {
    }

    constexpr int power() const noexcept { return power_; }
    /// Whether the rank exchanges with its neighbour in the fold: even ranks r give to r + 1.
    constexpr bool is_paired(int rank) const noexcept { return rank < folded_; }
    /// kOut for a rank that stays out.
    constexpr int folded(int rank) const noexcept
    {
        if (!is_paired(rank))
            return rank - folded_ / 2;
        return rank % 2 == 1 ? rank / 2 : kOut;
    }
    /// The inverse of folded(), for 0 <= folded_rank < power().
    constexpr int rank(int folded_rank) const noexcept
    {
        return folded_rank < folded_ / 2 ? 2 * folded_rank + 1 : folded_rank + folded_ / 2;
    }

private:
    int power_;
    int folded_;
};

/// A part of an array.
struct Block {
    std::size_t first = 0;
    std::size_t count = 0;
};

/// Part `index` of `count` elements in `parts` parts that differ by at most one element, longer ones first.
constexpr Block block(std::size_t count, std::size_t parts, std::size_t index) noexcept
{
    const std::size_t base = count / parts;
    const std::size_t longer = count % parts;
    return {index * base + std::min(index, longer), base + (index < longer ? 1 : 0)};
}

/// An array in segments of `each` elements, the last one shorter; at least one segment, which may be empty.
class Segments {
public:
    /// each >= 1.
    constexpr Segments(std::size_t total, std::size_t each) noexcept : total_(total), each_(each) {}

    constexpr std::size_t count() const noexcept
    {
        return total_ == 0 ? 1 : total_ / each_ + (total_ % each_ != 0 ? 1 : 0);
    }
    /// 0 <= index < count().
    constexpr Block operator[](std::size_t index) const noexcept
    {
        return {index * each_, std::min(each_, total_ - index * each_)};
    }

private:
    std::size_t total_;
    std::size_t each_;
};

}  // namespace tutti::collectives::patterns
