#include "lib/foundation/settings/configuration.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "lib/foundation/base/suggest.hpp"
#include "lib/foundation/settings/configuration_files.hpp"
#include "lib/foundation/settings/known_settings.hpp"

namespace tutti::settings {

namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text)
{
    const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
    text.remove_prefix(begin);
    return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

/// A '#' begins a comment at the beginning of a line, or behind a blank.
std::string_view without_comment(std::string_view line)
{
    for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1))
        if (at == 0 || kBlanks.find(line[at - 1]) != std::string_view::npos)
            return line.substr(0, at);
    return line;
}

std::string shortened(std::string_view line)
{
    constexpr std::size_t kMost = 60;
    return line.size() <= kMost ? std::string(line) : std::string(line.substr(0, kMost)) + "...";
}

class Parser {
public:
    explicit Parser(const std::string& path) : path_(path) {}

    void read(std::string_view line)
    {
        ++number_;
        if (std::ranges::any_of(line, [](unsigned char c) { return c < ' ' && c != '\t' && c != '\r'; }))
            fail("the line has bytes that are no text; is this another kind of file?");
        line = trimmed(without_comment(line));
        if (line.empty())
            return;
        const std::size_t equals = line.find('=');
        const std::string_view key = trimmed(line.substr(0, equals));
        if (equals == std::string_view::npos || key.empty())
            fail(fmt::format("'{}' is not understood; write 'key = value'{}", shortened(line),
                             find_setting(line) != nullptr ? fmt::format(", as in '{} = yes'", line) : ""));
        add(known(key), key, trimmed(line.substr(equals + 1)));
    }

    std::vector<Setting> take() { return std::move(settings_); }

private:
    [[noreturn]] void fail(const std::string& what) const
    {
        throw ConfigurationError(fmt::format("{}:{}: {}", path_, number_, what));
    }

    const KnownSetting& known(std::string_view key) const
    {
        const KnownSetting* const found = find_setting(key);
        if (found == nullptr) {
            std::vector<std::string_view> names;
            for (const KnownSetting& each : known_settings())
                for (const std::string_view name : {each.option, each.variable})
                    if (!name.empty() && each.refusal.empty())
                        names.push_back(name);
            const std::string question = base::did_you_mean(key, names);
            fail(fmt::format("unknown key '{}'{}{}tutti-info --config lists all", shortened(key), question,
                             question.empty() ? "; " : " "));
        }
        if (!found->refusal.empty())
            fail(fmt::format("'{}' cannot stand in a file: {}", key, found->refusal));
        return *found;
    }

    void add(const KnownSetting& known, std::string_view key, std::string_view value)
    {
        if (value.starts_with('"') || value.starts_with('\''))
            fail(fmt::format("{}: write the value without quotes", key));
        const bool is_variable = known.option == "genv";
        if (is_variable && (value.find('=') == std::string_view::npos || value.starts_with('=')))
            fail(fmt::format("{}: '{}' is not understood; write 'genv = NAME=VALUE'", key, value));
        const std::string_view what = is_variable ? value.substr(0, value.find('=')) : std::string_view();
        for (const Setting& before : settings_) {
            const bool same_variable = !is_variable || before.value.substr(0, before.value.find('=')) == what;
            if (before.name == known.name() && same_variable)
                fail(fmt::format("'{}' is given twice, first in line {}; keep one",
                                 is_variable ? fmt::format("{} = {}", key, what) : std::string(key),
                                 before.origin.substr(path_.size() + 1)));
        }
        settings_.push_back(
            {std::string(known.name()), std::string(value), fmt::format("{}:{}", path_, number_)});
    }

    const std::string& path_;
    int number_ = 0;
    std::vector<Setting> settings_;
};

}  // namespace

std::vector<Setting> parse_configuration(std::string_view text, const std::string& path)
{
    Parser parser(path);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        parser.read(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parser.take();
}

std::vector<ConfigurationFile> read_configuration()
{
    std::vector<ConfigurationFile> files;
    for (const NamedFile& file : configuration_files()) {
        const std::optional<std::string> text = contents(file);
        files.push_back({file.path, text.has_value(),
                         text ? parse_configuration(*text, file.path) : std::vector<Setting>()});
    }
    return files;
}

const Setting* find_last(const std::vector<ConfigurationFile>& files, std::string_view name)
{
    for (auto file = files.rbegin(); file != files.rend(); ++file)
        if (const auto found = std::ranges::find(file->settings, name, &Setting::name);
            found != file->settings.end())
            return found->value.empty() ? nullptr : &*found;
    return nullptr;
}

}  // namespace tutti::settings
