// Runs the program whose name this process has: as api_messages what messages.cpp has.
#include <cstdio>
#include <string>
#include <string_view>

#include "tests/multiprocess/api/program.hpp"

int main(int argc, char** argv)
{
    using tutti::test::Program;

    std::string_view name = argv[0];
    name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
    for (const Program* program = Program::first; program != nullptr; program = program->next)
        if (name == "api_" + std::string(program->name))
            return program->main(argc, argv);
    std::fprintf(stderr, "no program has the name '%.*s'\n", static_cast<int>(name.size()), name.data());
    return 127;
}
