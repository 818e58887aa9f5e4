#include "launcher/info/shown_settings.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <ranges>
#include <string_view>

#include <nlohmann/json.hpp>

#include "lib/foundation/settings/known_settings.hpp"

namespace tutti::info {

namespace {

constexpr const char* kEnvironment = "environment";
constexpr const char* kDefault = "default";

std::string_view variable(std::string_view name)
{
    const char* const value = name.empty() ? nullptr : std::getenv(std::string(name).c_str());
    return value != nullptr ? value : "";
}

ShownSetting shown(const settings::KnownSetting& known, std::string_view value, std::string_view from)
{
    return {std::string(known.option), std::string(known.variable), std::string(value), std::string(from)};
}

/// Those whose lines add up.
void add_all(ShownConfiguration& all, const settings::KnownSetting& known)
{
    const std::size_t before = all.settings.size();
    for (const settings::ConfigurationFile& file : all.files)
        for (const settings::Setting& setting : file.settings)
            if (setting.name == known.name())
                all.settings.push_back(shown(known, setting.value, setting.origin));
    if (all.settings.size() == before)
        all.settings.push_back(shown(known, known.otherwise, kDefault));
}

std::string name_of(const ShownSetting& setting)
{
    return setting.option.empty()     ? setting.variable
           : setting.variable.empty() ? setting.option
                                      : fmt::format("{}, {}", setting.option, setting.variable);
}

std::string lines_of(const ShownConfiguration& all, bool defaults)
{
    std::string text;
    for (const ShownSetting& setting : all.settings)
        if ((setting.from == kDefault) == defaults)
            text += defaults
                        ? fmt::format("  {:<34} {}\n", name_of(setting), setting.value)
                        : fmt::format("  {:<34} {:<24} {}\n", name_of(setting), setting.value, setting.from);
    return text.empty() ? "  none\n" : text;
}

}  // namespace

ShownConfiguration configuration()
{
    ShownConfiguration all{settings::read_configuration(), {}};
    for (const settings::KnownSetting& known : settings::known_settings()) {
        if (!known.refusal.empty())
            continue;
        if (known.option == "genv" || known.option == "genvlist") {
            add_all(all, known);
            continue;
        }
        const settings::Setting* const said = settings::find_last(all.files, known.name());
        if (const std::string_view own = variable(known.variable); !own.empty())
            all.settings.push_back(shown(known, own, kEnvironment));
        else if (said != nullptr)
            all.settings.push_back(shown(known, said->value, said->origin));
        else
            all.settings.push_back(shown(known, known.otherwise, kDefault));
    }
    return all;
}

std::string as_text(const ShownConfiguration& all)
{
    std::string text = "Files, of which later ones go before:\n";
    for (const settings::ConfigurationFile& file : all.files)
        text += fmt::format("  {}{}\n", file.path, file.is_there ? "" : " (is not there)");
    if (all.files.empty())
        text += "  none, by TUTTI_CONF\n";
    text += "\nSet, unless the command line says otherwise:\n" + lines_of(all, false);
    return text + "\nLeft to what is built in:\n" + lines_of(all, true);
}

std::string as_json(const ShownConfiguration& all)
{
    using nlohmann::ordered_json;
    ordered_json json{{"files", ordered_json::array()}, {"settings", ordered_json::array()}};
    for (const settings::ConfigurationFile& file : all.files)
        json["files"].push_back({{"path", file.path}, {"is_there", file.is_there}});
    for (const ShownSetting& setting : all.settings) {
        ordered_json entry;
        if (!setting.option.empty())
            entry["option"] = setting.option;
        if (!setting.variable.empty())
            entry["variable"] = setting.variable;
        entry["value"] = setting.value;
        entry["from"] = setting.from;
        json["settings"].push_back(std::move(entry));
    }
    // A file may hold bytes that are no UTF-8.
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tutti::info
