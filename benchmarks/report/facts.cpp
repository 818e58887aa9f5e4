#include "benchmarks/report/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "benchmarks/plot/plot_words.hpp"

namespace tutti::bench {

namespace {

struct KnownFact {
    const char* key;
    const char* name;
};

constexpr std::array kKnown = {
    KnownFact{"date", "Date"},
    KnownFact{"processor", "Processor"},
    KnownFact{"architecture", "Architecture"},
    KnownFact{"cores", "Cores"},
    KnownFact{"usable_cores", "Cores that could be used"},
    KnownFact{"binding", "Cores of each rank"},
    KnownFact{"hyper_threads", "Hyper-threads"},
    KnownFact{"caches", "Caches"},
    KnownFact{"memory_bytes", "Memory"},
    KnownFact{"tcp_congestion_control", "Congestion control of TCP"},
    KnownFact{"governor", "Frequency governor"},
    KnownFact{"turbo", "Turbo"},
    KnownFact{"huge_pages", "Transparent huge pages"},
    KnownFact{"virtual_machine", "Virtual machine"},
    KnownFact{"container", "Container"},
    KnownFact{"system", "System"},
    KnownFact{"kernel", "Kernel"},
    KnownFact{"load", "Load before (1, 5, 15 min)"},
    KnownFact{"compiler", "Compiler"},
    KnownFact{"optimized", "Optimised build"},
    KnownFact{"sanitizers", "Sanitizers"},
};

std::string words_of(const nlohmann::json& value)
{
    if (value.is_string())
        return value.get<std::string>();
    if (value.is_boolean())
        return value.get<bool>() ? "yes" : "no";
    if (!value.is_array())
        return value.dump();
    std::vector<std::string> words;
    for (const nlohmann::json& one : value)
        words.push_back(words_of(one));
    return joined(words, ", ");
}

}  // namespace

Facts facts_of(const nlohmann::json& environment)
{
    Facts facts;
    if (!environment.is_object())
        return facts;
    const auto add = [&](const std::string& name, const nlohmann::json& value, bool bytes) {
        if (value.is_null() || value.empty())
            return;
        facts.emplace_back(name,
                           bytes && value.is_number() ? size_text(value.get<double>()) : words_of(value));
    };
    for (const KnownFact& known : kKnown) {
        if (environment.contains(known.key))
            add(known.name, environment[known.key], known.key == std::string_view("memory_bytes"));
    }
    for (const auto& [key, value] : environment.items()) {
        const bool told =
            std::any_of(kKnown.begin(), kKnown.end(), [&](const KnownFact& known) { return key == known.key; });
        if (!told)
            add(key, value, false);
    }
    return facts;
}

}  // namespace tutti::bench
