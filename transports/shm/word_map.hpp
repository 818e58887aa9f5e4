// The producer's record of which lines of a ring begin with a word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::transport::shm {

/// One bit for each line. At first all are set: zeroes are a word of no lap.
class WordMap {
public:
    WordMap() = default;
    explicit WordMap(std::size_t lines) : bits_((lines + 63) / 64, ~std::uint64_t{0}) {}

    bool has_word(std::size_t line) const noexcept { return (bits_[line / 64] >> line % 64 & 1) != 0; }
    void set_word(std::size_t line) noexcept { bits_[line / 64] |= std::uint64_t{1} << line % 64; }

    /// Lines [from, to) do not begin with a word now.
    void clear(std::size_t from, std::size_t to) noexcept
    {
        while (from < to) {
            const std::size_t stop = from / 64 * 64 + 64;
            const std::size_t end = to < stop ? to : stop;
            const std::uint64_t ones = ~std::uint64_t{0} >> (64 - (end - from));
            bits_[from / 64] &= ~(ones << from % 64);
            from = end;
        }
    }

private:
    std::vector<std::uint64_t> bits_;
};

}  // namespace tutti::transport::shm
