// The environment that ranks get: the user's own, without what an outer launcher put there for itself.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tutti::launcher {

/// NAME=value entries, each name once.
class RankEnvironment {
public:
    /// Copies `environment` (like ::environ), leaving out the variables by which PMIx clients, PMI clients
    /// and Open MPI programs would take an outer launcher's job for theirs.
    explicit RankEnvironment(const char* const* environment);

    void set(const std::string& name, const std::string& value);
    /// "NAME=value".
    void set_entry(const std::string& entry);
    bool has(const std::string& name) const;
    /// The value, or an empty string.
    std::string get(const std::string& name) const;
    /// For execve(): valid until the next change.
    std::vector<char*> pointers() const;

private:
    std::vector<std::string> entries_;
};

}  // namespace tutti::launcher
