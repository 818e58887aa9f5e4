// Every collective in every form, made by ranks that are threads, with data that shows a single wrong byte.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <atomic>
#include <vector>

#include "benchmarks/suite/collectives/collective_data.hpp"
#include "benchmarks/tutti/tutti_collective.hpp"

using namespace tutti;
using namespace tutti::bench;

namespace {

constexpr Collective kEveryCollective[] = {Collective::barrier,
                                           Collective::broadcast,
                                           Collective::reduce,
                                           Collective::allreduce,
                                           Collective::reduce_scatter,
                                           Collective::reduce_scatterv,
                                           Collective::scan,
                                           Collective::exscan,
                                           Collective::gather,
                                           Collective::gatherv,
                                           Collective::scatter,
                                           Collective::scatterv,
                                           Collective::allgather,
                                           Collective::allgatherv,
                                           Collective::alltoall,
                                           Collective::alltoallv,
                                           Collective::neighbor_allgather,
                                           Collective::neighbor_allgatherv,
                                           Collective::neighbor_alltoall,
                                           Collective::neighbor_alltoallv};

void call_in_form(TuttiCollective& collective, int form)
{
    if (form == 0) {
        collective.run();
    } else if (form == 1) {
        collective.start().wait();
    } else {
        PersistentRequest request = collective.persistent();
        request.start();
        request.wait();
    }
}

// Wrong bytes of this rank: as the collective left them, and after the last one that it received was changed.
struct Wrong {
    std::size_t found;
    std::size_t after_a_change;
};

Wrong wrong_after(Communicator world, const std::optional<GraphCommunicator>& graph, CollectivePart part,
                  int form)
{
    part.rank = world.rank();
    part.ranks = world.size();
    const CollectiveData data(part);
    std::vector<std::byte> in(data.buffer_bytes());
    std::vector<std::byte> out(data.buffer_bytes());
    TuttiCollective collective(data.call(in.data(), out.data()), world, graph);
    data.fill(in.data(), out.data());
    call_in_form(collective, form);
    Wrong wrong{data.wrong_bytes(out.data()), 0};
    for (std::byte& byte : out) {
        byte ^= std::byte{1};
        wrong.after_a_change = std::max(wrong.after_a_change, data.wrong_bytes(out.data()));
        byte ^= std::byte{1};
    }
    return wrong;
}

bool receives(Collective collective, bool is_root)
{
    return collective != Collective::barrier &&
           (is_root ? collective != Collective::exscan
                    : collective != Collective::reduce && collective != Collective::gather &&
                          collective != Collective::gatherv);
}

}  // namespace

TEST_CASE("every collective in every form leaves what it must, and a wrong byte is seen", "[benchmarks]")
{
    for (const int ranks : {1, 2, 3, 5}) {
        std::atomic<int> failures = 0;
        std::atomic<int> unseen = 0;
        std::string first_failure;
        run_threads(ranks, [&](Environment& environment) {
            const Communicator world = environment.world();
            for (const Collective which : kEveryCollective) {
                if (is_neighbourly(which))
                    continue;
                for (const DataType type :
                     {DataType::int8, DataType::int32, DataType::float32, DataType::float64}) {
                    // Every variant has another root.
                    for (int variant = 0; variant < 6; ++variant) {
                        const int root = has_root(which) ? variant % ranks : 0;
                        const bool in_place = variant >= 3;
                        if (in_place && !may_be_in_place(which))
                            continue;
                        const Wrong wrong = wrong_after(world, {},
                                                        {.collective = which,
                                                         .type = type,
                                                         .size_bytes = 56,
                                                         .in_place = in_place,
                                                         .root = root},
                                                        variant % 3);
                        const bool seen = (wrong.after_a_change > 0) == receives(which, world.rank() == root);
                        failures += wrong.found != 0 ? 1 : 0;
                        unseen += seen ? 0 : 1;
                        if ((wrong.found != 0 || !seen) && world.rank() == 0)
                            first_failure =
                                fmt::format("collective {}, type {}, variant {}", static_cast<int>(which),
                                            static_cast<int>(type), variant);
                    }
                }
            }
        });
        INFO(ranks << " ranks, last at rank 0: " << first_failure);
        CHECK(failures == 0);
        CHECK(unseen == 0);
    }
}

TEST_CASE("neighbours get each other's blocks in grids and graphs, also several of one rank", "[benchmarks]")
{
    const FileText list{"# Rank 3 sends nothing, rank 0 rank 1 twice\n2, 0\n0,1\n0, 2\n0, 1\n1, 3\n2, 2\n"};
    for (const auto& neighborhood :
         {grid_neighborhood(1, 1, 1), grid_neighborhood(2, 1, 1), grid_neighborhood(3, 1, 1),
          grid_neighborhood(5, 1, 2), grid_neighborhood(9, 2, 1), graph_neighborhood(list, 4, "file")}) {
        std::atomic<int> failures = 0;
        std::atomic<int> unseen = 0;
        run_threads(static_cast<int>(neighborhood.size()), [&](Environment& environment) {
            const Communicator world = environment.world();
            const NeighborRanks& own = neighborhood[static_cast<std::size_t>(world.rank())];
            const std::optional<GraphCommunicator> graph = world.create_graph(own.sources, own.destinations);
            for (const Collective which : kEveryCollective) {
                if (!is_neighbourly(which))
                    continue;
                for (int form = 0; form < 3; ++form) {
                    const Wrong wrong = wrong_after(
                        world, graph, {.collective = which, .size_bytes = 24, .neighborhood = &neighborhood},
                        form);
                    failures += wrong.found != 0 ? 1 : 0;
                    unseen += (wrong.after_a_change > 0) != !own.sources.empty() ? 1 : 0;
                }
            }
        });
        INFO(neighborhood.size() << " ranks");
        CHECK(failures == 0);
        CHECK(unseen == 0);
    }
}

TEST_CASE("blocks of a reduce_scatter differ by one element", "[benchmarks]")
{
    for (int rank = 0; rank < 4; ++rank) {
        const CollectiveData data({.collective = Collective::reduce_scatterv,
                                   .type = DataType::float32,
                                   .size_bytes = 24,
                                   .rank = rank,
                                   .ranks = 4});
        CHECK(data.buffer_bytes() == 24);
        const DescribedCall call = data.call(nullptr, nullptr);
        CHECK(call.counts == std::vector<std::size_t>{2, 2, 1, 1});
        CHECK(call.count == (rank < 2 ? 2 : 1));
    }
}
