// Where Tutti is built without libdw.
#include "launcher/stacks/read_stacks.hpp"

namespace tutti::launcher {

std::string why_no_stacks()
{
    return "this build has no libdw to read stacks with; install libdw-dev (elfutils), and build Tutti again";
}

ProcessStacks read_stacks(pid_t, const StackLimits&)
{
    return {{}, why_no_stacks()};
}

}  // namespace tutti::launcher
