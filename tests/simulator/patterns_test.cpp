#include "collectives/framework/patterns.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <vector>

namespace tutti::collectives::patterns {

static_assert(ceil_log2(1) == 0 && ceil_log2(2) == 1 && ceil_log2(3) == 2 && ceil_log2(8) == 3);
static_assert(ceil_log2(9) == 4);
static_assert(floor_power_of_two(1) == 1 && floor_power_of_two(7) == 4 && floor_power_of_two(8) == 8);
static_assert(BinomialTree(0, 0, 1).child_count() == 0 && BinomialTree(0, 0, 1).is_root());

static_assert(reversed_bits(0, 0) == 0 && reversed_bits(1, 1) == 1 && reversed_bits(1, 3) == 4);
static_assert(reversed_bits(6, 3) == 3 && reversed_bits(0b1011, 4) == 0b1101);

TEST_CASE("the binomial tree of the documented example")
{
    const BinomialTree root(0, 0, 6);
    REQUIRE(root.is_root());
    REQUIRE(root.child_count() == 3);
    CHECK(root.child(0) == 1);
    CHECK(root.child(1) == 2);
    CHECK(root.child(2) == 4);
    CHECK(BinomialTree(4, 0, 6).child_count() == 1);
    CHECK(BinomialTree(4, 0, 6).child(0) == 5);
    CHECK(BinomialTree(3, 0, 6).parent() == 2);
    CHECK(BinomialTree(3, 0, 6).child_count() == 0);
    // The same one rank further on: rank 5 is relative rank 4, its child relative rank 5 is rank 0.
    CHECK(BinomialTree(5, 1, 6).parent() == 1);
    CHECK(BinomialTree(5, 1, 6).child(0) == 0);
}

TEST_CASE("the other trees of the documented examples")
{
    const auto children = [](const auto& tree) {
        std::vector<int> all;
        for (int index = 0; index < tree.child_count(); ++index) {
            all.push_back(tree.child(index));
        }
        return all;
    };
    CHECK(children(KnomialTree(0, 0, 9, 3)) == std::vector{1, 2, 3, 6});
    CHECK(children(KnomialTree(3, 0, 9, 3)) == std::vector{4, 5});
    CHECK(children(KnomialTree(6, 0, 9, 3)) == std::vector{7, 8});
    CHECK(children(KnomialTree(6, 0, 8, 3)) == std::vector{7});
    CHECK(children(KnomialTree(1, 1, 6, 4)) == std::vector{2, 3, 4, 5});
    CHECK(children(KnomialTree(5, 1, 6, 4)) == std::vector{0});
    CHECK(children(BinaryTree(0, 0, 5)) == std::vector{1, 2});
    CHECK(children(BinaryTree(1, 0, 5)) == std::vector{3, 4});
    CHECK(children(BinaryTree(2, 0, 5)).empty());
    CHECK(children(BinaryTree(4, 3, 5)) == std::vector{1, 2});
}

TEST_CASE("parents and children of trees agree, and they reach all, for any root and size")
{
    const auto check = [](int size, int root, const auto& tree_of) {
        std::multiset<int> seen{root};
        for (int rank = 0; rank < size; ++rank) {
            const auto tree = tree_of(rank);
            REQUIRE(tree.is_root() == (rank == root));
            for (int index = 0; index < tree.child_count(); ++index) {
                const int child = tree.child(index);
                REQUIRE((0 <= child && child < size));
                REQUIRE(tree_of(child).parent() == rank);
                seen.insert(child);
            }
        }
        REQUIRE(seen.size() == static_cast<std::size_t>(size));
        REQUIRE(std::set<int>(seen.begin(), seen.end()).size() == seen.size());
    };
    for (int size = 1; size <= 40; ++size) {
        for (int root = 0; root < size; ++root) {
            CAPTURE(size, root);
            check(size, root, [&](int rank) { return BinomialTree(rank, root, size); });
            check(size, root, [&](int rank) { return BinaryTree(rank, root, size); });
            for (const int radix : {2, 3, 4, 7}) {
                check(size, root, [&](int rank) { return KnomialTree(rank, root, size, radix); });
            }
        }
    }
}

TEST_CASE("a subtree ends where the next one begins")
{
    for (int size = 1; size <= 40; ++size) {
        for (int rank = 0; rank < size; ++rank) {
            const BinomialTree tree(rank, 0, size);
            int next = rank + 1;
            for (int index = 0; index < tree.child_count(); ++index) {
                REQUIRE(tree.child(index) == next);
                next = BinomialTree(next, 0, size).subtree_end();
            }
            REQUIRE(tree.subtree_end() == next);
        }
    }
    CHECK(BinomialTree(3, 3, 6).subtree_end() == 6);
    CHECK(BinomialTree(5, 3, 6).subtree_end() == 4);
}

TEST_CASE("a binomial tree over nearly all integers does not overflow")
{
    constexpr int kSize = 2147483647;
    CHECK(BinomialTree(0, 0, kSize).child_count() == 31);
    CHECK(BinomialTree(0, 0, kSize).child(30) == 1 << 30);
    CHECK(BinomialTree(0, kSize - 1, kSize).parent() == kSize - 1);
}

TEST_CASE("a fold renumbers without gaps, in order, to a power of two")
{
    for (int size = 1; size <= 70; ++size) {
        const Fold fold(size);
        REQUIRE(fold.power() <= size);
        REQUIRE(2 * fold.power() > size);
        int next = 0;
        for (int rank = 0; rank < size; ++rank) {
            if (fold.folded(rank) == Fold::kOut) {
                REQUIRE(fold.is_paired(rank));
                REQUIRE(fold.is_paired(rank + 1));
                REQUIRE(fold.folded(rank + 1) != Fold::kOut);
                continue;
            }
            REQUIRE(fold.folded(rank) == next);
            REQUIRE(fold.rank(next) == rank);
            ++next;
        }
        REQUIRE(next == fold.power());
    }
}

TEST_CASE("blocks cover an array without gaps and differ by at most one element")
{
    for (const std::size_t count : {0, 1, 5, 16, 17, 1001}) {
        for (const std::size_t parts : {1, 2, 5, 16, 17}) {
            std::size_t next = 0;
            for (std::size_t index = 0; index < parts; ++index) {
                const Block part = block(count, parts, index);
                REQUIRE(part.first == next);
                REQUIRE((part.count == count / parts || part.count == count / parts + 1));
                next += part.count;
            }
            REQUIRE(next == count);
        }
    }
    CHECK(block(5, 3, 0).count == 2);
    CHECK(block(5, 3, 2).count == 1);
    CHECK(block(5, 3, 2).first == 4);
}

TEST_CASE("segments cover an array, the last one shorter, and nothing is one empty segment")
{
    for (const std::size_t total : {0, 1, 7, 8, 9, 100}) {
        for (const std::size_t each : {1, 3, 8, 1000}) {
            const Segments segments(total, each);
            REQUIRE(segments.count() == std::max<std::size_t>(1, (total + each - 1) / each));
            std::size_t next = 0;
            for (std::size_t index = 0; index < segments.count(); ++index) {
                REQUIRE(segments[index].first == next);
                REQUIRE((segments[index].count == each || index + 1 == segments.count()));
                next += segments[index].count;
            }
            REQUIRE(next == total);
        }
    }
    CHECK(Segments(static_cast<std::size_t>(-1), static_cast<std::size_t>(-1)).count() == 1);
}

}  // namespace tutti::collectives::patterns
