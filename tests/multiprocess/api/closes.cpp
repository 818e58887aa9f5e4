// Rank 0 closes all descriptors, those included that it does not know, as daemons do: in the job, which it
// then leaves or aborts, or before it joins.
#include <unistd.h>

#include <string_view>

#include "tests/multiprocess/api/program.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test::closes {

namespace {

void close_all()
{
    for (int fd = 0; fd < 1024; ++fd)
        close(fd);
}

}  // namespace

int run_program(int argc, char** argv)
{
    const std::string_view way = argc > 1 ? argv[1] : "";
    if (way == "first")
        close_all();
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    world.barrier();
    if (world.rank() != 0 || way == "first")
        return 0;
    close_all();
    if (way == "abort")
        environment.abort(3, "it is enough");
    return 0;
}

const Program program("closes", run_program);

}  // namespace tutti::test::closes
