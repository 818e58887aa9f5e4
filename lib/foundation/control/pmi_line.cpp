#include "lib/foundation/control/pmi_line.hpp"

#include <algorithm>
#include <charconv>

namespace tutti::control {

std::optional<PmiLine> PmiLine::parse(std::string_view line)
{
    constexpr std::string_view kCommand = "cmd";
    PmiLine parsed{std::string()};
    while (!line.empty()) {
        const std::string_view word = line.substr(0, line.find(' '));
        line.remove_prefix(std::min(word.size() + 1, line.size()));
        if (word.empty())
            continue;
        const std::size_t equals = word.find('=');
        if (equals == word.npos || equals == 0)
            return std::nullopt;
        const std::string_view name = word.substr(0, equals);
        if (parsed.fields_.contains(name))
            return std::nullopt;
        parsed.with(name, word.substr(equals + 1));
    }
    parsed.command_ = parsed.field(kCommand);
    return parsed.command_.empty() ? std::nullopt : std::optional(std::move(parsed));
}

std::string_view PmiLine::field(std::string_view name) const
{
    const auto found = fields_.find(name);
    return found != fields_.end() ? std::string_view(found->second) : std::string_view();
}

std::optional<int> PmiLine::number(std::string_view name) const
{
    const std::string_view text = field(name);
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = error == std::errc{} && end == text.data() + text.size();
    return is_whole ? std::optional(value) : std::nullopt;
}

PmiLine& PmiLine::with(std::string_view name, std::string_view value)
{
    fields_.emplace(name, value);
    words_.append(" ").append(name).append("=").append(value);
    return *this;
}

std::string PmiLine::text() const
{
    return "cmd=" + command_ + words_ + '\n';
}

bool is_pmi_word(std::string_view value)
{
    return !value.empty() && std::ranges::all_of(value, [](unsigned char c) { return c > ' ' && c != 127; });
}

}  // namespace tutti::control
