// A job's ranks as two groups, joined by an intercommunicator.
#pragma once

#include <catch2/catch.hpp>

#include <functional>

#include "lib/core/communicators/communicator_access.hpp"
#include "lib/core/communicators/intercommunicator.hpp"
#include "tests/expect.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test {

// Ranks 0, 3, 6 ... reversed on one side, the others on the other side; their leaders are their last ranks.
struct Sides {
    explicit Sides(const Communicator& given)
        : world(given), third(world.rank() % 3 == 0), own(*world.split(third, {.key = sign() * world.rank()}))
    {
        const int last_third = 0;
        const int last_other = world.size() - (world.size() % 3 == 1 ? 2 : 1);
        state = detail::create_intercommunicator(
            CommunicatorAccess::state_of(own), own.size() - 1,
            own.rank() == own.size() - 1 ? CommunicatorAccess::state_of(world) : nullptr,
            third ? last_other : last_third, 5);
    }
    int sign() const { return third ? -1 : 1; }

    Communicator world;
    bool third;
    Communicator own;
    detail::StatePointer state;
};

inline void at_ranks(int ranks, const std::function<void(const Communicator&)>& body)
{
    REQUIRE_NOTHROW(run_threads(ranks, [&](Environment& environment) { body(environment.world()); }));
}

}  // namespace tutti::test
