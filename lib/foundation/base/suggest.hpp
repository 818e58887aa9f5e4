// Did-you-mean: the known word that a mistyped one is closest to.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tutti::base {

/// Number of letters to insert, delete or replace, or neighbours to swap, that make `a` into `b` (optimal
/// string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that `word` was probably meant to be, or empty when none is near: at most a third of the
/// letters differ, or `word` is the beginning of the candidate. Upper and lower case count as equal.
std::string_view closest(std::string_view word, std::span<const std::string_view> candidates);

/// "; did you mean 'X'?" for the closest candidate, or an empty string: to be appended to a message.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace tutti::base
