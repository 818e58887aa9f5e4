// Options that command lines for Open MPI's, MPICH's and Intel's launchers have: in Tutti's words, or taken
// without effect.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "launcher/command_line/definer.hpp"

namespace tutti::launcher {

/// Adds options that are taken without effect; those that are given go to JobOptions::without_effect, with
/// their values. What Open MPI's --mca says of how hosts are reached has its effect.
void define_options_of_other_launchers(Definer& define, JobOptions& options);

/// Adds single words for an option with its value: "--bynode" is "--map-by node".
void add_shorthands(Dictionary& dictionary);

/// What stands behind ':' in the value of --map-by or --bind-to: "slot:PE=4" and "core:4" give `cores` the 4,
/// what Tutti always does ("core:overload-allowed") is left out. Returns the value without it.
std::string take_modifiers(
    const std::string& option, std::string value,
    const std::function<void(const std::string& option, std::string_view text)>& cores);

/// Whether only other MPI libraries read the variable.
bool belongs_to_other_library(std::string_view variable);

}  // namespace tutti::launcher
