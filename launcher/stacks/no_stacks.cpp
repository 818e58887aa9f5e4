// Where Tutti is built without libdw.
#include "launcher/stacks/read_stacks.hpp"

namespace tutti::launcher {

std::string why_no_stacks()
{
    return "this build has no libdw to read stacks with; install libdw-dev (elfutils), and build Tutti again";
}

UnwoundProcess unwind(pid_t, const StackLimits&)
{
    return {{}, why_no_stacks()};
}

std::vector<std::vector<StackFrame>> name_places(const std::vector<CodePlace>& places)
{
    std::vector<std::vector<StackFrame>> frames;
    for (const CodePlace& place : places)
        frames.push_back({unnamed(place)});
    return frames;
}

}  // namespace tutti::launcher
