// A rank that waits uses no processor time, and still wakes at once.
#include <sys/resource.h>
#include <time.h>

#include <chrono>
#include <span>
#include <thread>

#include "tests/threads/support.hpp"

using namespace tutti;
using namespace tutti::test;
using namespace std::chrono_literals;

namespace {

double thread_cpu_seconds()
{
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

}  // namespace

TEST_CASE("a rank that waits in a call sleeps: no processor time")
{
    const auto level = GENERATE(ThreadLevel::funneled, ThreadLevel::multiple);
    const int how = GENERATE(0, 1, 2, 3, 4);
    CAPTURE(static_cast<int>(level), how);
    at_size(3,
            [how](const Communicator& world) {
                int value = 0;
                std::vector<char> large(200'000);
                if (world.rank() == 0) {
                    std::this_thread::sleep_for(300ms);
                    if (how == 0)
                        world.send(value, 1, 1);
                    else if (how == 1 || how == 2)
                        world.recv(
                            how == 1 ? std::span<char>(large) : std::span(reinterpret_cast<char*>(&value), 4),
                            1, 1);
                    else if (how == 3)
                        world.send(value, 1, 1);
                    world.barrier();
                    return;
                }
                const double before = thread_cpu_seconds();
                if (world.rank() == 1) {
                    if (how == 0)
                        world.recv(value, 0, 1);
                    else if (how == 1)
                        world.send(large, 0, 1);
                    else if (how == 2)
                        world.ssend(value, 0, 1);
                    else if (how == 3) {
                        Request request[2] = {world.irecv(value, 0, 1), world.irecv(large, 0, 2)};
                        wait_any(request);
                        expect(request[1].cancel());
                        request[1].wait();
                    }
                }
                world.barrier();  // rank 2, and rank 1 of how 4, wait here all the time
                const double used = thread_cpu_seconds() - before;
                // The spinning before the first sleep; sanitizers and a loaded machine make it longer.
                expect(used < 0.06, std::to_string(used) + " s used");
            },
            {.threads = level});
}
