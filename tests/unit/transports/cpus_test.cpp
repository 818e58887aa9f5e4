// How processes that share cores are spread over them.
#include "lib/foundation/base/cpus.hpp"

#include <catch2/catch.hpp>

#include <sched.h>

#include <cstdlib>
#include <map>
#include <thread>

#include "lib/foundation/settings/cores.hpp"

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

TEST_CASE("a rank owns at most its share of the machine, at most its mask, and one core at least")
{
    const int all = tutti::settings::cores_owned(1);
    CHECK(all >= 1);
    CHECK(all <= machine_cpus());
    CHECK(tutti::settings::cores_owned(1000) == 1);
    setenv("TUTTI_CORES", "6", 1);
    CHECK(tutti::settings::cores_owned(1000) == 6);
    for (const char* wrong : {"0", "many", "2x", "-3"}) {
        setenv("TUTTI_CORES", wrong, 1);
        CHECK_THROWS_WITH(tutti::settings::cores_owned(1), Catch::Contains("TUTTI_CORES"));
    }
    unsetenv("TUTTI_CORES");
    std::thread([] {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu_of(0, 1), &one);
        sched_setaffinity(0, sizeof one, &one);
        CHECK(tutti::settings::cores_owned(1) == 1);
    }).join();
}

TEST_CASE("a thread keeps off a CPU where it has another")
{
    std::thread([] {
        cpu_set_t before;
        sched_getaffinity(0, sizeof before, &before);
        const int avoided = cpu_of(0, 1);
        leave_cpu(avoided);
        cpu_set_t after;
        sched_getaffinity(0, sizeof after, &after);
        CHECK((CPU_ISSET(avoided, &after) != 0) == (CPU_COUNT(&before) == 1));
        leave_cpu(-1);  // no CPU: nothing happens
        for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
            leave_cpu(cpu);  // the last one stays
        sched_getaffinity(0, sizeof after, &after);
        CHECK(CPU_COUNT(&after) == 1);
    }).join();
}
