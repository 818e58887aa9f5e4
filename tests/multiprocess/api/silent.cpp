// Ranks that join the job and leave it, without a message.
#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::silent {

int run_program(int argc, char** argv)
{
    const tutti::Environment environment(argc, argv);
    return 0;
}

const Program program("silent", run_program);

}  // namespace tutti::test::silent
