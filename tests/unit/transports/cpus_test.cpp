// How processes that share cores are spread over them.
#include "lib/base/cpus.hpp"

#include <catch2/catch.hpp>

#include <sched.h>

#include <map>
#include <thread>

using namespace tutti::base;

TEST_CASE("processes are spread evenly, neighbours together")
{
    cpu_set_t allowed;
    REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    const int cpus = CPU_COUNT(&allowed);
    const int count = GENERATE_COPY(1, cpus, cpus + 1, 4 * cpus, 7 * cpus + 3);
    std::map<int, int> members;
    int last = -1;
    for (int i = 0; i < count; ++i) {
        const int cpu = cpu_of(i, count);
        CHECK(CPU_ISSET(cpu, &allowed));
        CHECK(cpu >= last);
        last = cpu;
        ++members[cpu];
    }
    for (const auto& [cpu, number] : members)
        CHECK((number == count / cpus || number == count / cpus + 1 || count < cpus));
}

TEST_CASE("a thread that moves is there, and free to go")
{
    std::thread([] {
        cpu_set_t before;
        cpu_set_t after;
        sched_getaffinity(0, sizeof before, &before);
        move_to_cpu(cpu_of(0, 1));
        sched_getaffinity(0, sizeof after, &after);
        CHECK(CPU_EQUAL(&before, &after));
        move_to_cpu(-1);  // no CPU: nothing happens
        sched_getaffinity(0, sizeof after, &after);
        CHECK(CPU_EQUAL(&before, &after));
    }).join();
}
