#include "launcher/base/option_words.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "launcher/base/option_values.hpp"
#include "lib/foundation/base/suggest.hpp"

namespace tutti::launcher {
namespace {

constexpr std::string_view kSeparator = ":";

/// A single '-' is no option: for programs it means the standard input.
bool is_option(std::string_view word)
{
    return word.size() > 1 && word.front() == '-';
}

/// What Tutti has in place of another launcher's option, with one dash or two; empty for unknown options.
std::string_view instead_of(std::string_view option)
{
    constexpr std::string_view kNoEnvironment =
        "ranks inherit all variables; start 'env -i NAME=VALUE... PROGRAM' to have only some";
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kInstead = {
        {{"envnone", kNoEnvironment},
         {"genvnone", kNoEnvironment},
         {"nolocal", "name the hosts to use by --host"}}};
    option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
    const auto* const known =
        std::ranges::find(kInstead, option, &std::pair<std::string_view, std::string_view>::first);
    return known == kInstead.end() ? std::string_view{} : known->second;
}

[[noreturn]] void reject_unknown(std::string_view word, const Dictionary& dictionary)
{
    if (const std::string_view instead = instead_of(word); !instead.empty())
        throw UsageError(fmt::format("unknown option '{}'; {}", word, instead));
    std::vector<std::string_view> spellings;
    for (const auto& entry : dictionary)
        spellings.emplace_back(entry.first);
    throw UsageError(fmt::format("unknown option '{}'{}", word, base::did_you_mean(word, spellings)));
}

/// Reads the options of one section; words are taken from the front of `rest`.
class SectionReader {
public:
    SectionReader(std::span<const std::string> rest, const Dictionary& dictionary)
        : rest_(rest), dictionary_(dictionary)
    {
    }

    Section read()
    {
        while (!rest_.empty() && is_option(rest_.front())) {
            const std::string word = take();
            if (word == "--")
                break;
            read_option(word);
        }
        section_.program.assign(rest_.begin(), rest_.end());
        return std::move(section_);
    }

private:
    std::string take()
    {
        std::string word = rest_.front();
        rest_ = rest_.subspan(1);
        return word;
    }

    /// The option in "-n2", "-np4": one whose value is a number, with nothing between the two.
    Dictionary::const_iterator number_behind(std::string_view word) const
    {
        const std::size_t digits = word.find_last_not_of("0123456789") + 1;
        const auto known =
            word.starts_with("--") ? dictionary_.end() : dictionary_.find(word.substr(0, digits));
        return digits < word.size() && known != dictionary_.end() && known->second.is_number
                   ? known
                   : dictionary_.end();
    }

    /// Takes the values of the option in `word`, which may hold its value: "--np=4".
    void read_option(const std::string& word)
    {
        std::string spelling = word;
        std::optional<std::string> attached;
        if (const std::size_t equals = word.find('='); equals != std::string::npos) {
            spelling = word.substr(0, equals);
            attached = word.substr(equals + 1);
        }
        auto known = dictionary_.find(spelling);
        if (known == dictionary_.end() && !attached)
            if (known = number_behind(spelling); known != dictionary_.end()) {
                attached = spelling.substr(known->first.size());
                spelling = known->first;
            }
        if (known == dictionary_.end())
            reject_unknown(spelling, dictionary_);
        const KnownOption& option = known->second;
        GivenOption& given = section_.options.emplace_back(GivenOption{option.canonical, spelling, {}});
        if (!option.implied.empty())
            given.values.push_back(option.implied);
        if (attached) {
            if (option.values != 1 && !option.attachable) {
                throw UsageError(option.values == 0
                                     ? fmt::format("option '{}' takes no value", spelling)
                                     : fmt::format("option '{}' takes {} words after it, not '='", spelling,
                                                   option.values));
            }
            given.values.push_back(*attached);
            return;
        }
        while (static_cast<int>(given.values.size()) < option.values) {
            std::string value = take_value(spelling, option);
            const std::size_t equals = value.find('=');
            if (option.values == 2 && given.values.empty() && equals != std::string::npos) {
                given.values = {value.substr(0, equals), value.substr(equals + 1)};
            } else
                given.values.push_back(std::move(value));
        }
    }

    /// The next word, unless it is an option.
    std::string take_value(const std::string& spelling, const KnownOption& option)
    {
        const std::string needs =
            option.values == 1 ? "needs a value" : fmt::format("needs {} values", option.values);
        if (rest_.empty())
            throw UsageError(fmt::format("option '{}' {}, but the command line ends there", spelling, needs));
        // Without this check "-x -n 4 ./a" sets a variable "-n" and starts a program "4".
        if (dictionary_.contains(rest_.front()) || rest_.front() == "--") {
            throw UsageError(
                fmt::format("option '{}' {}, but '{}' follows it", spelling, needs, rest_.front()));
        }
        return take();
    }

    std::span<const std::string> rest_;
    const Dictionary& dictionary_;
    Section section_;
};

}  // namespace

std::vector<Section> split_words(std::span<const std::string> words, const Dictionary& dictionary)
{
    std::vector<Section> sections;
    auto begin = words.begin();
    while (true) {
        const auto end = std::find(begin, words.end(), kSeparator);
        sections.push_back(SectionReader({begin, end}, dictionary).read());
        if (end == words.end())
            return sections;
        begin = end + 1;
    }
}

}  // namespace tutti::launcher
