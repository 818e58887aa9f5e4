// --output-filename: the unchanged output of each rank in DIRECTORY/rank.N/stdout and stderr.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "launcher/base/descriptors.hpp"
#include "launcher/streams/line_merger.hpp"

namespace tutti::launcher {

class OutputFiles {
public:
    /// Creates the directories and empty files, replacing those of an earlier job. Throws std::runtime_error.
    OutputFiles(const std::string& directory, int ranks, bool merge_stderr);

    /// May block. Returns 0 or the system's error.
    int write(StreamId stream, std::string_view text);
    void close(StreamId stream);

private:
    std::string path(StreamId stream) const;

    std::string directory_;
    std::unordered_map<std::string, UniqueFd> files_;  // opened when first written to, pipes at once
};

}  // namespace tutti::launcher
