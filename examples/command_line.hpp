// The command line of an example: all ranks read it, one answers.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tutti/communicator.hpp>
#include <vector>

namespace CLI {
class App;
}

namespace example {

/// What main() takes from its user. CLI11 reads it, in command_line.cpp alone, as its header takes a compiler
/// seconds. A name without dashes is an argument, which is known by its place. Values are what variables hold
/// unless the user says otherwise; the variables outlive read().
class CommandLine {
public:
    explicit CommandLine(const std::string& description);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    /// A whole number from `least` to `most`, of any type that std::int64_t holds.
    template <std::integral Number>
    void number(const std::string& name, Number& value, std::int64_t least, std::int64_t most,
                const std::string& words)
    {
        add_number(name, static_cast<std::int64_t>(value), least, most, words,
                   [&value](std::int64_t given) { value = static_cast<Number>(given); });
    }
    void number(const std::string& name, float& value, float least, float most, const std::string& words);
    void text(const std::string& name, std::string& value, const std::string& words);
    void choice(const std::string& name, std::string& value, const std::vector<std::string>& choices,
                const std::string& words);
    /// Any number of files that are there.
    void files(const std::string& name, std::vector<std::string>& paths, const std::string& words);
    void flag(const std::string& name, bool& value, const std::string& words);
    /// What no value says alone: `mistake` gives what is wrong with those of these names, or nothing.
    void check(const std::string& names, std::function<std::string()> mistake);

    /// The exit status where main is to end at once: 0 after --help, 2 after a mistake, which rank 0 names.
    /// All ranks call it.
    std::optional<int> read(int argc, char** argv, const tutti::Communicator& world);

private:
    void add_number(const std::string& name, std::int64_t value, std::int64_t least, std::int64_t most,
                    const std::string& words, std::function<void(std::int64_t)> take);

    std::unique_ptr<CLI::App> app_;
};

}  // namespace example
