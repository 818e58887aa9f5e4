// tutti-info --config: every setting of a job that would start now, and where it comes from.
#pragma once

#include <string>
#include <vector>

#include "lib/foundation/settings/configuration.hpp"

namespace tutti::info {

struct ShownSetting {
    std::string option;    // its name in files; empty: there is none
    std::string variable;  // its name in the environment; empty: there is none
    std::string value;
    std::string from;  // "/etc/tutti/tutti.conf:3", "environment" or "default"
};

struct ShownConfiguration {
    std::vector<settings::ConfigurationFile> files;
    std::vector<ShownSetting> settings;  // in the order of known_settings(); "genv" as often as files have it
};

/// Throws settings::ConfigurationError for a file that is wrong. Values of options are judged by tuttirun
/// alone.
ShownConfiguration configuration();

std::string as_text(const ShownConfiguration& shown);
std::string as_json(const ShownConfiguration& shown);

}  // namespace tutti::info
