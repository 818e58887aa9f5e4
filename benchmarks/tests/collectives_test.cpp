// Every collective in every form, made by ranks that are threads, with data that shows a single wrong byte.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <atomic>
#include <vector>

#include "benchmarks/suite/collective_data.hpp"
#include "benchmarks/suite/tutti_collective.hpp"

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

Wrong wrong_after(Communicator world, const std::optional<CartesianCommunicator>& ring, Collective which,
                  DataType type, std::size_t size_bytes, bool in_place, int form, int root)
{
    const CollectiveData data(which, type, size_bytes, in_place, world.rank(), world.size(), root);
    std::vector<std::byte> in(data.buffer_bytes());
    std::vector<std::byte> out(data.buffer_bytes());
    TuttiCollective collective(data.call(in.data(), out.data()), world, ring);
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

}  // namespace

TEST_CASE("every collective in every form leaves what it must, and a wrong byte is seen", "[benchmarks]")
{
    for (const int ranks : {1, 2, 3, 5}) {
        std::atomic<int> failures = 0;
        std::atomic<int> unseen = 0;
        std::string first_failure;
        run_threads(ranks, [&](Environment& environment) {
            const Communicator world = environment.world();
            const auto ring = world.create_cartesian({ranks}, {true});
            for (const Collective which : kEveryCollective) {
                for (const DataType type :
                     {DataType::int8, DataType::int32, DataType::float32, DataType::float64}) {
                    // Every variant has another root.
                    for (int variant = 0; variant < 6; ++variant) {
                        const int root = has_root(which) ? variant % ranks : 0;
                        const bool in_place = variant >= 3;
                        if (in_place && !may_be_in_place(which))
                            continue;
                        const Wrong wrong =
                            wrong_after(world, ring, which, type, 56, in_place, variant % 3, root);
                        failures += wrong.found != 0 ? 1 : 0;
                        // Everywhere but where nothing is received.
                        const bool receives = which != Collective::barrier &&
                                              (world.rank() == root ? which != Collective::exscan
                                                                    : which != Collective::reduce &&
                                                                          which != Collective::gather &&
                                                                          which != Collective::gatherv);
                        unseen += (wrong.after_a_change > 0) != receives ? 1 : 0;
                        if ((wrong.found != 0 || (wrong.after_a_change > 0) != receives) && world.rank() == 0)
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

TEST_CASE("blocks of a reduce_scatter differ by one element", "[benchmarks]")
{
    for (int rank = 0; rank < 4; ++rank) {
        const CollectiveData data(Collective::reduce_scatterv, DataType::float32, 24, false, rank, 4);
        CHECK(data.buffer_bytes() == 24);
        const CollectiveCall call = data.call(nullptr, nullptr);
        CHECK(call.counts == std::vector<std::size_t>{2, 2, 1, 1});
        CHECK(call.count == (rank < 2 ? 2 : 1));
    }
}
