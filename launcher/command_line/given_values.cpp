#include "launcher/command_line/given_values.hpp"

#include <fmt/format.h>

#include "launcher/base/option_values.hpp"

namespace tutti::launcher {

bool first_time(GivenValues& given, const std::string& what, const std::string& shown,
                const std::string& value)
{
    const auto [entry, fresh] = given.values.try_emplace(what, GivenValues::Value{value, given.level});
    const GivenValues::Value& before = entry->second;
    if (!fresh && before.level == given.level && before.text != value) {
        throw UsageError(
            fmt::format("{} is given twice, as '{}' and as '{}'; say it once", shown, before.text, value));
    }
    return fresh;
}

void set_variable(GivenValues& given, std::vector<std::pair<std::string, std::string>>& environment,
                  const std::string& name, const std::string& value)
{
    const std::string shown = "variable " + name;
    if (first_time(given, shown, shown, value))
        environment.emplace_back(name, value);
}

}  // namespace tutti::launcher
