// The command line of a job of this folder's programs.
#pragma once

#include <string>
#include <vector>

#include "tests/multiprocess/launched.hpp"

namespace tutti::test {

inline std::vector<std::string> ranks(int count, const std::string& name,
                                      std::vector<std::string> arguments = {})
{
    arguments.insert(arguments.begin(), {"-n", std::to_string(count), program("api_" + name)});
    return arguments;
}

}  // namespace tutti::test
