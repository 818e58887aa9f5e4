// The last rank kills itself in an epoch of a window: "window_killed WHERE MEMORY". MEMORY is "mapped" by the
// others of the node, or "ordinary". The others tell their errors, and rank 0 then ends the job with
// status 3.
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tests/multiprocess/api/program.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test::window_killed {

namespace {

constexpr std::size_t kElements = 100'000;

/// A window whose memory stays.
tutti::Window<double>& make(const tutti::Communicator& world, bool mapped)
{
    static double ordinary[kElements];  // malloc's blocks may be mapped, too
    auto* const memory =
        mapped ? static_cast<double*>(tutti::allocate(kElements * sizeof(double))) : ordinary;
    auto& window = *new tutti::Window<double>(world, std::span(memory, kElements));
    window.set_name("table");
    return window;
}

/// An epoch that nobody ends.
template <class Epoch>
Epoch& keep(Epoch epoch)
{
    return *new Epoch(std::move(epoch));
}

/// Whose rows are the last rank's. All ranks know the row of key 1, and hold that rank's lock.
tutti::SparseTable<double>& make_keyed(const tutti::Communicator& world)
{
    auto& table = keep(tutti::SparseTable<double>(world, 1, {}, {.owners = {world.size() - 1}}));
    table.push({1}, std::vector{1.0}, tutti::sum);
    return table;
}

void die(const tutti::Communicator& world, tutti::Window<double>& window, const std::string& where)
{
    const double value = 1;
    if (where == "lock") {
        keep(window.lock(0)).put(value, 0);
    } else if (where == "lock_all" || where == "flush" || where == "put" || where == "request") {
        keep(window.lock_all())[0].accumulate(value, 0, tutti::sum);
    } else if (where == "fence") {
        keep(window.fence())[0].put(value, 0);
    } else if (where == "wait" || where == "test") {
        keep(window.start(std::vector{0, 1}))[1].put(value, 0);
    } else if (where == "post" || where == "known") {
        keep(window.post(std::vector{0, 1}));
    } else if (where == "key") {
        make_keyed(world);
    } else if (where == "update") {
        auto& access = keep(window.lock_all());
        const std::vector<double> ones(kElements, 1.0);
        world.barrier();
        std::thread([] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            raise(SIGKILL);
        }).detach();
        for (;;)
            access[0].accumulate(ones, 0, tutti::sum);
    }
    world.barrier();
    raise(SIGKILL);
}

/// Waits for what the last rank does not do any more.
void wait(const tutti::Communicator& world, tutti::Window<double>& window, const std::string& where)
{
    const int last = world.size() - 1;
    const double value = 1;
    if (where == "fence") {
        auto& epoch = keep(window.fence());
        world.barrier();
        epoch[last].put(value, 1);
        epoch.fence();
    } else if (where == "wait" || where == "test") {
        auto& exposure = keep(window.post(std::vector{last}));
        world.barrier();
        if (where == "wait")
            exposure.wait();
        while (!exposure.test()) {
        }
    } else if (where == "update") {
        auto& access = keep(window.lock_all());
        world.barrier();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        access[0].accumulate(std::vector<double>(kElements, 1.0), 0, tutti::sum);
        access[0].accumulate(value, 0, tutti::sum);
        access.end();
        keep(window.lock(last)).put(value, 0);
    } else if (where == "post" || where == "known") {
        auto& access = keep(window.start(std::vector{last}));
        world.barrier();
        if (where == "known") {
            int never = 0;
            try {
                world.recv(never, last, 1);
            } catch (const tutti::Error&) {
                // It is lost, and this rank knows it before it calls the window.
            }
        }
        do
            access[last].put(value, 1);
        while (window.local(last).empty());  // memory that is mapped stays
        access.end();
        keep(window.fence());
    } else if (where == "key") {
        tutti::SparseTable<double>& table = make_keyed(world);
        world.barrier();
        table.pull({2});
    } else if (where == "put") {
        auto& access = keep(window.lock_all());
        access[last].put(value, 7);
        access.flush(last);  // so the lock is held when the last rank dies
        world.barrier();
        for (;;) {
            access[last].put(value, 7);
            access.flush(last);
        }
    } else if (where == "request") {
        auto& access = keep(window.lock_all());
        std::vector<double> all(kElements);
        access[last].iget(all, 0).wait();  // so the lock is held when the last rank dies
        world.barrier();
        for (;;)
            access[last].iget(all, 0).wait();
    } else if (where == "flush") {
        auto& access = keep(window.lock_all());
        double flag = 0;
        access[last].get(flag, 7);
        access.flush(last);  // so the lock is held when the last rank dies
        world.barrier();
        while (flag == 0) {
            access[last].get(flag, 7);
            access.flush(last);
        }
    } else {
        world.barrier();
        if (where == "start")
            keep(window.start(std::vector{last}))[last].put(value, 0);
        keep(window.lock(where == "lock" ? 0 : last)).put(value, 0);
    }
    std::printf("rank %d has waited for nothing\n", world.rank());
}

}  // namespace

int run_program(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    const std::string where = argc > 1 ? argv[1] : "";
    tutti::Window<double>& window = make(world, argc > 2 && argv[2] == std::string("mapped"));
    if (world.rank() == world.size() - 1)
        die(world, window, where);
    std::string reported = "no error";
    try {
        wait(world, window, where);
    } catch (const tutti::Error& error) {
        reported = error.what();
    }
    const int tell = world.size() - 1;
    if (world.rank() != 0)
        tutti::send_serialized(world, reported, 0);
    for (int rank = 0; world.rank() == 0 && rank < tell; ++rank)
        std::printf("%d: %s\n", rank,
                    rank == 0 ? reported.c_str() : tutti::recv_serialized<std::string>(world, rank).c_str());
    std::fflush(stdout);
    if (world.rank() == 0)
        environment.abort(3);
    int nothing = 0;
    world.recv(nothing, 0);  // the end of the job
    return 0;
}

const Program program("window_killed", run_program);

}  // namespace tutti::test::window_killed
