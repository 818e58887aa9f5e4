// The values that options have set so far: an option may be given twice only with one value.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tutti::launcher {

/// Values by what they are of. The command line is level 0; variables and files of settings follow, and do
/// not replace what a lower level has set.
struct GivenValues {
    struct Value {
        std::string text;
        int level = 0;
    };
    std::map<std::string, Value> values;
    int level = 0;  // of what is being read
};

/// Remembers `value` for `what`. False when `what` has a value already, of a lower level or the same one
/// again. Throws UsageError when it has another one of this level; the message calls it `shown`.
bool first_time(GivenValues& given, const std::string& what, const std::string& shown,
                const std::string& value);

/// Adds a variable to `environment` if it is the first time. Throws like first_time().
void set_variable(GivenValues& given, std::vector<std::pair<std::string, std::string>>& environment,
                  const std::string& name, const std::string& value);

}  // namespace tutti::launcher
