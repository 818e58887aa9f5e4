#include "command_line.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <utility>

namespace example {

CommandLine::CommandLine(const std::string& description) : app_(std::make_unique<CLI::App>(description)) {}

CommandLine::~CommandLine() = default;

void CommandLine::add_number(const std::string& name, std::int64_t value, std::int64_t least,
                             std::int64_t most, const std::string& words,
                             std::function<void(std::int64_t)> take)
{
    app_->add_option_function<std::int64_t>(name, take, words)
        ->check(CLI::Range(least, most))
        ->default_str(std::to_string(value));
}

void CommandLine::number(const std::string& name, float& value, float least, float most,
                         const std::string& words)
{
    app_->add_option(name, value, words)->check(CLI::Range(least, most))->capture_default_str();
}

void CommandLine::text(const std::string& name, std::string& value, const std::string& words)
{
    app_->add_option(name, value, words)->capture_default_str();
}

void CommandLine::choice(const std::string& name, std::string& value, const std::vector<std::string>& choices,
                         const std::string& words)
{
    app_->add_option(name, value, words)->check(CLI::IsMember(choices))->capture_default_str();
}

void CommandLine::files(const std::string& name, std::vector<std::string>& paths, const std::string& words)
{
    app_->add_option(name, paths, words)->check(CLI::ExistingFile);
}

void CommandLine::flag(const std::string& name, bool& value, const std::string& words)
{
    app_->add_flag(name, value, words);
}

void CommandLine::check(const std::string& names, std::function<std::string()> mistake)
{
    app_->callback([names, mistake = std::move(mistake)] {
        const std::string words = mistake();
        if (!words.empty())
            throw CLI::ValidationError(names, words);
    });
}

std::optional<int> CommandLine::read(int argc, char** argv, const tutti::Communicator& world)
{
    try {
        app_->parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (world.rank() == 0)
            app_->exit(error);
        world.barrier();  // a rank that leaves with an error may end the job: not before it has been said
        return error.get_exit_code() == 0 ? 0 : 2;
    }
    return std::nullopt;
}

}  // namespace example
