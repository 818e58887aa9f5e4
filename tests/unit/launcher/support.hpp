// Helpers of the launcher's option and mapping tests.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

#include "launcher/command_line/command_line.hpp"
#include "tests/temporary_folder.hpp"

namespace tutti::launcher::test {

using tutti::test::TemporaryFolder;

/// parse_command_line() on "tuttirun" and the words given.
inline JobOptions parse(const std::vector<std::string>& words)
{
    std::vector<const char*> argv = {"tuttirun"};
    for (const std::string& word : words) {
        argv.push_back(word.c_str());
    }
    return parse_command_line(static_cast<int>(argv.size()), argv.data());
}

/// What the UsageError of `call` says; empty when there is none.
template <typename Call>
std::string usage_error(Call call)
{
    try {
        call();
    } catch (const UsageError& error) {
        return error.what();
    }
    return {};
}

inline std::string parse_error(const std::vector<std::string>& words)
{
    return usage_error([&] { parse(words); });
}

/// Sets or (without a value) removes an environment variable, and puts it back at the end.
class WithVariable {
public:
    WithVariable(std::string name, std::optional<std::string> value) : name_(std::move(name))
    {
        if (const char* old = std::getenv(name_.c_str()); old != nullptr) {
            old_ = old;
        }
        assign(value);
    }
    ~WithVariable() { assign(old_); }
    WithVariable(const WithVariable&) = delete;
    WithVariable& operator=(const WithVariable&) = delete;

private:
    void assign(const std::optional<std::string>& value)
    {
        if (value) {
            setenv(name_.c_str(), value->c_str(), 1);
        } else {
            unsetenv(name_.c_str());
        }
    }

    std::string name_;
    std::optional<std::string> old_;
};

}  // namespace tutti::launcher::test
