// What a file of configuration may set: options of tuttirun, and variables that Tutti reads.
#pragma once

#include <span>
#include <string_view>

namespace tutti::base {

struct KnownSetting {
    std::string_view
        option;  // its name in files: tuttirun's long option without dashes; empty: there is none
    std::string_view variable;   // that says the same; empty: there is none
    std::string_view otherwise;  // what is so where nobody says anything
    std::string_view refusal{};  // why no file may set it; empty: files may

    /// One name for both.
    constexpr std::string_view name() const noexcept { return variable.empty() ? option : variable; }
};

/// The options in the order of tuttirun --help, then the variables. Those of collectives are the catalogue's.
std::span<const KnownSetting> known_settings();

/// By its option or its variable; nullptr: there is none.
const KnownSetting* find_setting(std::string_view key);

}  // namespace tutti::base
