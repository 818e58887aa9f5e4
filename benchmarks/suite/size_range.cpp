#include "benchmarks/suite/size_range.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <string_view>

namespace tutti::bench {

namespace {

// The whole text is a number of bytes: '1k' and '-1' are mistakes. `whole` is for the message.
std::size_t parse_size(std::string_view text, std::string_view whole)
{
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        throw CLI::ValidationError(
            "-m", fmt::format("'{}' is not MIN:MAX or MAX in bytes: write for example -m 1:4194304", whole));
    return value;
}

}  // namespace

SizeRange parse_range(const std::string& text)
{
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos)
        return {std::nullopt, parse_size(text, text)};
    SizeRange range{parse_size(std::string_view(text).substr(0, colon), text), std::nullopt};
    if (colon + 1 < text.size())
        range.max = parse_size(std::string_view(text).substr(colon + 1), text);
    if (range.max && *range.min > *range.max)
        throw CLI::ValidationError(
            "-m", fmt::format("the smallest size {} is above the largest {}", *range.min, *range.max));
    return range;
}

}  // namespace tutti::bench
