#include "benchmarks/suite/keyed/generated_text.hpp"

#include <cmath>
#include <random>

namespace tutti::bench {

namespace {

// No two are equal: behind a number in letters of base 13 stand others, which a number never has.
std::string word_of(std::size_t number)
{
    constexpr std::size_t kLetters = 13;
    std::string word;
    const std::size_t more = 1 + number * 7 % 6;
    do {
        word += static_cast<char>('a' + number % kLetters);
        number /= kLetters;
    } while (number > 0);
    return word.append(more, static_cast<char>('n' + more));
}

}  // namespace

GeneratedText::GeneratedText(std::size_t words)
{
    for (std::size_t number = 0; number < words; ++number)
        words_.push_back(word_of(number));
}

std::string GeneratedText::piece(std::uint64_t number, std::size_t size_bytes) const
{
    std::mt19937_64 random(number + 1);
    const double all = std::log(static_cast<double>(words_.size()));
    std::string text;
    while (text.size() < size_bytes) {
        const double part = static_cast<double>(random() >> 11) * 0x1p-53;  // 0 to below 1
        const auto word = static_cast<std::size_t>(std::exp(part * all)) - 1;
        text += words_[std::min(word, words_.size() - 1)];
        text += ' ';
    }
    return text;
}

}  // namespace tutti::bench
