// The command line of an example: all ranks read it, one answers.
#pragma once

#include <tutti/communicator.hpp>

#include <CLI/CLI.hpp>

#include <optional>

namespace example {

/// The exit status where main is to end at once: 0 after --help, 2 after a mistake, which rank 0 names.
inline std::optional<int> read_command_line(CLI::App& app, int argc, char** argv,
                                            const tutti::Communicator& world)
{
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (world.rank() == 0)
            app.exit(error);
        world.barrier();  // a rank that leaves with an error may end the job: not before it has been said
        return error.get_exit_code() == 0 ? 0 : 2;
    }
    return std::nullopt;
}

}  // namespace example
