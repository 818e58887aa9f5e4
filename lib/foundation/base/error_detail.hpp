// An error's words, for another error that takes them up.
#pragma once

#include <string_view>

#include "tutti/error.hpp"

namespace tutti::base {

/// `detail` as the Error was made with: its what() without the operation and the code. Valid as long as it.
inline std::string_view detail_of(const Error& error) noexcept
{
    constexpr std::string_view kBetween = ": ";
    std::string_view words = error.what();
    words.remove_prefix(error.operation().size() + to_string(error.code()).size() + 2 * kBetween.size());
    return words;
}

}  // namespace tutti::base
