#include "report.hpp"

namespace {

int copies = 0, deletions = 0;

int copy(const MPI::Comm& comm, int, void* state, void* from, void* to, bool& is_copied)
{
    ++copies;
    *static_cast<char**>(to) = static_cast<char*>(from) + *static_cast<int*>(state);
    is_copied = comm.Get_size() > 0;
    return MPI::SUCCESS;
}

int remove(MPI::Comm& comm, int, void* value, void* state)
{
    deletions +=
        static_cast<int>(reinterpret_cast<long>(value)) + *static_cast<int*>(state) + 100 * comm.Is_inter();
    return MPI::SUCCESS;
}

long value_of(const MPI::Comm& comm, int key)
{
    void* value = nullptr;
    return comm.Get_attr(key, &value) ? reinterpret_cast<long>(value) : -1;
}

void attributes()
{
    int* upper = nullptr;
    say("Get_attr", MPI::COMM_WORLD.Get_attr(MPI::TAG_UB, &upper) && *upper >= 32767);
    static int state = 5;
    int key = MPI::Comm::Create_keyval(copy, remove, &state);
    MPI::Intracomm part = MPI::COMM_WORLD.Dup();
    say("Create_keyval", {key != MPI::KEYVAL_INVALID, value_of(part, key)});
    part.Set_attr(key, reinterpret_cast<void*>(40));
    MPI::Intracomm twin = part.Dup();
    say("Set_attr", {value_of(part, key), value_of(twin, key), copies});
    part.Delete_attr(key);
    say("Delete_attr", {value_of(part, key), deletions});
    twin.Free();
    say("Free", deletions);
    part.Free();
    MPI::Comm::Free_keyval(key);
    say("Free_keyval", key == MPI::KEYVAL_INVALID);
    key = MPI::Comm::Create_keyval(MPI::Comm::DUP_FN, MPI::Comm::NULL_DELETE_FN, nullptr);
    int empty = MPI::Comm::Create_keyval(MPI::Comm::NULL_COPY_FN, MPI::Comm::NULL_DELETE_FN, nullptr);
    part = MPI::COMM_WORLD.Dup();
    part.Set_attr(key, reinterpret_cast<void*>(8));
    part.Set_attr(empty, reinterpret_cast<void*>(9));
    twin = part.Dup();
    say("DUP_FN", {value_of(twin, key), value_of(twin, empty)});
    twin.Free();
    part.Free();
    MPI::Comm::Free_keyval(key);
    MPI::Comm::Free_keyval(empty);
}

void topologies()
{
    const MPI::Intracomm& world = MPI::COMM_WORLD;
    const int sizes[] = {ranks, 1};
    const bool around[] = {true, false};
    MPI::Cartcomm grid = world.Create_cart(2, sizes, around, false);
    say("Create_cart",
        {grid.Get_topology() == MPI::CART, world.Get_topology() == MPI::UNDEFINED, grid.Get_dim()});
    int dims[2], at[2], from = 0, to = 0;
    bool periods[2];
    grid.Get_topo(2, dims, periods, at);
    say("Cartcomm::Get_topo", {dims[0], dims[1], periods[0], periods[1], at[0], at[1]});
    const int wanted[] = {-1, 0};
    say("Get_cart_rank", grid.Get_cart_rank(wanted));
    grid.Get_coords(ranks - 1, 2, at);
    say("Get_coords", at, 2);
    grid.Shift(0, 1, from, to);
    say("Shift", {from, to});
    const bool keeps[] = {false, true};
    MPI::Cartcomm row = grid.Sub(keeps);
    say("Sub", row.Get_size());
    say("Cartcomm::Map", grid.Map(1, sizes, around));
    MPI::Cartcomm other = grid.Dup();
    MPI::Cartcomm& clone = grid.Clone();
    say("Cartcomm::Dup", {other.Get_dim(), clone.Get_dim()});
    // As a Comm, which looks at the kind itself.
    const MPI::Cartcomm of_c((MPI_Comm(grid)));
    say("Cartcomm", of_c != MPI::COMM_NULL);
    const MPI::Cartcomm no_grid((MPI_Comm(world)));
    say("Cartcomm", no_grid != MPI::COMM_NULL);
    clone.Free();
    delete &clone;
    other.Free();
    row.Free();

    const int ends[] = {1, 2, 3}, edges[] = {1 % ranks, 2 % ranks, 3 % ranks};
    MPI::Graphcomm graph = world.Create_graph(ranks, ends, edges, false);
    int nodes[2], lengths[3] = {}, targets[3] = {};
    graph.Get_dims(&nodes[0], &nodes[1]);
    say("Create_graph", {graph.Get_topology() == MPI::GRAPH, nodes[0], nodes[1]});
    graph.Get_topo(ranks, ranks, lengths, targets);
    say("Graphcomm::Get_topo", {lengths[0], targets[0], targets[1]});
    say("Get_neighbors_count", graph.Get_neighbors_count(rank));
    graph.Get_neighbors(rank, 1, targets);
    say("Get_neighbors", targets[0]);
    say("Graphcomm::Map", graph.Map(ranks, ends, edges));
    const MPI::Graphcomm also((MPI_Comm(graph)));
    const MPI::Graphcomm no_graph((MPI_Comm(grid)));
    say("Graphcomm", {also != MPI::COMM_NULL, no_graph != MPI::COMM_NULL});
    MPI::Graphcomm twin = graph.Dup();
    MPI::Graphcomm& copy_of_it = graph.Clone();
    twin.Free();
    copy_of_it.Free();
    delete &copy_of_it;
    graph.Free();
    grid.Free();
}

void between_groups()
{
    const int side = rank == 0 ? 0 : 1;
    MPI::Intracomm half = MPI::COMM_WORLD.Split(side, rank);
    MPI::Intercomm inter = half.Create_intercomm(0, MPI::COMM_WORLD, 1 - side, 7);
    say("Create_intercomm", {inter.Is_inter(), inter.Get_size(), inter.Get_remote_size()});
    MPI::Group remote = inter.Get_remote_group();
    say("Get_remote_group", remote.Get_size());
    remote.Free();
    MPI::Intercomm twin = inter.Dup();
    MPI::Intercomm& clone = inter.Clone();
    MPI::Intercomm pair = inter.Split(0, rank);
    say("Intercomm", {twin.Get_remote_size(), clone.Get_remote_size(), pair.Get_remote_size()});
    pair.Free();
    MPI::Intracomm merged = inter.Merge(side == 1);
    say("Merge", merged.Get_rank());
    const MPI::Intracomm not_one((MPI_Comm(inter)));
    const MPI::Intracomm one((MPI_Comm(merged)));
    say("Intracomm", {not_one != MPI::COMM_NULL, one != MPI::COMM_NULL});
    merged.Free();
    clone.Free();
    delete &clone;
    twin.Free();
    inter.Free();
    half.Free();
}

}  // namespace

void communicators()
{
    const MPI::Intracomm& world = MPI::COMM_WORLD;
    char name[MPI::MAX_OBJECT_NAME];
    int length = 0;
    world.Get_name(name, length);
    say("Get_name", name);
    MPI::Intracomm copy = world.Dup();
    copy.Set_name("the copy");
    copy.Get_name(name, length);
    say("Set_name", name);
    say("Compare",
        {MPI::Comm::Compare(world, copy) == MPI::CONGRUENT, MPI::Comm::Compare(world, world) == MPI::IDENT});
    say("Is_inter", copy.Is_inter());
    MPI::Intracomm& clone = copy.Clone();
    say("Clone", clone.Get_size());
    clone.Disconnect();
    delete &clone;
    MPI::Group all = world.Get_group();
    const int last[] = {ranks - 1};
    MPI::Group end = all.Incl(1, last);
    MPI::Intracomm part = copy.Create(end);
    say("Create", part == MPI::COMM_NULL);
    if (part != MPI::COMM_NULL)
        part.Free();
    end.Free();
    all.Free();
    MPI::Intracomm half = world.Split(rank % 2, -rank);
    say("Split", {half.Get_size(), half.Get_rank()});
    half.Free();
    copy.Free();
    say("Free", copy == MPI::COMM_NULL);
    say("Get_parent", MPI::Comm::Get_parent() == MPI::COMM_NULL);
    attributes();
    topologies();
    if (ranks > 1)
        between_groups();
}
