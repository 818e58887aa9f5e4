// Where ranks share cores they go back to a core of their own, however short their waits are.
#include <catch2/catch.hpp>

#include <sched.h>

#include <stdexcept>
#include <thread>

#include "lib/engine/progress/engine.hpp"
#include "lib/engine/protocol/protocol.hpp"
#include "lib/foundation/base/cpus.hpp"

namespace tutti::progress {

namespace {

// Whether waits of two idle passes each, `waits` at most, bring this thread from `elsewhere` to `home`.
bool short_waits_lead_home(int elsewhere, int home, int waits)
{
    base::move_to_cpu(elsewhere);
    protocol::Protocol protocol(
        1, {}, [](int) -> transport::Transport& { throw std::logic_error("nobody to connect to"); });
    Engine engine(protocol, {.shared_cores = true, .home_cpu = home});
    Engine::Lock held = engine.lock();
    bool at_home = false;
    for (int i = 0; i < waits && !at_home; ++i) {
        int passes = 0;
        engine.wait(held, [&] { return ++passes > 2; });
        at_home = sched_getcpu() == home;
    }
    return at_home;
}

}  // namespace

TEST_CASE("short waits bring a rank home")
{
    const int first = base::cpu_of(0, 2);
    const int second = base::cpu_of(1, 2);
    if (first == second) {
        WARN("this machine lets the test use one CPU only: there is nowhere to go");
        return;
    }
    for (const auto& [elsewhere, home] : {std::pair(first, second), std::pair(second, first)}) {
        bool came_home = false;
        std::thread([&, elsewhere = elsewhere, home = home] {
            came_home = short_waits_lead_home(elsewhere, home, 100);
        }).join();
        CHECK(came_home);
    }
}

}  // namespace tutti::progress
