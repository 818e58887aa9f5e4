#include "lib/core/check/options.hpp"

#include <fmt/format.h>

#include "lib/foundation/base/settings.hpp"
#include "lib/foundation/base/suggest.hpp"
#include "tutti/error.hpp"

namespace tutti::check {

namespace {

constexpr std::string_view kNames[] = {"types",   "buffers", "requests", "messages", "handles", "windows",
                                       "threads", "races",   "report",   "all",      "on",      "off"};

void select_usual(Options& options) noexcept
{
    options.types = options.buffers = options.requests = options.messages = true;
    options.handles = options.windows = options.threads = true;
}

void select(Options& options, std::string_view name)
{
    if (name == "types")
        options.types = true;
    else if (name == "buffers")
        options.buffers = true;
    else if (name == "requests")
        options.requests = true;
    else if (name == "messages")
        options.messages = true;
    else if (name == "handles")
        options.handles = true;
    else if (name == "windows")
        options.windows = true;
    else if (name == "threads")
        options.threads = true;
    else if (name == "races")
        options.races = true;
    else if (name == "report")
        options.fails = false;
    else if (name == "1" || name == "on")
        select_usual(options);
    else if (name == "all")
        select_usual(options), options.races = true;
    else
        throw Error(ErrorCode::invalid_argument, "environment",
                    fmt::format("TUTTI_CHECK{} has '{}', which is no check{}; there are {}",
                                base::origin_of("TUTTI_CHECK"), name, base::did_you_mean(name, kNames),
                                fmt::join(kNames, ", ")));
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
        const char* const text = base::setting("TUTTI_CHECK");
        return parse_options(text != nullptr ? text : "");
    }();
    return all;
}

}  // namespace tutti::check
