// Did-you-mean: the known word closest to a mistyped one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tutti::base {

/// The number of edits that turn `a` into `b`: insert, delete or replace a letter, or swap neighbours
/// (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that `word` probably means; empty when none is near. Near: at most a third of the letters
/// differ, or `word` is the beginning of the candidate. Case is ignored.
std::string_view closest(std::string_view word, std::span<const std::string_view> candidates);

/// "; did you mean 'X'?" for the closest candidate, or an empty string: to append to a message.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace tutti::base
