// Pipelined chain reduce: the ranks form a chain that ends at the root. Partial results move along it in
// segments, each rank combining its operand with what arrives, so that all ranks receive, combine and send at
// once as soon as the first segment has come through.
//
// Source: textbook; Pjesivac-Grbovic and others, "Performance analysis of MPI collective operations", 2007,
// section 3 ("pipeline").
// Cost: segments + size - 2 steps, of n / segments bytes each, in a chain of size - 1; segments (size - 1)
// messages, (size - 1) n bytes in all. Every rank sends and receives n bytes at most: it is for long data and
// few ranks.
//
// Size 4, root 2, operands a b c d, segments 1 2:
//   step   3        0        1        2
//   1      d1 -> 0                    c1, c2
//   2      d2 -> 0  da1 -> 1
//   3               da2 -> 1 dab1 -> 2
//   4                        dab2 -> 2
//   has                               dabc1, dabc2
//
// Where the operator does not commute two chains, 0 1 ... and size - 1, size - 2 ..., meet at the root, which
// combines the first on its left and the second on its right. An inner root then receives 2 n bytes, and the
// steps are at most 2 segments + size - 2.
//
// Restrictions: none; operators need not commute. segment_bytes >= 1, a segment has at least one element; no
// data is one empty segment.
#include <algorithm>
#include <array>

#include "collectives/partition.hpp"
#include "collectives/reduce/reduce.hpp"

namespace tutti::collectives {

namespace {

constexpr int kNobody = -1;

/// One rank's neighbours.
struct Place {
    int below = kNobody;  // sends a partial result that belongs on the left
    int above = kNobody;  // ... on the right
    int next = kNobody;   // takes this rank's
};

Place place_of(int rank, int size, int root, bool commutative) noexcept
{
    const int first = commutative ? (root + 1) % size : 0;
    const int last = commutative ? (root + 1) % size : size - 1;
    Place place;
    if (commutative) {
        place.below = rank == first ? kNobody : (rank - 1 + size) % size;
        place.next = rank == root ? kNobody : (rank + 1) % size;
        return place;
    }
    if (rank <= root && rank != first) {
        place.below = rank - 1;
    }
    if (rank >= root && rank != last) {
        place.above = rank + 1;
    }
    if (rank != root) {
        place.next = rank < root ? rank + 1 : rank - 1;
    }
    return place;
}

}  // namespace

