#include "report.hpp"

namespace {

void largest_plus_one(const void* in, void* inout, int length, const MPI::Datatype& datatype)
{
    const int more = datatype == MPI::INT ? 1 : 1000;
    for (int i = 0; i < length; ++i) {
        int& to = static_cast<int*>(inout)[i];
        const int from = static_cast<const int*>(in)[i];
        to = (from > to ? from : to) + more;
    }
}

void product(const void* in, void* inout, int length, const MPI::Datatype&)
{
    for (int i = 0; i < length; ++i)
        static_cast<int*>(inout)[i] *= static_cast<const int*>(in)[i];
}

}  // namespace

void collectives()
{
    const MPI::Intracomm& world = MPI::COMM_WORLD;
    int mine[6], all[6];
    int counts[] = {1, 2, 3};
    const int places[] = {0, 1, 3}, twos[] = {2, 2, 2}, pairs[] = {0, 2, 4}, bytes[] = {0, 8, 16};
    const MPI::Datatype types[] = {MPI::INT, MPI::INT, MPI::INT};
    for (int i = 0; i < 6; ++i)
        mine[i] = 100 * rank + i;
    const auto clear = [&] {
        for (int& each : all)
            each = -1;
    };
    const auto reported = [&](const char* name) {
        say(name, all, 6);
        clear();
    };
    clear();
    world.Barrier();
    std::memcpy(all, mine, sizeof all);
    world.Bcast(all, 6, MPI::INT, 0);
    reported("Bcast");
    world.Gather(mine, 2, MPI::INT, all, 2, MPI::INT, 0);
    reported("Gather");
    world.Gatherv(mine, counts[rank], MPI::INT, all, counts, places, MPI::INT, 0);
    reported("Gatherv");
    world.Scatter(mine, 2, MPI::INT, all, 2, MPI::INT, 0);
    reported("Scatter");
    world.Scatterv(mine, counts, places, MPI::INT, all, counts[rank], MPI::INT, 0);
    reported("Scatterv");
    world.Allgather(mine, 2, MPI::INT, all, 2, MPI::INT);
    reported("Allgather");
    world.Allgatherv(mine, counts[rank], MPI::INT, all, counts, places, MPI::INT);
    reported("Allgatherv");
    world.Alltoall(mine, 2, MPI::INT, all, 2, MPI::INT);
    reported("Alltoall");
    world.Alltoallv(mine, twos, pairs, MPI::INT, all, twos, pairs, MPI::INT);
    reported("Alltoallv");
    world.Alltoallw(mine, twos, bytes, types, all, twos, bytes, types);
    reported("Alltoallw");
    world.Reduce(mine, all, 3, MPI::INT, MPI::SUM, 0);
    reported("Reduce");
    world.Allreduce(mine, all, 3, MPI::INT, MPI::MAX);
    reported("Allreduce");
    world.Reduce_scatter(mine, all, counts, MPI::INT, MPI::SUM);
    reported("Reduce_scatter");
    world.Scan(mine, all, 3, MPI::INT, MPI::SUM);
    reported("Scan");
    world.Exscan(mine, all, 3, MPI::INT, MPI::SUM);
    reported("Exscan");
    std::memcpy(all, mine, sizeof all);
    world.Allreduce(MPI::IN_PLACE, all, 6, MPI::INT, MPI::MIN);
    reported("Allreduce in place");

    MPI::Op largest, other;
    largest.Init(largest_plus_one, true);
    other.Init(product, false);
    say("Op::Is_commutative", {largest.Is_commutative(), other.Is_commutative(), MPI::SUM.Is_commutative()});
    world.Allreduce(mine, all, 3, MPI::INT, largest);
    reported("Op::Init");
    world.Scan(mine, all, 3, MPI::INT, other);
    reported("Op::Init");
    world.Reduce(mine, all, 2, MPI::INT, largest, ranks - 1);
    reported("Op::Init");
    all[0] = 3;
    largest.Reduce_local(mine, all, 1, MPI::INT);
    reported("Op::Reduce_local");
    largest.Free();
    other.Free();
    say("Op::Free", largest == MPI::OP_NULL);
}
