#include "collectives/choice/parse_bytes.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>

namespace tutti::collectives {

std::optional<std::uint64_t> parse_bytes(std::string_view text) noexcept
{
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc())
        return std::nullopt;
    std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    unsigned shift = 0;
    if (!unit.empty() && unit != "B") {
        constexpr std::string_view kLetters = "KMG";
        const std::size_t place = kLetters.find(unit.front());
        unit.remove_prefix(1);
        if (place == std::string_view::npos || !(unit.empty() || unit == "iB"))
            return std::nullopt;
        shift = 10 * (static_cast<unsigned>(place) + 1);
    }
    if (number > std::numeric_limits<std::uint64_t>::max() >> shift)
        return std::nullopt;
    return number << shift;
}

std::string in_bytes(std::size_t size_bytes)
{
    constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB"};
    std::size_t unit = 0;
    while (size_bytes != 0 && size_bytes % 1024 == 0 && unit + 1 < std::size(kUnits)) {
        size_bytes /= 1024;
        ++unit;
    }
    return fmt::format("{} {}", size_bytes, kUnits[unit]);
}

}  // namespace tutti::collectives
