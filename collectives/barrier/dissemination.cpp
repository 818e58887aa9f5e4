// Dissemination barrier: in round k every rank signals the rank 2^k above it and waits for the one 2^k below.
// After round k a rank knows, directly or not, of the 2^(k+1) - 1 ranks below it; after the last, of all.
//
// Source: Hensgen, Finkel and Manber, "Two algorithms for barrier synchronization", 1988.
// Cost: ceil(log2 size) steps and chain; as many messages sent by every rank; no bytes.
//
// Size 5, the rank that each rank signals (ranks modulo 5):
//   round   0      1      2      3      4
//   0       -> 1   -> 2   -> 3   -> 4   -> 0
//   1       -> 2   -> 3   -> 4   -> 0   -> 1
//   2       -> 4   -> 0   -> 1   -> 2   -> 3
//
// Restrictions: none.
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

Task barrier_dissemination(Group& group)
{
    const int size = group.size();
    for (int distance = 1; distance < size; distance *= 2) {
        const int above = (group.rank() + distance) % size;
        const int below = (group.rank() - distance + size) % size;
        co_await group.exchange(above, {}, below, {});
    }
}

}  // namespace tutti::collectives
