// The words that a rank writes for those who look at it, as these read them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "lib/foundation/observe/status_page.hpp"

namespace tutti::launcher {

/// Relaxed: who needs words of one moment orders them by a counter and a fence, as PageView does.
inline std::uint64_t word_of(const observe::StatusWord& word) noexcept
{
    return word.load(std::memory_order_relaxed);
}

/// The text that `words` hold, which end at `bytes` or at a zero before. What a terminal would not print is
/// '?'.
inline std::string text_of(const observe::StatusWord* words, std::size_t bytes)
{
    std::string text(bytes, '\0');
    for (std::size_t i = 0; i < bytes / sizeof(std::uint64_t); ++i) {
        const std::uint64_t word = word_of(words[i]);
        std::memcpy(text.data() + i * sizeof word, &word, sizeof word);
    }
    text.resize(std::strlen(text.c_str()));
    std::ranges::replace_if(
        text, [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
}

}  // namespace tutti::launcher
