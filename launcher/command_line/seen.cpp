#include "launcher/command_line/seen.hpp"

#include <fmt/format.h>

#include "launcher/base/values.hpp"

namespace tutti::launcher {

bool first_time(Seen& seen, const std::string& what, const std::string& shown, const std::string& value)
{
    const auto [entry, fresh] = seen.values.try_emplace(what, Seen::Value{value, seen.level});
    const Seen::Value& before = entry->second;
    if (!fresh && before.level == seen.level && before.text != value) {
        throw UsageError(
            fmt::format("{} is given twice, as '{}' and as '{}'; say it once", shown, before.text, value));
    }
    return fresh;
}

void set_variable(Seen& seen, std::vector<std::pair<std::string, std::string>>& environment,
                  const std::string& name, const std::string& value)
{
    const std::string shown = "variable " + name;
    if (first_time(seen, shown, shown, value))
        environment.emplace_back(name, value);
}

}  // namespace tutti::launcher
