// The output of ssh, srun and other agents: lines that may say why a daemon did not come or was lost, apart
// from those that agents also write where all goes well.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tutti::launcher {

/// Lines in their order, without control characters, which would change the terminal.
struct AgentWords {
    std::vector<std::string> causes;
    std::vector<std::string> warnings;  // warnings and notices
};

AgentWords words_of_agent(std::string_view output);

/// For a sentence about a lost daemon: "; srun said: srun: error: b: task 1: Killed", with the warnings last,
/// or that there was nothing but warnings. Empty where there are no words.
std::string said_by_agent(const std::string& agent, std::string_view output);

}  // namespace tutti::launcher
