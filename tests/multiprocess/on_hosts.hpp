// Jobs over several hosts, all of which are this machine: daemons are started by a script that stands for
// ssh.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/multiprocess/launched.hpp"

namespace tutti::test {

using Words = std::vector<std::string>;

/// "-H h0:2,h1:1 --launch-agent ..." for the numbers of ranks on each host, then `rest`. Names begin with
/// `name`.
inline Words on_hosts(const std::vector<int>& split, const Words& rest, const std::string& mode = "plain",
                      const std::string& name = "h")
{
    std::string hosts;
    for (std::size_t i = 0; i < split.size(); ++i) {
        hosts += (i > 0 ? "," : "") + name + std::to_string(i) + ":" + std::to_string(split[i]);
    }
    const char* const folder = std::getenv("TUTTI_TEST_AGENTS");
    Words words{"-H", hosts, "--launch-agent",
                '"' + std::string(folder != nullptr ? folder : ".") + "/agent\" " + mode};
    words.insert(words.end(), rest.begin(), rest.end());
    return words;
}

inline Words shell(const std::string& text)
{
    return {"sh", "-c", text};
}

inline Words launcher_lines(const Result& result)
{
    Words lines = lines_of(result.err);
    std::erase_if(lines, [](const std::string& line) { return !line.starts_with("tuttirun: "); });
    return lines;
}

/// For shell().
inline const char* const kReadyForEver = "echo ready; sleep 1000 & sleep 1000; echo never";

inline std::string readies(int ranks)
{
    std::string all;
    for (int rank = 0; rank < ranks; ++rank) {
        all += "ready\n";
    }
    return all;
}

}  // namespace tutti::test
