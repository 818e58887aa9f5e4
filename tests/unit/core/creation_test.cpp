// Communicators that no call of the C++ interface makes: by create, by a dup that does not block.
#include <catch2/catch.hpp>

#include <array>
#include <numeric>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/communicators/creation.hpp"
#include "tests/unit/core/sides.hpp"

using namespace tutti;
using namespace tutti::test;
using tutti::detail::Form;
using tutti::detail::StatePointer;

namespace {

StatePointer state_of(const Communicator& communicator)
{
    return CommunicatorAccess::state_of(communicator);
}

void check_sum(const StatePointer& state, int mine, int expected)
{
    CommunicatorAccess::handle_of(state).allreduce(mine, sum);
    expect(mine == expected);
}

}  // namespace

TEST_CASE("a dup that does not block: its communicator is there when the request is complete")
{
    const EnvironmentOptions options =
        GENERATE(EnvironmentOptions{}, EnvironmentOptions{.progress = Progress::thread});
    const auto body = [](Environment& environment) {
        const Communicator world = environment.world();
        const StatePointer old = state_of(world);
        std::array<StatePointer, 3> made;
        std::vector<Request> requests;
        for (StatePointer& one : made)
            requests.push_back(detail::dup(old, Form::nonblocking, one).request());
        world.barrier();  // other calls go on meanwhile
        wait_all(requests);
        for (const StatePointer& one : made) {
            expect(one != nullptr && one->rank() == old->rank());
            expect(one->members() == old->members(), "the list is shared");
            expect(one->context() != old->context());
            check_sum(one, world.rank(), 10);
        }
        expect(made[0]->context() != made[1]->context() && made[1]->context() != made[2]->context());
    };
    REQUIRE_NOTHROW(run_threads(5, body, options));
}

TEST_CASE("create: disjoint lists at once, in the order of each list")
{
    at_ranks(7, [](const Communicator& world) {
        const std::array<int, 3> some{4, 0, 2};
        const std::array<int, 2> others{5, 1};
        const bool in_some = world.rank() % 2 == 0 && world.rank() != 6;
        const bool in_others = world.rank() == 5 || world.rank() == 1;
        const StatePointer made = detail::create(
            state_of(world), in_some ? std::span<const int>(some) : std::span<const int>(others));
        expect((made != nullptr) == (in_some || in_others));
        if (in_some) {
            expect(made->size() == 3 && some[static_cast<std::size_t>(made->rank())] == world.rank());
            check_sum(made, world.rank(), 6);
        } else if (in_others) {
            expect(made->size() == 2 && others[static_cast<std::size_t>(made->rank())] == world.rank());
            check_sum(made, world.rank(), 6);
        }
        // All ranks in their order share the old one's list; a list of none makes none.
        std::vector<int> all(7);
        std::iota(all.begin(), all.end(), 0);
        expect(detail::create(state_of(world), all)->members() == state_of(world)->members());
        expect(detail::create(state_of(world), {}) == nullptr);
    });
}

TEST_CASE("create: lists that do not fit together fail at all ranks that they name")
{
    at_ranks(4, [](const Communicator& world) {
        const auto error_of = [&](std::span<const int> ranks) {
            try {
                detail::create(state_of(world), ranks);
            } catch (const Error& error) {
                return error.code();
            }
            return ErrorCode::success;
        };
        const std::array<int, 3> one{0, 1, 2};
        const std::array<int, 3> other{0, 2, 1};
        const ErrorCode order = error_of(world.rank() == 2 ? other : one);
        expect(order == (world.rank() == 3 ? ErrorCode::success : ErrorCode::invalid_argument));
        // Rank 1 does not know of the list that names it.
        const std::array<int, 1> none{3};
        const ErrorCode missing = error_of(world.rank() == 1 ? std::span<const int>(none) : one);
        expect(missing ==
               (world.rank() == 0 || world.rank() == 2 ? ErrorCode::invalid_argument : ErrorCode::success));
        const std::array<int, 2> twice{1, 1};
        expect(error_of(twice) == ErrorCode::invalid_rank);
        const std::array<int, 2> beyond{0, 4};
        expect(error_of(beyond) == ErrorCode::invalid_rank);
        world.barrier();
    });
}

TEST_CASE("split: very many ranks find each other")
{
    at_ranks(33, [](const Communicator& world) {
        const auto part = world.split(world.rank() % 4, {.key = -world.rank()});
        expect(part->size() == (world.rank() % 4 == 0 ? 9 : 8));
        expect(part->world_rank(0) == (world.rank() % 4 == 0 ? 32 : 28 + world.rank() % 4));
        int members = 1;
        part->allreduce(members, sum);
        expect(members == part->size());
    });
}
