// The command line of an example: all ranks read it, one answers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tutti/communicator.hpp>
#include <type_traits>
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

    /// An int, std::int64_t, std::size_t, unsigned or float from `least` to `most`.
    template <class Number>
    void number(const std::string& name, Number& value, std::type_identity_t<Number> least,
                std::type_identity_t<Number> most, const std::string& words);
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
    std::unique_ptr<CLI::App> app_;
};

}  // namespace example
