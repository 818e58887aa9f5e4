// What this build is, and what of the environment it reads.
#pragma once

#include <string>
#include <vector>

namespace tutti::info {

struct Variable {
    std::string name;
    std::string meaning;
    std::string value;  // as set now; empty where it is not
};

struct Overview {
    std::string version;
    std::string compiler;
    std::string instruction_set;  // that reductions use on this CPU
    std::string transports;
    std::vector<Variable> variables;
};

/// `environment` answers as std::getenv does.
Overview overview(const char* (*environment)(const char*));

}  // namespace tutti::info
