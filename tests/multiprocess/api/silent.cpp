// Ranks that join the job and leave it, without a message.
#include "tests/multiprocess/api/program.hpp"

int main(int argc, char** argv)
{
    const tutti::Environment environment(argc, argv);
}
