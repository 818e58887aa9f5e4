// Tutti's collectives as types, so that what is called with the same arguments in three forms is written
// once.
#pragma once

#include "tutti/tutti.hpp"

namespace tutti::bench::forms {

struct Barrier {
    static void run(const auto& ranks, auto&&... a) { ranks.barrier(a...); }
    static Request start(const auto& ranks, auto&&... a) { return ranks.ibarrier(a...); }
    static PersistentRequest init(const auto& ranks, auto&&... a) { return ranks.barrier_init(a...); }
};
struct Broadcast {
    static void run(const auto& ranks, auto&&... a) { ranks.broadcast(a...); }
    static Request start(const auto& ranks, auto&&... a) { return ranks.ibroadcast(a...); }
    static PersistentRequest init(const auto& ranks, auto&&... a) { return ranks.broadcast_init(a...); }
};
struct Reduce {
    static void run(const auto& ranks, auto&&... a) { ranks.reduce(a...); }
    static Request start(const auto& ranks, auto&&... a) { return ranks.ireduce(a...); }
    static PersistentRequest init(const auto& ranks, auto&&... a) { return ranks.reduce_init(a...); }
};
struct Allreduce {
    static void run(const auto& ranks, auto&&... a) { ranks.allreduce(a...); }
    static Request start(const auto& ranks, auto&&... a) { return ranks.iallreduce(a...); }
    static PersistentRequest init(const auto& ranks, auto&&... a) { return ranks.allreduce_init(a...); }
};
struct ReduceScatter {
    static void run(const auto& ranks, auto&&... a) { ranks.reduce_scatter(a...); }
    static Request start(const auto& ranks, auto&&... a) { return ranks.ireduce_scatter(a...); }
    static PersistentRequest init(const auto& ranks, auto&&... a) { return ranks.reduce_scatter_init(a...); }
};
struct ReduceScatterv {
    static void run(const auto& ranks, auto&&... a) { ranks.reduce_scatterv(a...); }
    static Request start(const auto& ranks, auto&&... a) { return ranks.ireduce_scatterv(a...); }
    static PersistentRequest init(const auto& ranks, auto&&... a) { return ranks.reduce_scatterv_init(a...); }
};
struct Scan {
    static void run(const auto& ranks, auto&&... a) { ranks.scan(a...); }
    static Request start(const auto& ranks, auto&&... a) { return ranks.iscan(a...); }
    static PersistentRequest init(const auto& ranks, auto&&... a) { return ranks.scan_init(a...); }
};
struct Exscan {
    static void run(const auto& ranks, auto&&... a) { ranks.exscan(a...); }
    static Request start(const auto& ranks, auto&&... a) { return ranks.iexscan(a...); }
    static PersistentRequest init(const auto& ranks, auto&&... a) { return ranks.exscan_init(a...); }
};
struct Gather {
    static void run(const auto& ranks, auto&&... a) { ranks.gather(a...); }
    static Request start(const auto& ranks, auto&&... a) { return ranks.igather(a...); }
    static PersistentRequest init(const auto& ranks, auto&&... a) { return ranks.gather_init(a...); }
};
struct Gatherv {
    static void run(const auto& ranks, auto&&... a) { ranks.gatherv(a...); }
    static Request start(const auto& ranks, auto&&... a) { return ranks.igatherv(a...); }
    static PersistentRequest init(const auto& ranks, auto&&... a) { return ranks.gatherv_init(a...); }
};
struct Scatter {
    static void run(const auto& ranks, auto&&... a) { ranks.scatter(a...); }
    static Request start(const auto& ranks, auto&&... a) { return ranks.iscatter(a...); }
    static PersistentRequest init(const auto& ranks, auto&&... a) { return ranks.scatter_init(a...); }
};
struct Scatterv {
    static void run(const auto& ranks, auto&&... a) { ranks.scatterv(a...); }
    static Request start(const auto& ranks, auto&&... a) { return ranks.iscatterv(a...); }
    static PersistentRequest init(const auto& ranks, auto&&... a) { return ranks.scatterv_init(a...); }
};
struct Allgather {
    static void run(const auto& ranks, auto&&... a) { ranks.allgather(a...); }
    static Request start(const auto& ranks, auto&&... a) { return ranks.iallgather(a...); }
    static PersistentRequest init(const auto& ranks, auto&&... a) { return ranks.allgather_init(a...); }
};
struct Allgatherv {
    static void run(const auto& ranks, auto&&... a) { ranks.allgatherv(a...); }
    static Request start(const auto& ranks, auto&&... a) { return ranks.iallgatherv(a...); }
    static PersistentRequest init(const auto& ranks, auto&&... a) { return ranks.allgatherv_init(a...); }
};
struct Alltoall {
    static void run(const auto& ranks, auto&&... a) { ranks.alltoall(a...); }
    static Request start(const auto& ranks, auto&&... a) { return ranks.ialltoall(a...); }
    static PersistentRequest init(const auto& ranks, auto&&... a) { return ranks.alltoall_init(a...); }
};
struct Alltoallv {
    static void run(const auto& ranks, auto&&... a) { ranks.alltoallv(a...); }
    static Request start(const auto& ranks, auto&&... a) { return ranks.ialltoallv(a...); }
    static PersistentRequest init(const auto& ranks, auto&&... a) { return ranks.alltoallv_init(a...); }
};
struct NeighborAllgather {
    static void run(const auto& ranks, auto&&... a) { ranks.neighbor_allgather(a...); }
    static Request start(const auto& ranks, auto&&... a) { return ranks.ineighbor_allgather(a...); }
    static PersistentRequest init(const auto& ranks, auto&&... a)
    {
        return ranks.neighbor_allgather_init(a...);
    }
};
struct NeighborAllgatherv {
    static void run(const auto& ranks, auto&&... a) { ranks.neighbor_allgatherv(a...); }
    static Request start(const auto& ranks, auto&&... a) { return ranks.ineighbor_allgatherv(a...); }
    static PersistentRequest init(const auto& ranks, auto&&... a)
    {
        return ranks.neighbor_allgatherv_init(a...);
    }
};
struct NeighborAlltoall {
    static void run(const auto& ranks, auto&&... a) { ranks.neighbor_alltoall(a...); }
    static Request start(const auto& ranks, auto&&... a) { return ranks.ineighbor_alltoall(a...); }
    static PersistentRequest init(const auto& ranks, auto&&... a)
    {
        return ranks.neighbor_alltoall_init(a...);
    }
};
struct NeighborAlltoallv {
    static void run(const auto& ranks, auto&&... a) { ranks.neighbor_alltoallv(a...); }
    static Request start(const auto& ranks, auto&&... a) { return ranks.ineighbor_alltoallv(a...); }
    static PersistentRequest init(const auto& ranks, auto&&... a)
    {
        return ranks.neighbor_alltoallv_init(a...);
    }
};

}  // namespace tutti::bench::forms
