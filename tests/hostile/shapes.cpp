#include "tests/hostile/shapes.hpp"

#include <algorithm>
#include <array>
#include <random>

namespace tutti::test {

namespace {

constexpr int kFirstLetter = 16;  // after all control bytes that matter
constexpr int kLetters = 15;      // of each stream; 2 * kMaxShapeRanks times as many end at 255

int first_letter(int rank, int channel)
{
    return kFirstLetter + kLetters * (2 * rank + channel - 1);
}

/// Cuts one endless text of a shape into pieces.
class Stream {
public:
    Stream(std::mt19937& random, int rank, int channel)
        : random_(random),
          letter_(first_letter(rank, channel)),
          shape_(static_cast<Shape>(below(static_cast<unsigned>(Shape::count))))
    {
    }

    /// How much such a stream has at most.
    std::size_t limit_bytes() const
    {
        switch (shape_) {
            case Shape::nothing:
                return 0;
            case Shape::endless:
                return 3'000'000;
            default:
                return 400'000;
        }
    }

    std::string piece()
    {
        const std::array<unsigned, 5> sizes{1, 1 + below(100), 1 + below(5000), 65536, 1 + below(200'000)};
        const std::size_t size = sizes[below(sizes.size())];
        std::string text;
        while (text.size() < size) {
            if (left_of_line_ == 0) {
                text += line_end();
                left_of_line_ = 1 + line_bytes();
            }
            const std::size_t run =
                std::min({size - text.size() + 1, left_of_line_, std::size_t{1} + below(40)});
            text.append(run, static_cast<char>(letter_ + static_cast<int>(count_++ % kLetters)));
            left_of_line_ -= run;
        }
        return text;
    }

private:
    enum class Shape { nothing, short_lines, long_lines, dos_lines, binary, endless, count };

    unsigned below(std::size_t limit) { return static_cast<unsigned>(random_() % limit); }

    std::size_t line_bytes()
    {
        switch (shape_) {
            case Shape::long_lines:
                return below(300'000);
            case Shape::endless:
                return 10'000'000;
            default:
                return below(120);
        }
    }

    std::string line_end()
    {
        switch (shape_) {
            case Shape::dos_lines:
                return "\r\n";
            case Shape::binary:
                return std::array<std::string, 4>{std::string(1, '\0'), "\r", "\n\n\n",
                                                  std::string("\0\n", 2)}
                    .at(below(4));
            default:
                return "\n";
        }
    }

    std::mt19937& random_;
    int letter_;
    Shape shape_;
    std::size_t left_of_line_ = 1;
    std::size_t count_ = 0;
};

}  // namespace

std::vector<ShapeStep> shape_steps(std::uint32_t seed, int rank)
{
    std::mt19937 random(seed * kMaxShapeRanks + static_cast<std::uint32_t>(rank));
    std::array streams{Stream(random, rank, 1), Stream(random, rank, 2)};
    std::array<std::size_t, 2> left{};
    for (std::size_t i = 0; i < 2; ++i) {
        left[i] = streams[i].limit_bytes() == 0 ? 0 : random() % streams[i].limit_bytes();
    }
    std::vector<ShapeStep> steps;
    while (left[0] + left[1] > 0) {
        const std::size_t chosen = left[0] == 0 ? 1 : left[1] == 0 ? 0 : random() % 2;
        const int channel = static_cast<int>(chosen) + 1;
        steps.push_back({ShapeStep::Kind::write, channel, streams[chosen].piece()});
        left[chosen] -= std::min(left[chosen], steps.back().bytes.size());
        // Some close a stream and go on with the other; long after some quiet is a line taken for a prompt.
        if (left[chosen] == 0 && random() % 4 == 0) {
            steps.push_back({ShapeStep::Kind::close, channel, {}});
        } else if (random() % 30 == 0) {
            steps.push_back({ShapeStep::Kind::pause, channel, {}, random() % 20 == 0 ? 300 : 3});
        }
    }
    return steps;
}

std::string shape_bytes(const std::vector<ShapeStep>& steps, int channel)
{
    std::string all;
    for (const ShapeStep& step : steps) {
        if (channel == 0 || step.channel == channel) {
            all += step.bytes;
        }
    }
    return all;
}

bool is_letter_of(char byte, int rank, int channel)
{
    const int letter = static_cast<unsigned char>(byte) - first_letter(rank, channel);
    return letter >= 0 && letter < kLetters;
}

std::string only_letters(std::string_view text)
{
    std::string letters;
    std::ranges::copy_if(text, std::back_inserter(letters),
                         [](char byte) { return static_cast<unsigned char>(byte) >= kFirstLetter; });
    return letters;
}

}  // namespace tutti::test
