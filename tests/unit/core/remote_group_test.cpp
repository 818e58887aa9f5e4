// A communicator of two groups: messages go to the other one, collectives stay in the own.
#include <catch2/catch.hpp>

#include "lib/core/communicators/communicator_access.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "tests/expect.hpp"
#include "tutti/tutti.hpp"

using namespace tutti;
using namespace tutti::test;

TEST_CASE("messages of a communicator with a remote group")
{
    REQUIRE_NOTHROW(run_threads(5, [](Environment& environment) {
        const Communicator world = environment.world();
        // The remote ranks are in another order than in the job.
        const auto few = std::make_shared<const std::vector<int>>(std::vector{3, 1});
        const auto many = std::make_shared<const std::vector<int>>(std::vector{0, 4, 2});
        const auto& own = std::ranges::find(*few, world.rank()) != few->end() ? few : many;
        const auto& remote = own == few ? many : few;
        const int rank = static_cast<int>(std::ranges::find(*own, world.rank()) - own->begin());
        const auto remote_size = static_cast<int>(remote->size());
        constexpr std::uint64_t kId = 1u << 20;  // that nobody gives
        const Communicator both = CommunicatorAccess::handle_of(std::make_shared<detail::CommunicatorState>(
            CommunicatorAccess::state_of(world)->process(), kId, own, rank, remote));
        CHECK(both.size() == static_cast<int>(own->size()));

        std::vector<Request> sent;
        for (int peer = 0; peer < remote_size; ++peer)
            sent.push_back(both.isend(std::vector{world.rank(), peer}, peer, 1));
        for (int peer = 0; peer < remote_size; ++peer) {
            std::vector<int> in(2);
            const Status status = peer == 0 ? both.recv(in, 0, 1) : both.recv(in, any_source, 1);
            expect(status.source >= 0 && status.source < remote_size);
            expect(in == std::vector{(*remote)[static_cast<std::size_t>(status.source)], rank});
        }
        wait_all(sent);
        int in = 0;
        const Status probed =
            (both.isend(7, 0, 2).detach(), rank == 0 ? both.probe(remote_size - 1, 2) : Status{});
        if (rank == 0)
            for (int peer = 0; peer < remote_size; ++peer)
                both.recv(in, peer, 2);
        expect(rank != 0 || probed.source == remote_size - 1);
        try {
            both.send(1, remote_size, 1);
            expect(false, "no error");
        } catch (const Error& error) {
            expect(error.code() == ErrorCode::invalid_rank);
        }

        // Of ranks 1 and 3 on one side, and 0, 2 and 4 on the other.
        int sum_of_ranks = world.rank();
        both.allreduce(sum_of_ranks, sum);
        expect(sum_of_ranks == (own == few ? 4 : 6));
        world.barrier();
    }));
}
