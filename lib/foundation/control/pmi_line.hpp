// A line of PMI-1, by which Hydra (MPICH, Intel MPI) and Slurm's pmi2 plugin talk with ranks:
// "cmd=put kvsname=job key=a value=b". Values have no blanks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tutti::control {

/// Room for a value of PMI-1, and for a key, with the zero behind each that they have in C.
inline constexpr std::size_t kPmiValueRoom = 1024;
inline constexpr std::size_t kPmiKeyRoom = 64;
/// No line is longer.
inline constexpr std::size_t kLongestPmiLine = 8192;

class PmiLine {
public:
    explicit PmiLine(std::string command) : command_(std::move(command)) {}
    /// `line` is without its end. Nothing unless it consists of one command and fields with a name each, none
    /// twice.
    static std::optional<PmiLine> parse(std::string_view line);

    const std::string& command() const noexcept { return command_; }
    /// Empty where there is no such field.
    std::string_view field(std::string_view name) const;
    /// Nothing unless the field is a number.
    std::optional<int> number(std::string_view name) const;

    PmiLine& with(std::string_view name, std::string_view value);
    PmiLine& with(std::string_view name, int value) { return with(name, std::to_string(value)); }
    /// With the end of a line.
    std::string text() const;

private:
    std::string command_;
    std::map<std::string, std::string, std::less<>> fields_;
    std::string words_;  // the fields as with() has added them
};

/// Whether a line can have `value`: not empty, no blanks and no control characters.
bool is_pmi_word(std::string_view value);

}  // namespace tutti::control
