// The command line of an example: all ranks read it, one answers.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>

namespace example {

/// The exit status where main is to end at once: 0 after --help, 2 after a mistake, which the speaker names.
inline std::optional<int> read_command_line(CLI::App& app, int argc, char** argv, bool speaker)
{
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (speaker)
            app.exit(error);
        return error.get_exit_code() == 0 ? 0 : 2;
    }
    return std::nullopt;
}

}  // namespace example
