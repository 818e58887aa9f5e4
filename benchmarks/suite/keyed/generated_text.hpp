// Text for benchmarks: words in the frequencies of natural texts, the same wherever it is made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::bench {

/// The n-th of the words is about 1/n as frequent as the first (G. K. Zipf, "Human Behavior and the Principle
/// of Least Effort", 1949).
class GeneratedText {
public:
    /// So many words, one at least, of 2 to 11 letters.
    explicit GeneratedText(std::size_t words);

    /// The piece of this number: words, each with a blank behind it, of about `size_bytes` together.
    std::string piece(std::uint64_t number, std::size_t size_bytes) const;

private:
    std::vector<std::string> words_;
};

/// Calls visit(word) for the words of a text, which blanks part.
template <class Visit>
void for_each_word(std::string_view text, Visit&& visit)
{
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        if (end > begin)
            visit(text.substr(begin, end - begin));
        begin = end + 1;
    }
}

}  // namespace tutti::bench
