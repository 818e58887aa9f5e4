// What options have said so far: who says the same thing twice must say the same.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tutti::launcher {

/// What has been said, and how near to the job: files say it last, and do not go before what was said nearer.
struct Seen {
    struct Value {
        std::string text;
        int level = 0;
    };
    std::map<std::string, Value> values;
    int level = 0;  // of what is being read: 0 is the command line
};

/// Remembers `value` for `what`. False when it was said before, at this level with the same value. Throws
/// when it had another one at this level; the message calls it `shown`.
bool first_time(Seen& seen, const std::string& what, const std::string& shown, const std::string& value);

/// Adds a variable to `environment`, likewise.
void set_variable(Seen& seen, std::vector<std::pair<std::string, std::string>>& environment,
                  const std::string& name, const std::string& value);

}  // namespace tutti::launcher
