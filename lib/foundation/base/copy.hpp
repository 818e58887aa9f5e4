// A memcpy that calls no function for small messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tutti::base {

// A separate function, so that the compiler does not warn of a large copy when it sees a small object.
[[gnu::noinline]] inline void copy_many_bytes(std::byte* to, const std::byte* from, std::size_t size) noexcept
{
    std::memcpy(to, from, size);
}

/// Copies two words, one by one: a wider load of bytes that were just written as words waits until they have
/// left the store buffer.
inline void copy_words(std::byte* to, const std::byte* from) noexcept
{
    std::uint64_t words[2];
    std::memcpy(words, from, sizeof words);
    asm("" : "+r"(words[0]), "+r"(words[1]));
    std::memcpy(to, words, sizeof words);
}

/// Copies at most 64 bytes between places that do not overlap. Either may be null when size is 0.
[[gnu::always_inline]] inline void copy_few_bytes(std::byte* to, const std::byte* from,
                                                  std::size_t size) noexcept
{
    // Two copies of a fixed size, which meet or overlap, cover every size between one and two of them.
    const auto both_ends = [&]<class Word>(Word) {
        Word first;
        Word last;
        std::memcpy(&first, from, sizeof first);
        std::memcpy(&last, from + size - sizeof last, sizeof last);
        std::memcpy(to, &first, sizeof first);
        std::memcpy(to + size - sizeof last, &last, sizeof last);
    };
    struct Words32 {
        std::uint64_t words[4];
    };
    if (size >= 32)
        both_ends(Words32{});
    else if (size > 16) {
        copy_words(to, from);
        copy_words(to + size - 16, from + size - 16);
    } else if (size == 16)
        copy_words(to, from);
    else if (size >= 8)
        both_ends(std::uint64_t{});
    else if (size >= 4)
        both_ends(std::uint32_t{});
    else if (size >= 2)
        both_ends(std::uint16_t{});
    else if (size == 1)
        *to = *from;
}

/// Copies `size` bytes between places that do not overlap. Either may be null when size is 0.
inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t size) noexcept
{
    if (size > 64)
        copy_many_bytes(to, from, size);
    else
        copy_few_bytes(to, from, size);
}

}  // namespace tutti::base
