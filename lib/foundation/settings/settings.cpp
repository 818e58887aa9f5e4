#include "lib/foundation/settings/settings.hpp"

#include <cstdlib>
#include <vector>

#include "lib/foundation/settings/configuration.hpp"
#include "tutti/error.hpp"

namespace tutti::settings {

namespace {

bool is_set(const char* value) noexcept
{
    return value != nullptr && *value != '\0';
}

std::vector<ConfigurationFile> files_of_this_process()
{
    if (is_set(std::getenv("TUTTI_LOCAL_RANK")))
        return {};
    try {
        return read_configuration();
    } catch (const ConfigurationError& error) {
        throw Error(ErrorCode::invalid_argument, "configuration", error.what());
    }
}

}  // namespace

const char* value_of(const char* variable)
{
    const char* const own = std::getenv(variable);
    if (is_set(own))
        return own;
    // Never destroyed: threads may ask while the process ends.
    static const auto& files = *new std::vector<ConfigurationFile>(files_of_this_process());
    const Setting* const said = find_last(files, variable);
    return said != nullptr ? said->value.c_str() : own;
}

std::string origin_of(const std::string& variable)
{
    try {
        const char* const value = value_of(variable.c_str());
        const std::vector<ConfigurationFile> files = read_configuration();
        const Setting* const said = find_last(files, variable);
        if (value != nullptr && said != nullptr && said->value == value)
            return " (" + said->origin + ")";
    } catch (const std::exception&) {
        // Without the origin the caller's message still says enough.
    }
    return {};
}

}  // namespace tutti::settings
