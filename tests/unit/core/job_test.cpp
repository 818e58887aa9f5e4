// A job is joined once, however many faces use it.
#include <catch2/catch.hpp>

#include "lib/core/communicators/communicator_access.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/job/job.hpp"
#include "lib/core/process/process.hpp"
#include "tutti/tutti.hpp"

using namespace tutti;

TEST_CASE("faces that join count, and the last one leaves")
{
    std::shared_ptr<detail::Process> other = detail::Job::join(nullptr, {});
    Communicator kept = CommunicatorAccess::handle_of(other->self());
    const auto check = [&] {
        int value = 5;
        kept.allreduce(value, sum);
        CHECK(value == 5);
        int in = 0;
        Request receive = kept.irecv(in, 0, 1);
        kept.send(8, 0, 1);
        receive.wait();
        CHECK(in == 8);
    };
    {
        Environment environment;
        CHECK(environment.world() == CommunicatorAccess::handle_of(other->world()));
        CHECK_THROWS_WITH(Environment(), Catch::Contains("has an Environment already"));
        check();
    }
    check();  // the job is still joined
    {
        Environment again;
        check();
    }
    CHECK(detail::Job::join(nullptr, {}) == other);
    detail::Job::leave(other, false);
    check();

    int in = 0;
    bool called = false;
    kept.irecv(in, 0, 2).then([&](const Status&, std::exception_ptr error) { called = error == nullptr; });
    kept.isend(3, 0, 2).detach();
    detail::Job::leave(std::move(other), false);
    CHECK(called);  // leaving waits for what was let go
    CHECK(in == 3);
    CHECK_THROWS_WITH(kept.send(1, 0, 1), Catch::Contains("Environment has ended"));
    CHECK_THROWS_WITH(Environment(), Catch::Contains("this process has left its job"));
    CHECK_THROWS_WITH(detail::Job::join(nullptr, {}), Catch::Contains("can join only once"));
}
