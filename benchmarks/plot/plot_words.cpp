#include "benchmarks/plot/plot_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>

namespace tutti::bench {

std::string size_text(double bytes)
{
    constexpr std::array kUnits = {"", " KiB", " MiB", " GiB", " TiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit)
        bytes /= 1024;
    return fmt::format("{:.4g}{}", bytes, kUnits[unit]);
}

std::string number_text(double value)
{
    const double size = std::abs(value);
    if (size >= 100 || size == 0)
        return fmt::format("{:.0f}", value);
    if (size < 1e-4)
        return fmt::format("{:.2e}", value);
    return fmt::format("{:.{}f}", value, 2 - static_cast<int>(std::floor(std::log10(size))));
}

std::string unit_text(std::string_view unit)
{
    return unit == "us" ? "\u00b5s" : std::string(unit);
}

bool keys_are_sizes(const record::Quantity& quantity)
{
    return quantity.key.find("Size") != std::string::npos || quantity.key.find("size") != std::string::npos;
}

std::string key_text(const record::Quantity& quantity, std::optional<double> key)
{
    if (!key)
        return "";
    return keys_are_sizes(quantity) ? size_text(*key) : fmt::format("{:.10g}", *key);
}

std::string job_text(int ranks, int hosts, std::string_view binding)
{
    return fmt::format("{} rank{}{}{}", ranks, ranks == 1 ? "" : "s",
                       hosts > 1 ? fmt::format(" on {} hosts", hosts) : "",
                       binding == "core" ? ", bound to cores" : "");
}

std::string joined(const std::vector<std::string>& words, std::string_view between)
{
    return fmt::format("{}", fmt::join(words, between));
}

}  // namespace tutti::bench
