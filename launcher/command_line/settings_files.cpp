#include "launcher/command_line/settings_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <ranges>
#include <string_view>

#include <fmt/format.h>

#include "launcher/base/option_values.hpp"
#include "lib/foundation/settings/configuration.hpp"
#include "lib/foundation/settings/known_settings.hpp"

namespace tutti::launcher {
namespace {

using settings::KnownSetting;

/// Options of which one goes without the other.
constexpr std::pair<std::string_view, std::string_view> kEitherOr[] = {{"-H", "-f"},
                                                                       {"-q", "-v"},
                                                                       {"--rankfile", "--map-by"},
                                                                       {"--rankfile", "--rank-by"},
                                                                       {"--rankfile", "-N"}};

/// Those whose values add up.
bool is_repeatable(const KnownSetting& known)
{
    return known.option == "genv" || known.option == "genvlist";
}

class ConfigurationReader {
public:
    ConfigurationReader(CommandLine& line, std::span<const OptionDefinition> definitions,
                        const std::vector<std::string>& given)
        : line_(line), definitions_(definitions)
    {
        for (const std::string& name : given)
            said_by_.emplace(name, 0);
        for (const KnownSetting& known : settings::known_settings())
            if (!known.variable.empty() && !environment_variable(known.variable.data()).empty())
                said_by_.emplace(name_of(known), 0);
    }

    /// Those that go before others come first.
    void apply(const settings::ConfigurationFile& file)
    {
        ++line_.job_values.level;
        for (const settings::Setting& setting : file.settings)
            apply(setting);
    }

private:
    int level() const { return line_.job_values.level; }

    const OptionDefinition* definition_of(const KnownSetting& known) const
    {
        const auto found = std::ranges::find(definitions_, &known, &OptionDefinition::setting);
        return found == definitions_.end() ? nullptr : &*found;
    }

    std::string name_of(const KnownSetting& known) const
    {
        const OptionDefinition* const definition = definition_of(known);
        return definition != nullptr ? definition->names.front() : std::string(known.name());
    }

    bool said_before(const std::string& name) const
    {
        const auto said = said_by_.find(name);
        return said != said_by_.end() && said->second < level();
    }

    /// Whether something that goes before this file leaves no room for an option.
    bool gives_way(const std::string& name) const
    {
        if (said_before(name))
            return true;
        if (name == "--launcher" && said_before("--launch-agent"))
            return true;
        if (name == "--launch-agent" && said_before("--launcher"))
            return line_.options.launcher == StartMethod::Agent::srun;
        return std::ranges::any_of(kEitherOr, [&](const auto& pair) {
            return (pair.first == name && said_before(std::string(pair.second))) ||
                   (pair.second == name && said_before(std::string(pair.first)));
        });
    }

    void apply(const settings::Setting& setting)
    {
        const KnownSetting& known = *settings::find_setting(setting.name);
        const OptionDefinition* const definition = definition_of(known);
        const std::string name = name_of(known);
        if (!is_repeatable(known)) {
            if (gives_way(name))
                return;
            said_by_.emplace(name, level());
            if (setting.value.empty())
                return;
        }
        if (definition == nullptr)
            set_variable(line_.job_values, line_.job_environment, setting.name, setting.value);
        else
            apply_option(known, *definition, setting);
    }

    void apply_option(const KnownSetting& known, const OptionDefinition& definition,
                      const settings::Setting& setting)
    {
        const std::string& name = definition.names.front();
        const std::string& value = setting.value;
        std::vector<std::string> values = {value};
        if (name == "--genv") {
            const std::size_t equals = value.find('=');
            values = {value.substr(0, equals), value.substr(equals + 1)};
            if (std::getenv(values.front().c_str()) != nullptr)
                return;
        }
        // Where it is a variable, too, ranks have to understand it as it is.
        if (definition.values == 0 && known.variable.empty()) {
            if (value == "no" && known.otherwise != "yes")
                return;
            if (value == "yes")
                values.clear();
        }
        definition.store(fmt::format("{}: {}", setting.origin, known.option), values);
        line_.options.hosts_by_file = line_.options.hosts_by_file || name == "-H" || name == "-f";
    }

    CommandLine& line_;
    std::span<const OptionDefinition> definitions_;
    std::map<std::string, int, std::less<>> said_by_;  // 0: the command line, or the environment
};

}  // namespace

void apply_configuration(CommandLine& line, std::span<const OptionDefinition> definitions,
                         const std::vector<std::string>& given)
{
    std::vector<settings::ConfigurationFile> files;
    try {
        files = settings::read_configuration();
    } catch (const settings::ConfigurationError& error) {
        throw UsageError(error.what());
    }
    for (const settings::ConfigurationFile& file : files)
        if (file.is_there)
            line.options.settings_files.push_back(file.path);
    ConfigurationReader reader(line, definitions, given);
    for (const settings::ConfigurationFile& file : files | std::views::reverse)
        reader.apply(file);
}

}  // namespace tutti::launcher
