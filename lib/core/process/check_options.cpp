#include "lib/core/process/check_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "lib/foundation/base/suggest.hpp"
#include "lib/foundation/settings/settings.hpp"
#include "tutti/error.hpp"

namespace tutti::check {

namespace {

struct Check {
    std::string_view name;
    bool Options::*is_on;
};
constexpr Check kChecks[] = {{"types", &Options::types},       {"buffers", &Options::buffers},
                             {"requests", &Options::requests}, {"messages", &Options::messages},
                             {"handles", &Options::handles},   {"windows", &Options::windows},
                             {"threads", &Options::threads},   {"races", &Options::races}};

void select_usual(Options& options) noexcept
{
    for (const Check& check : kChecks)
        if (check.is_on != &Options::races)
            options.*check.is_on = true;
}

[[noreturn]] void refuse(std::string_view name)
{
    std::vector<std::string_view> names;
    for (const Check& check : kChecks)
        names.push_back(check.name);
    names.insert(names.end(), {"report", "all", "on", "off"});
    throw Error(ErrorCode::invalid_argument, "environment",
                fmt::format("TUTTI_CHECK{} has '{}', which is no check{}; there are {}",
                            settings::origin_of("TUTTI_CHECK"), name, base::did_you_mean(name, names),
                            fmt::join(names, ", ")));
}

void select(Options& options, std::string_view name)
{
    if (const auto check = std::ranges::find(kChecks, name, &Check::name); check != std::end(kChecks))
        options.*check->is_on = true;
    else if (name == "report")
        options.fails = false;
    else if (name == "1" || name == "on")
        select_usual(options);
    else if (name == "all")
        select_usual(options), options.races = true;
    else
        refuse(name);
}

}  // namespace

Options parse_options(std::string_view text)
{
    Options options;
    if (text.empty() || text == "0" || text == "off")
        return options;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        select(options, text.substr(begin, end - begin));
        begin = end + 1;
    }
    if (!options.any())  // "report" alone
        select_usual(options);
    return options;
}

const Options& options()
{
    static const Options all = [] {
        const char* const text = settings::value_of("TUTTI_CHECK");
        return parse_options(text != nullptr ? text : "");
    }();
    return all;
}

}  // namespace tutti::check
