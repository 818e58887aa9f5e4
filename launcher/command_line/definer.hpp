// Builds the list of options.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/base/option_values.hpp"
#include "launcher/command_line/grammar.hpp"

namespace tutti::launcher {

/// Options are named as in files; their spellings and help are settings::known_settings()'. `store` and
/// `parse` get the option as the user wrote it, and its value.
class Definer {
public:
    using Store = std::function<void(const std::string& option, const std::string& value)>;
    using Values = std::span<const std::string>;

    explicit Definer(CommandLine& line) : line_(line) {}

    std::vector<OptionDefinition> take() { return std::move(options_); }

    /// The heading of the help for all options that follow.
    void group(const std::string& name) { group_ = name; }

    /// One that is no setting: `names` are "-n,--np".
    void add(const std::string& names, int values, const std::string& placeholder, const std::string& help,
             decltype(OptionDefinition::store) store)
    {
        options_.push_back({parse_list("", names), values, placeholder, help, group_, std::move(store)});
    }

    /// An option with `values` words after it, which may be given many times.
    void repeated(std::string_view name, int values, decltype(OptionDefinition::store) store)
    {
        const settings::KnownSetting& known = *settings::find_setting(name);
        add(std::string(known.spellings), values, std::string(known.value), std::string(known.help),
            std::move(store));
        options_.back().setting = &known;
    }

    /// An option with one value. It may be given again with the same value.
    void single(std::string_view name, Store store) { single_in(line_.job_values, name, std::move(store)); }
    /// An option with one value, which may be given once in `given`.
    void single_in(GivenValues& given, std::string_view name, Store store)
    {
        repeated(name, 1,
                 [&given, what = first_of(name), store = std::move(store)](const std::string& option,
                                                                           Values values) {
                     if (first_time(given, what, "option " + option, values.front()))
                         store(option, values.front());
                 });
    }

    /// An option whose value is a number, which may follow at once, as in "-n2".
    void number_in(GivenValues& given, std::string_view name, Store store)
    {
        single_in(given, name, std::move(store));
        options_.back().is_number = true;
    }

    /// An option with one value: `target` becomes what `parse` reads.
    template <class Target, class Parse>
    void value(std::string_view name, Target& target, Parse parse)
    {
        single(name, [&target, parse](const std::string& option, const std::string& text) {
            target = parse(option, text);
        });
    }

    /// An option whose value is one of `words`, of which the first stands for `first`.
    template <class Enum>
    void choice(std::string_view name, Enum& target, std::span<const std::string_view> words, Enum first)
    {
        value(name, target, [words, first](const std::string& option, const std::string& text) {
            return static_cast<Enum>(static_cast<std::size_t>(first) + parse_choice(option, text, words));
        });
    }

    /// An option without a word after it, whose value, if it has one, stands behind '='. Else it is "".
    void attachable(std::string_view name, Store store)
    {
        repeated(name, 0, [store = std::move(store)](const std::string& option, Values values) {
            store(option, values.empty() ? "" : values.front());
        });
        OptionDefinition& defined = options_.back();
        if (!defined.placeholder.empty())
            defined.placeholder = "[=" + defined.placeholder + "]";
        defined.attachable = true;
    }

    /// An option without a value; giving it again changes nothing. "=no" behind it undoes what a file of
    /// configuration says.
    void flag(std::string_view name, bool& target)
    {
        attachable(name, [&given = line_.job_values, &target, what = first_of(name)](
                             const std::string& option, const std::string& value) {
            static constexpr std::array<std::string_view, 2> kWords = {"no", "yes"};
            const bool on = value.empty() || parse_choice(option, value, kWords) == 1;
            if (first_time(given, what, "option " + option, on ? "yes" : "no"))
                target = on;
        });
    }

private:
    static std::string first_of(std::string_view name)
    {
        const std::string_view spellings = settings::find_setting(name)->spellings;
        return std::string(spellings.substr(0, spellings.find(',')));
    }

    CommandLine& line_;
    std::string group_;
    std::vector<OptionDefinition> options_;
};

}  // namespace tutti::launcher
