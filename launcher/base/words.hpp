// First step of reading the command line: both dialects become one plain form.
//
// A general option parser does not know where the program begins, takes "-np" for "-n p" and does not know
// ':'. This step cuts the line at ':' and at each program, and gives every option its canonical spelling. A
// general parser can read the rest.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tutti::launcher {

/// What an option's spelling stands for.
struct KnownOption {
    std::string canonical;  // "--np"
    int values = 0;         // how many words follow it
};

/// By spelling as typed, dashes included: "-np", "--np" and "-n" each have an entry.
using Dictionary = std::map<std::string, KnownOption, std::less<>>;

/// One part of the command line between ':' and ':'.
struct Section {
    std::vector<std::string> options;          // canonical spellings, each followed by its values
    std::map<std::string, std::string> typed;  // canonical spelling -> as the user wrote it
    std::vector<std::string> program;          // program and its arguments
};

/// Splits the words after the launcher's own name. Options end at the first word that is no option, or
/// after "--". Options of one value may be "--option=value". Throws UsageError for an unknown option (with
/// the closest known one), and for a missing or surplus value. A section may have no program.
std::vector<Section> split_words(std::span<const std::string> words, const Dictionary& dictionary);

}  // namespace tutti::launcher
