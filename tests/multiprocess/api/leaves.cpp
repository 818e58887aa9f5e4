// The last rank leaves while the others wait for it; or all but the first, which waits for anybody.
// Arguments: what they wait in, and how many barriers come first: without one nobody is connected, and from
// the fifth on ranks that share cores use shared memory; and, in calls that end by near_tag, near_source or
// near_communicator, nothing: a message has come that nearly fits.
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "tests/multiprocess/api/program.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test::leaves {

namespace {

// Returns where this is none of the calls that take any source.
bool wait_for_anybody(const tutti::Communicator& world, const std::string& call)
{
    int values[2] = {};
    if (call == "recv_any")
        world.recv(values[0], any_source, 5);
    else if (call == "irecv_any")
        world.irecv(values[0]).wait();
    else if (call == "probe_any")
        world.probe(any_source, 7);
    else if (call == "mprobe_any")
        static_cast<void>(world.mprobe());
    else if (call == "wait_any") {
        tutti::Request requests[] = {world.irecv(values[0], any_source, 1),
                                     world.irecv(values[1], any_source, 2)};
        tutti::wait_any(requests);
    } else
        return false;
    return true;
}

// Rank 1 has sent a message that waits here; it leaves once that is sure.
void wait_beside_a_message(const tutti::Communicator& world, const std::string& call)
{
    const tutti::Communicator other = world.dup();
    int value = world.rank();
    if (world.rank() == 1) {
        world.send(value, 0, 5);
        world.send(value, 0, 9);
        return;
    }
    if (world.rank() == 2)
        return;
    world.recv(value, 1, 9);
    if (call == "recv_near_tag")
        world.recv(value, 1, 6);
    else if (call == "any_near_tag")
        world.recv(value, any_source, 6);
    else if (call == "recv_near_source")
        world.recv(value, 2, 5);
    else if (call == "probe_near_communicator")
        other.probe(1, 5);
    else if (call == "recv_far")
        world.recv(value, 2, 6);
    // quiet_far: it ends, and has not received the message.
}

}  // namespace

int run_program(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    const std::string waits_in = argc > 1 ? argv[1] : "";
    for (int i = 0; i < (argc > 2 ? std::atoi(argv[2]) : 0); ++i)
        world.barrier();
    if (waits_in.ends_with("_any")) {
        // What has come is received although its sender has left.
        int value = world.rank();
        if (world.rank() == 1)
            world.send(value, 0, 5);
        if (world.rank() != 0)
            return 0;
        world.recv(value, any_source, 5);
        return wait_for_anybody(world, waits_in) ? 0 : 2;
    }
    if (waits_in.find("_near_") != std::string::npos || waits_in.ends_with("_far")) {
        wait_beside_a_message(world, waits_in);
        return 0;
    }
    const int last = world.size() - 1;
    if (world.rank() == last)
        return 0;
    int value = world.rank();
    // Who finds the loss tells the others: they are out of the barriers before anybody can find it.
    const bool reported_by_others = argc > 2 && std::atoi(argv[2]) > 0;
    for (int other = 1; reported_by_others && other < last; ++other) {
        if (world.rank() == 0)
            world.send(value, other, 9);
        if (world.rank() == other)
            world.recv(value, 0, 9);
    }
    if (waits_in == "recv")
        world.recv(value, last);
    else if (waits_in == "probe")
        world.probe(last, 5);
    else if (waits_in == "mprobe")
        static_cast<void>(world.mprobe(last));
    else if (waits_in == "iprobe")
        while (!world.iprobe(last)) {
        }
    else if (waits_in == "improbe")
        while (!world.improbe(last, 5)) {
        }
    else if (waits_in == "ssend")
        world.ssend(value, last);
    else if (waits_in == "barrier")
        world.barrier();
    else if (waits_in == "allreduce")
        world.allreduce(value, tutti::sum);
    else if (waits_in == "create_from") {
        std::vector<int> ranks(static_cast<std::size_t>(world.size()));
        std::iota(ranks.rbegin(), ranks.rend(), 0);
        static_cast<void>(world.create_from(ranks));
    } else if (waits_in == "ireduce")
        world.ireduce(value, tutti::sum, {.root = 0}).wait();
    else
        return 2;
    world.barrier();
    return 0;
}

const Program program("leaves", run_program);

}  // namespace tutti::test::leaves
