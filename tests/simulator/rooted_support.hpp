// What the tests of gather and scatter share: the same blocks travel along the same edges, towards the root
// or away from it.
#pragma once

#include <algorithm>

#include "collectives/choice/choice.hpp"
#include "tests/simulator/blocks_support.hpp"

namespace tutti::collectives::test {

/// Where the root's own block is.
enum class Root { in_place, separate };

/// Blocks of all messages of the binomial tree: every rank but the root passes on, or gets, its subtree once.
inline std::size_t blocks_in_tree(int ranks)
{
    int blocks = 0;
    for (int relative = 1; relative < ranks; ++relative) {
        blocks += std::min(relative & -relative, ranks - relative);
    }
    return static_cast<std::size_t>(blocks);
}

/// Of an algorithm for blocks of one size.
template <class Function>
void check_rooted_cost(const Report& report, const Algorithm<Function>& algorithm, int ranks,
                       std::size_t block_bytes)
{
    CAPTURE(algorithm.name, ranks);
    const auto others = static_cast<std::size_t>(ranks - 1);
    if (algorithm.name == "shared") {
        CHECK(report.finish_ns() == 0);
        CHECK(report.messages_sent() == 0);
        return;
    }
    const bool flat = algorithm.name == "flat";
    CHECK(report.finish_ns() == (flat ? ranks - 1 : ceil_log2(ranks)));
    CHECK(report.longest_chain == (flat ? std::min(ranks - 1, 1) : floor_log2(ranks)));
    CHECK(report.messages_sent() == others);
    CHECK(report.bytes_sent() == (flat ? others : blocks_in_tree(ranks)) * block_bytes);
}

/// Calls check(algorithm, mode, ranks, root, kind of root, bytes of a block) for all that there are.
template <class Collective, class Check>
void for_every_root(Check&& check)
{
    for (const auto& algorithm : on_one_node<Collective>()) {
        for (const SendMode mode : kModes) {
            for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
                for (int root = 0; root < ranks; ++root) {
                    const bool even = root % 2 == 0;
                    for (const std::size_t block_bytes : kCounts) {
                        check(algorithm, mode, ranks, root, even ? Root::separate : Root::in_place,
                              block_bytes);
                    }
                    check(algorithm, mode, ranks, root, even ? Root::in_place : Root::separate, 3);
                }
            }
        }
    }
}

/// The same for large groups.
template <class Collective, class Check>
void for_many_ranks(Check&& check)
{
    for (const auto& algorithm : on_one_node<Collective>()) {
        check(algorithm, SendMode::synchronous, 64, 63, Root::separate, 5);
        if (algorithm.name == "shared")
            continue;  // every rank passes as many positions as there are ranks
        check(algorithm, SendMode::eager, 1000, 501, Root::in_place, 17);
        check(algorithm, SendMode::synchronous, 4096, 4000, Root::separate, 1);
    }
}

/// Calls run(mode, places, root, kind of root) for unequal blocks, and checks what the flat algorithm
/// promises; or, if `longest_left(ranks)` is given, that longer blocks alone are messages.
template <class Run>
void for_unequal_blocks(Run&& run, std::size_t (*longest_left)(int ranks) = nullptr)
{
    for (const SendMode mode : kModes) {
        for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
            for (const std::vector<std::size_t>& sizes : kinds_of_sizes(ranks)) {
                for (const Order order : kOrders) {
                    const Places places(sizes, order);
                    for (const int root : {0, ranks / 2, ranks - 1}) {
                        const Report report =
                            run(mode, places, root, order == Order::gaps ? Root::in_place : Root::separate);
                        if (longest_left != nullptr) {
                            std::size_t sent = 0;
                            for (int rank = 0; rank < ranks; ++rank)
                                sent += rank != root &&
                                                sizes[static_cast<std::size_t>(rank)] > longest_left(ranks)
                                            ? 1
                                            : 0;
                            CHECK(report.messages_sent() == sent);
                            continue;
                        }
                        CHECK(report.finish_ns() == ranks - 1);
                        CHECK(report.longest_chain == std::min(ranks - 1, 1));
                        CHECK(report.messages_sent() == static_cast<std::size_t>(ranks - 1));
                        CHECK(report.bytes_sent() ==
                              places.total_bytes() - sizes[static_cast<std::size_t>(root)]);
                    }
                }
            }
        }
    }
}

}  // namespace tutti::collectives::test
