// First step of reading the command line: cuts it at ':' and at each program, and gives every option its
// canonical spelling and its values. General parsers do not know where the program begins, take "-np" for
// "-n p" and do not know ':'.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tutti::launcher {

/// What an option's spelling stands for.
struct KnownOption {
    std::string canonical;    // "--np"
    int values = 0;           // how many words follow it
    std::string implied{};    // its value where none follows: "--bynode" is "--map-by node"
    bool attachable = false;  // without words after it, but "--check=LIST" has a value
    bool is_number = false;   // its value may follow at once: "-n2"
};

/// By spelling as typed, dashes included: "-np", "--np" and "-n" each have an entry.
using Dictionary = std::map<std::string, KnownOption, std::less<>>;

struct GivenOption {
    std::string canonical;
    std::string typed;  // as the user wrote it
    std::vector<std::string> values;
};

/// One part of the command line between ':' and ':'.
struct Section {
    std::vector<GivenOption> options;
    std::vector<std::string> program;  // program and its arguments
};

/// Splits the words after the launcher's own name. Options end at the first word that is no option, or
/// after "--". Options of one value may be "--option=value"; the two values of an option may be "NAME=VALUE".
/// Throws UsageError for an unknown option (with the closest known one), and for a missing or surplus value.
/// A section may have no program.
std::vector<Section> split_words(std::span<const std::string> words, const Dictionary& dictionary);

}  // namespace tutti::launcher
