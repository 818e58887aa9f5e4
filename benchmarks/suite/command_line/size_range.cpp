#include "benchmarks/suite/command_line/size_range.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

namespace tutti::bench {

namespace {

constexpr std::string_view kUnits = "KMG";

// The whole text is a number of bytes, or of a unit: '1x' and '-1' are mistakes. `whole` is for the message.
std::size_t parse_size(std::string_view text, std::string_view whole)
{
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
    const std::size_t unit = rest.size() == 1 ? kUnits.find(static_cast<char>(rest[0] & ~0x20)) : kUnits.npos;
    const int shift = unit == kUnits.npos ? 0 : 10 * static_cast<int>(unit + 1);
    const bool fits = value <= std::numeric_limits<std::size_t>::max() >> shift;
    if (error != std::errc{} || !fits || (!rest.empty() && unit == kUnits.npos))
        throw CLI::ValidationError(
            "-m", fmt::format("'{}' is not MIN:MAX or MAX in bytes: write for example -m 1:4M", whole));
    return value << shift;
}

}  // namespace

std::string short_size(double bytes)
{
    std::size_t unit = 0;
    for (; unit < kUnits.size() && bytes >= 1024 && std::fmod(bytes, 1024) == 0; ++unit)
        bytes /= 1024;
    return unit == 0 ? fmt::format("{}", bytes) : fmt::format("{}{}", bytes, kUnits[unit - 1]);
}

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
