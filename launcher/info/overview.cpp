#include "launcher/info/print.hpp"

#include <fmt/format.h>

#include "collectives/choice/catalogue.hpp"
#include "lib/foundation/reduction/kernels.hpp"
#include "lib/foundation/settings/known_settings.hpp"

namespace tutti::info {

namespace {

std::string value_of(const char* (*environment)(const char*), const char* name)
{
    const char* const value = environment(name);
    return value != nullptr ? value : "";
}

std::string meaning_of(const settings::KnownSetting& known)
{
    std::string meaning(known.help);
    if (!known.option.empty())
        meaning += fmt::format("; as tuttirun --{}, which goes before it", known.option);
    return fmt::format("{} ({})", meaning, known.otherwise);
}

}  // namespace

Overview overview(const char* (*environment)(const char*))
{
    Overview result;
    result.version = TUTTI_VERSION;
    result.compiler = TUTTI_COMPILER;
    result.instruction_set = to_string(reduction::supported_instruction_sets().back());
    result.transports =
        "self (a rank to itself), shm (ranks of one machine), inproc (ranks that are threads), tcp and ofi "
        "(libfabric; ranks of several machines)";
    for (const settings::KnownSetting& known : settings::known_settings()) {
        if (known.variable.empty() || known.help.empty())
            continue;
        const std::string name(known.variable);
        result.variables.push_back({name, meaning_of(known), value_of(environment, name.c_str())});
    }
    for (const collectives::CollectiveEntry& entry : collectives::catalogue()) {
        std::vector<std::string> names;
        for (const collectives::AlgorithmTraits& algorithm : entry.algorithms)
            names.push_back(
                fmt::format("{}{}", algorithm.name, algorithm.has_segments ? "[:SEGMENT_BYTES]" : ""));
        result.variables.push_back({entry.variable,
                                    fmt::format("algorithm of {}: {}", entry.name, fmt::join(names, ", ")),
                                    value_of(environment, entry.variable)});
    }
    return result;
}

}  // namespace tutti::info
