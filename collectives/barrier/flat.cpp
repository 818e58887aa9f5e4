// Flat barrier: every rank reports to rank 0, which then releases every rank.
//
// Source: the central-counter barrier (Mellor-Crummey and Scott, "Algorithms for scalable synchronization on
// shared-memory multiprocessors", 1991), with messages for the counter.
// Cost: 2 (size - 1) steps in a chain of 2; 2 (size - 1) messages, each to or from rank 0; no bytes. With
// more ranks than cores every other rank waits only once, so the scheduler runs it at most twice; no tree
// guarantees that.
//
// Size 5:
//   rank     0         1         2         3         4
//   report   waits     -> 0      -> 0      -> 0      -> 0
//   release  -> 1..4   waits     waits     waits     waits
//
// Restrictions: none.
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

Task barrier_flat(Group& group)
{
    constexpr int kCentre = 0;
    if (group.rank() != kCentre) {
        Operation released = group.recv(kCentre, {});
        Operation reported = group.send(kCentre, {});
        co_await when_all(std::move(released), std::move(reported));
        co_return;
    }
    // One at a time: reports that arrive early wait in the queue, and all must arrive before any release.
    for (int peer = 1; peer < group.size(); ++peer) {
        Operation report = group.recv(peer, {});
        co_await report;
    }
    OperationList releases;
    for (int peer = 1; peer < group.size(); ++peer)
        releases.add(group.send(peer, {}));
    co_await when_all(std::move(releases));
}

}  // namespace tutti::collectives
