// The detail of an error, for use in another error.
#pragma once

#include <string_view>

#include "tutti/error.hpp"

namespace tutti::base {

/// `detail` that the Error was made with: its what() without operation and code. Valid as long as the Error.
inline std::string_view detail_of(const Error& error) noexcept
{
    constexpr std::string_view kBetween = ": ";
    std::string_view words = error.what();
    words.remove_prefix(error.operation().size() + to_string(error.code()).size() + 2 * kBetween.size());
    return words;
}

}  // namespace tutti::base
