// Neighbors: the ranks with which a rank of a grid or graph exchanges blocks.
#pragma once

#include <cstddef>
#include <span>

namespace tutti::collectives {

/// The sources and destinations of this rank; a negative one is no rank. A rank may occur several times, and
/// may be this one. Blocks that one rank sends another in the order of its destinations arrive in the order
/// of the receiver's sources.
///
/// `opposite`: neighbours 2 i and 2 i + 1 lie on either side of this rank, and both lists are the same. A
/// block sent to one side arrives at the other: from neighbour 2 i of the sender to 2 i + 1 of the receiver.
/// This distinguishes two blocks if both sides are the same rank.
struct Neighbors {
    std::span<const int> sources;
    std::span<const int> destinations;
    bool opposite = false;

    /// Index of the source whose block is received `turn`-th.
    std::size_t source_in_turn(std::size_t turn) const noexcept { return opposite ? turn ^ 1 : turn; }

    /// Calls visit(index of a destination, index of a source) for all blocks that `rank` sends to itself.
    template <class Visit>
    void visit_kept(int rank, Visit&& visit) const
    {
        std::size_t sent = 0;
        for (std::size_t turn = 0; turn < sources.size(); ++turn) {
            const std::size_t received = source_in_turn(turn);
            if (sources[received] != rank)
                continue;
            while (destinations[sent] != rank)
                ++sent;
            visit(sent++, received);
        }
    }
};

}  // namespace tutti::collectives
