// Intercommunicators: made of two groups by their leaders, copied, split and merged.
#include <catch2/catch.hpp>

#include <array>
#include <optional>
#include <thread>

#include "lib/core/communicators/communicator_access.hpp"
#include "lib/core/communicators/creation.hpp"
#include "lib/core/communicators/intercommunicator.hpp"
#include "tests/unit/core/sides.hpp"
#include "tutti/tutti.hpp"

using namespace tutti;
using namespace tutti::test;
using tutti::detail::Form;
using tutti::detail::StatePointer;

namespace {

// Both sides know each other's ranks in the job, and messages go across.
void check_across(const StatePointer& state, int my_world_rank)
{
    const Communicator across = CommunicatorAccess::handle_of(state);
    std::vector<Request> sent;
    const auto remote_size = static_cast<int>(state->peers().size());
    for (int peer = 0; peer < remote_size; ++peer)
        sent.push_back(across.isend(std::array{my_world_rank, state->rank()}, peer, 1));
    for (int peer = 0; peer < remote_size; ++peer) {
        std::array<int, 2> in{};
        across.recv(in, peer, 1);
        expect(in == std::array{state->peer_rank(peer), peer});
    }
    wait_all(sent);
}

}  // namespace

TEST_CASE("two groups meet through their leaders")
{
    const int ranks = GENERATE(2, 3, 4, 7, 12);
    at_ranks(ranks, [](const Communicator& world) {
        const Sides sides(world);
        expect(sides.state->size() == sides.own.size() && sides.state->rank() == sides.own.rank());
        expect(sides.state->peers().size() + static_cast<std::size_t>(sides.own.size()) ==
               static_cast<std::size_t>(world.size()));
        expect(sides.state->both()->size() == world.size());
        check_across(sides.state, world.rank());

        StatePointer blocking;
        StatePointer later;
        static_cast<void>(detail::dup(sides.state, Form::blocking, blocking));
        detail::dup(sides.state, Form::nonblocking, later).request().wait();
        expect(blocking->members() == sides.state->members() && blocking->remote() == sides.state->remote());
        expect(later->context() != blocking->context() && later->context() != sides.state->context());
        check_across(blocking, world.rank());
        check_across(later, world.rank());
    });
}

TEST_CASE("merge: the low group first")
{
    const bool third_is_high = GENERATE(true, false);
    at_ranks(7, [&](const Communicator& world) {
        const Sides sides(world);
        const StatePointer all = detail::merge(sides.state, sides.third == third_is_high);
        // Ranks 6, 3, 0 on one side, 1, 2, 4, 5 on the other.
        const std::vector<int> expected =
            third_is_high ? std::vector{1, 2, 4, 5, 6, 3, 0} : std::vector{6, 3, 0, 1, 2, 4, 5};
        expect(*all->members() == expected);
        expect(all->world_rank(all->rank()) == world.rank() && all->both() == nullptr);
        int sum_of_ranks = world.rank();
        CommunicatorAccess::handle_of(all).allreduce(sum_of_ranks, sum);
        expect(sum_of_ranks == 21);

        // Equal values: the groups in any order, each as it is.
        const StatePointer any = detail::merge(sides.state, true);
        expect(any->size() == 7 && any->world_rank(any->rank()) == world.rank());
    });
}

TEST_CASE("merge: ranks of a group that do not agree, at all ranks")
{
    at_ranks(5, [&](const Communicator& world) {
        const Sides sides(world);
        try {
            detail::merge(sides.state, world.rank() == 1);
            expect(false, "no error");
        } catch (const Error& error) {
            expect(error.code() == ErrorCode::invalid_argument);
        }
        world.barrier();
    });
}

TEST_CASE("an intercommunicator's split and create make intercommunicators")
{
    at_ranks(8, [](const Communicator& world) {
        const Sides sides(world);  // 6, 3, 0 and 1, 2, 4, 5, 7
        const StatePointer parts = detail::split(sides.state, {.kind = collectives::CallKind::split},
                                                 world.rank() % 2, -world.rank());
        // Even: 6, 0 and 4, 2. Odd: 3 and 7, 5, 1.
        const bool even = world.rank() % 2 == 0;
        const std::vector<int> thirds = even ? std::vector{6, 0} : std::vector{3};
        const std::vector<int> others = even ? std::vector{4, 2} : std::vector{7, 5, 1};
        expect(*parts->members() == (sides.third ? thirds : others));
        expect(parts->peers() == (sides.third ? others : thirds));
        check_across(parts, world.rank());

        // No rank of the other group has the colour.
        expect(detail::split(sides.state, {.kind = collectives::CallKind::split}, int{sides.third}) ==
               nullptr);

        const std::array<int, 2> two{2, 0};
        const StatePointer few = detail::create(sides.state, two);
        const bool is_in = sides.state->rank() == 0 || sides.state->rank() == 2;
        expect((few != nullptr) == is_in);
        if (is_in) {
            expect(*few->members() == (sides.third ? std::vector{0, 6} : std::vector{4, 1}));
            check_across(few, world.rank());
        }
        expect(detail::create(sides.state,
                              sides.third ? std::span<const int>(two) : std::span<const int>()) == nullptr);
    });
}

TEST_CASE("groups that share a rank")
{
    // Ranks 0 and 1 on one side, 1 and 2 on the other: rank 1 calls for both at once.
    REQUIRE_NOTHROW(
        run_threads(3,
                    [](Environment& environment) {
                        const Communicator world = environment.world();
                        const StatePointer peer = CommunicatorAccess::state_of(world);
                        const auto low = world.split(world.rank() < 2 ? std::optional(0) : std::nullopt);
                        const auto high = world.split(world.rank() > 0 ? std::optional(0) : std::nullopt);
                        const auto fails = [&](const Communicator& own, int leader, int remote_leader) {
                            try {
                                detail::create_intercommunicator(CommunicatorAccess::state_of(own), leader,
                                                                 peer, remote_leader, 7);
                                expect(false, "no error");
                            } catch (const Error& error) {
                                expect(error.code() == ErrorCode::invalid_argument);
                                expect(std::string(error.what()).find("rank 1 of the job is in both") !=
                                       std::string::npos);
                            }
                        };
                        std::jthread other;
                        if (low && high)
                            other = std::jthread([&] { fails(*high, 1, 0); });
                        if (low)
                            fails(*low, 0, 2);
                        else
                            fails(*high, 1, 0);
                    },
                    {.threads = ThreadLevel::multiple}));
}

TEST_CASE("leaders that there are not")
{
    at_ranks(3, [](const Communicator& world) {
        const auto code_of = [&](int leader, const StatePointer& peer, int remote_leader, int tag) {
            const Communicator self = *world.split(world.rank());
            try {
                detail::create_intercommunicator(CommunicatorAccess::state_of(self), leader, peer,
                                                 remote_leader, tag);
            } catch (const Error& error) {
                return error.code();
            }
            return ErrorCode::success;
        };
        const StatePointer peer = CommunicatorAccess::state_of(world);
        expect(code_of(1, peer, 1, 0) == ErrorCode::invalid_rank);
        expect(code_of(0, peer, 3, 0) == ErrorCode::invalid_rank);
        expect(code_of(0, nullptr, 1, 0) == ErrorCode::invalid_argument);
        expect(code_of(0, peer, world.rank(), 0) == ErrorCode::invalid_argument);
        expect(code_of(0, peer, (world.rank() + 1) % 3, -1) == ErrorCode::invalid_tag);
    });
}
