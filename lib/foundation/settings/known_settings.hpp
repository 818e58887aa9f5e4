// All settings: options of tuttirun, and variables that Tutti reads. The one table from which come the
// command line's grammar, its help and completion, what files may set, and what tutti-info prints. A test
// holds the words and defaults of docs/guide/environment.md to it.
#pragma once

#include <span>
#include <string_view>

namespace tutti::settings {

struct KnownSetting {
    std::string_view option;     // its name in files: a long option without dashes; empty: there is none
    std::string_view spellings;  // on the command line: "-n,--np"; the first stands for all
    std::string_view value;      // what stands for its value in the help; empty: it takes none
    std::string_view help;       // one line; empty: the catalogue of collectives has it
    std::string_view variable;   // that says the same; empty: there is none
    std::string_view otherwise;  // the value where nobody sets one
    std::string_view refusal{};  // why no file may set it; empty: files may

    /// The variable if there is one, else the option.
    constexpr std::string_view name() const noexcept { return variable.empty() ? option : variable; }
};

/// The options in the order of tuttirun --help, then the variables. Those of collectives are the catalogue's.
std::span<const KnownSetting> known_settings();

/// The setting with this option or variable; nullptr: there is none.
const KnownSetting* find_setting(std::string_view key);

}  // namespace tutti::settings
