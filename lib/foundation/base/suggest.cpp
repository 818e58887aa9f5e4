#include "lib/foundation/base/suggest.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace tutti::base {
namespace {

std::string lower_case(std::string_view word)
{
    std::string result(word);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return result;
}

/// Dashes make different words look alike, so they do not count as letters.
std::string_view without_dashes(std::string_view word)
{
    return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b)
{
    // A row for each beginning of `a`, a column for each one of `b`. Words are short, so all are kept.
    const std::size_t columns = b.size() + 1;
    std::vector<std::size_t> cells((a.size() + 1) * columns);
    const auto cell = [&](std::size_t i, std::size_t j) -> std::size_t& { return cells[i * columns + j]; };

    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                cell(i, j) = i + j;
                continue;
            }
            const std::size_t replaced = cell(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
            cell(i, j) = std::min({cell(i - 1, j) + 1, cell(i, j - 1) + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cell(i, j) = std::min(cell(i, j), cell(i - 2, j - 2) + 1);
        }
    }
    return cells.back();
}

std::string_view closest(std::string_view word, std::span<const std::string_view> candidates)
{
    constexpr std::size_t kShortestBeginning = 3;
    const std::string wanted = lower_case(word);
    const std::size_t letters = without_dashes(wanted).size();
    const std::size_t limit = std::max<std::size_t>(1, wanted.size() / 3);

    std::string_view best;
    // The case of letters decides only between candidates that are otherwise equally near.
    auto best_distance = std::pair(std::numeric_limits<std::size_t>::max(), std::size_t{0});
    for (const std::string_view candidate : candidates) {
        const std::string known = lower_case(candidate);
        const bool beginning = letters >= kShortestBeginning && known.starts_with(wanted);
        const std::size_t distance = beginning ? 1 : edit_distance(wanted, known);
        // With as many edits as letters nothing of the word is left, so the similarity means nothing.
        const auto ranked = std::pair(distance, edit_distance(word, candidate));
        if (distance <= limit && distance < letters && ranked < best_distance) {
            best = candidate;
            best_distance = ranked;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates)
{
    const std::string_view meant = closest(word, candidates);
    return meant.empty() ? std::string{} : fmt::format("; did you mean '{}'?", meant);
}

}  // namespace tutti::base
