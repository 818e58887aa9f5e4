#include "launcher/base/host_names.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace tutti::launcher {
namespace {

constexpr std::size_t kMostPieces = 12;
/// Of a number that a list may have.
constexpr std::size_t kMostDigits = 18;

/// What names around a number have in common.
using Around = std::pair<std::string, std::string>;

/// One number of a name.
struct Spot {
    Around around;
    std::string digits;
};

bool is_digit(char letter)
{
    return std::isdigit(static_cast<unsigned char>(letter)) != 0;
}

/// The numbers of a name that may be folded, the last one first.
std::vector<Spot> spots_of(const std::string& name)
{
    std::vector<Spot> spots;
    if (name.find(':') != std::string::npos)
        return spots;
    const std::size_t at = name.rfind('@');
    std::size_t begin = at == std::string::npos ? 0 : at + 1;
    while (begin < name.size()) {
        if (!is_digit(name[begin])) {
            ++begin;
            continue;
        }
        std::size_t end = begin;
        while (end < name.size() && is_digit(name[end]))
            ++end;
        if (end - begin <= kMostDigits)
            spots.push_back({{name.substr(0, begin), name.substr(end)}, name.substr(begin, end - begin)});
        begin = end;
    }
    std::ranges::reverse(spots);
    return spots;
}

/// Names that differ in one number, or one that stays as it is.
struct Family {
    Around around;
    std::vector<std::string> digits;
};

std::vector<Family> families_of(std::span<const std::string> names)
{
    std::vector<std::string> once;
    std::set<std::string_view> taken;
    std::map<Around, std::size_t> sizes;
    for (const std::string& name : names) {
        if (!taken.insert(name).second)
            continue;
        once.push_back(name);
        for (const Spot& spot : spots_of(name))
            ++sizes[spot.around];
    }
    std::vector<Family> families;
    std::map<Around, std::size_t> places;
    for (const std::string& name : once) {
        std::vector<Spot> spots = spots_of(name);
        const auto best = std::ranges::max_element(
            spots, {}, [&](const Spot& spot) { return sizes.at(spot.around); });  // the first of the largest
        if (best == spots.end() || sizes.at(best->around) == 1) {
            families.push_back({{name, ""}, {}});
            continue;
        }
        const auto [place, is_new] = places.try_emplace(best->around, families.size());
        if (is_new)
            families.push_back({best->around, {}});
        families[place->second].digits.push_back(std::move(best->digits));
    }
    return families;
}

/// "01-03" of so many.
struct Piece {
    std::string text;
    std::size_t count = 1;
};

/// A list expands a range with the width of its first number: "08-10" is 08, 09, 10.
bool follows(const std::string& first, std::uint64_t number, const std::string& digits)
{
    return digits == fmt::format("{:0{}}", number, first.size());
}

std::vector<Piece> pieces_of(const Family& family)
{
    std::vector<std::pair<std::uint64_t, std::string>> numbers;
    for (const std::string& digits : family.digits) {
        std::uint64_t number = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
        numbers.emplace_back(number, digits);
    }
    // Of one width first, since those make ranges: 08, 09, 10 and not 08, 8, 09, 9.
    std::ranges::sort(numbers, {}, [](const auto& entry) {
        const bool padded = entry.second.size() > 1 && entry.second.front() == '0';
        return std::tuple(padded ? entry.second.size() : std::numeric_limits<std::size_t>::max(),
                          entry.first);
    });
    std::vector<Piece> pieces;
    for (std::size_t begin = 0; begin < numbers.size();) {
        const auto& [number, first] = numbers[begin];
        std::size_t end = begin + 1;
        while (end < numbers.size() && follows(first, number + (end - begin), numbers[end].second))
            ++end;
        const std::string& last = numbers[end - 1].second;
        pieces.push_back({end - begin == 1 ? first : fmt::format("{}-{}", first, last), end - begin});
        begin = end;
    }
    return pieces;
}

std::string listed(std::span<const std::string> names, std::string_view separator, std::size_t most_pieces)
{
    std::string text;
    std::size_t shown = 0;
    std::size_t hidden = 0;
    for (const Family& family : families_of(names)) {
        const std::vector<Piece> pieces = pieces_of(family);
        const auto& [before, behind] = family.around;
        if (shown == most_pieces) {
            hidden += std::max<std::size_t>(1, family.digits.size());
            continue;
        }
        text += fmt::format("{}{}", text.empty() ? "" : separator, before);
        if (pieces.empty())
            ++shown;
        std::string inside;
        for (const Piece& piece : pieces) {
            if (shown == most_pieces) {
                hidden += piece.count;
                continue;
            }
            inside += (inside.empty() ? "" : ",") + piece.text;
            ++shown;
        }
        const bool one = pieces.empty() || family.digits.size() == 1;
        text += (one ? inside : "[" + inside + "]") + behind;
    }
    return hidden == 0 ? text : fmt::format("{} and {} more", text, hidden);
}

}  // namespace

std::string hosts_in_words(std::span<const std::string> names)
{
    return listed(names, ", ", kMostPieces);
}

std::string folded_hosts(std::span<const std::string> names)
{
    return listed(names, ",", std::numeric_limits<std::size_t>::max());
}

}  // namespace tutti::launcher
