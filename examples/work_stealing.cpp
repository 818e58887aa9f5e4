// Tasks of unequal length, dealt out in equal shares: who is through with its own takes those that others
// have not begun yet. A counter a rank says which of its tasks is next; whoever wants one adds 1 by
// fetch_and_op, and the owner, deep in its work, notices nothing.
//
//     tuttirun -n 4 build/examples/work_stealing
#include <fmt/format.h>

#include <cstdint>
#include <tutti/tutti.hpp>
#include <vector>

#include "command_line.hpp"

namespace {

// The steps until the Collatz sequence of `number` reaches 1.
std::int64_t steps_from(std::int64_t number)
{
    std::int64_t steps = 0;
    for (; number != 1; ++steps)
        number = number % 2 == 0 ? number / 2 : 3 * number + 1;
    return steps;
}

// A task of the ranks further behind is longer.
std::int64_t do_task(int owner, std::int64_t task)
{
    std::int64_t steps = 0;
    for (std::int64_t i = 0; i < 20 * (owner + 1); ++i)
        steps += steps_from(1 + 1000 * task + i);
    return steps;
}

}  // namespace

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    std::int64_t tasks = 500;
    example::CommandLine line("Tasks of unequal length, which ranks take from each other");
    line.number("tasks", tasks, 0, 1'000'000, "of each rank");
    if (const auto status = line.read(argc, argv, world))
        return *status;

    tutti::Window<std::int64_t> next(world, 1);
    next.local()[0] = 0;
    world.barrier();
    std::int64_t steps = 0;
    std::int64_t own = 0;
    std::int64_t stolen = 0;
    {
        auto all = next.lock_all();
        for (int distance = 0; distance < world.size(); ++distance) {
            const int owner = (world.rank() + distance) % world.size();
            for (;;) {
                const std::int64_t task = all[owner].fetch_and_op(1, 0, tutti::sum);
                if (task >= tasks)
                    break;
                steps += do_task(owner, task);
                ++(distance == 0 ? own : stolen);
            }
        }
    }

    const auto done = tutti::allreduce(world, own + stolen, tutti::sum);
    const auto taken = tutti::allreduce(world, stolen, tutti::sum);
    const auto all_steps = tutti::allreduce(world, steps, tutti::sum);
    // What one rank finds that does all of its tasks itself, added up.
    std::int64_t alone = 0;
    for (std::int64_t task = 0; task < tasks; ++task)
        alone += do_task(world.rank(), task);
    const bool right =
        done == tasks * world.size() && all_steps == tutti::allreduce(world, alone, tutti::sum);
    if (world.rank() == 0)
        fmt::print("{} tasks on {} ranks, {} of them stolen; {} steps: {}\n", done, world.size(), taken,
                   all_steps, right ? "right" : "WRONG");
    return right ? 0 : 1;
}
