// A file that an option names for a report at the end of the job.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "launcher/base/descriptors.hpp"

namespace tutti::launcher {

class ReportFile {
public:
    /// None where `path` is empty. The file becomes empty now. Throws UsageError, which begins with `option`,
    /// where it cannot be written.
    ReportFile(std::string_view option, const std::string& path);

    bool is_wanted() const noexcept { return !path_.empty(); }
    /// Waits as long as the reader of a pipe does not read. False if the report cannot be written: stderr
    /// then has the reason.
    bool write(const std::function<void(std::ostream& out)>& write) const;

private:
    std::string path_;
    UniqueFd pipe_;  // or a device: held open, since its reader would take the first close for the end
};

}  // namespace tutti::launcher
