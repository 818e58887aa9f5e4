#include "benchmarks/record/foreign_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>
#include <sstream>
#include <stdexcept>

namespace tutti::bench::record {

namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kOsuTitle = "# OSU ";
constexpr std::string_view kImbTitle = "# Benchmarking ";
constexpr std::string_view kImbRanks = "# #processes = ";

// Separated by so many spaces or more: names of OSU's columns have one space inside.
Words split(std::string_view line, std::size_t spaces)
{
    Words words;
    std::size_t at = line.find_first_not_of(" \t\r");
    while (at < line.size()) {
        std::size_t end = at;
        while ((end = std::min(line.find_first_of(" \t\r", end), line.size())) < line.size() &&
               line.find_first_not_of(" \t\r", end) < end + spaces)
            ++end;
        words.emplace_back(line.substr(at, end - at));
        at = line.find_first_not_of(" \t\r", end);
    }
    return words;
}

std::optional<double> number(std::string_view word)
{
    double value = 0.0;
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc{} && rest == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

// "us" of "Avg Latency(us)" and of "t_avg[usec]"; "MB/s" of "Mbytes/sec"; all else as it is.
std::string unit_of(const std::string& column)
{
    if (column.ends_with("[usec]"))
        return "us";
    if (column == "Mbytes/sec")
        return "MB/s";
    const std::size_t open = column.find('(');
    return open == std::string::npos ? column : column.substr(open + 1, column.find(')') - open - 1);
}

class Reader {
public:
    explicit Reader(const std::string& file) : file_(file) {}

    void line(std::string_view text)
    {
        if (text.starts_with(kOsuTitle))
            begin(osu_title(text), "OSU");
        else if (text.starts_with(kImbTitle))
            begin(fmt::format("{}", fmt::join(split(text.substr(kImbTitle.size()), 1), " ")), "IMB");
        else if (runs_.empty())
            return;
        else if (text.starts_with(kImbRanks))
            run().quantity.ranks =
                static_cast<int>(number(split(text.substr(kImbRanks.size()), 1).at(0)).value_or(0));
        else if (columns_.empty())
            header(text);
        else
            row(split(text, 1));
    }

    std::vector<Run> runs() &&
    {
        std::erase_if(runs_, [](const Run& run) { return run.rows.empty(); });
        if (runs_.empty())
            throw std::runtime_error(fmt::format("{}: has titles of OSU's or IMB's, and no row", file_));
        return std::move(runs_);
    }

private:
    Run& run() { return runs_.back(); }

    // "Latency Test" of "# OSU MPI Latency Test v7.4".
    static std::string osu_title(std::string_view text)
    {
        Words words = split(text.substr(kOsuTitle.size()), 1);
        if (words.size() > 1 && words.front() == "MPI")
            words.erase(words.begin());
        const auto version = std::ranges::find_if(words, [](const std::string& word) {
            return word.size() > 1 && word[0] == 'v' && number(word.substr(1, 1));
        });
        words.erase(version, words.end());
        return fmt::format("{}", fmt::join(words, " "));
    }

    void begin(const std::string& title, const char* suite)
    {
        Run& next = runs_.emplace_back();
        next.file = file_;
        next.library = suite;
        next.quantity.benchmark = next.quantity.title = title;
        columns_.clear();
    }

    // OSU's begins with '#' and has names with spaces, IMB's has neither.
    void header(std::string_view text)
    {
        const bool of_osu = run().library == "OSU";
        if (of_osu && !text.starts_with("# "))
            return;
        Words names = of_osu ? split(text.substr(2), 2) : split(text, 1);
        const bool has_figures = std::ranges::any_of(names, [](const std::string& name) {
            return name.find("(us)") != name.npos || name.find("[usec]") != name.npos ||
                   name.find("/s") != name.npos;
        });
        if (!has_figures)
            return;
        columns_ = std::move(names);
        const bool has_key = columns_[0] == "Size" || columns_[0] == "#bytes";
        value_ = of_osu ? (has_key ? 1 : 0) : imb_value();
        if (value_ >= columns_.size())
            return columns_.clear();
        Quantity& quantity = run().quantity;
        quantity.key = has_key ? "Size" : "";
        quantity.value = columns_[value_];
        quantity.unit = unit_of(columns_[value_]);
        quantity.lower_is_better = quantity.unit.find("/s") == std::string::npos;
    }

    std::size_t imb_value() const
    {
        for (const char* const name : {"t_avg[usec]", "t[usec]", "t_ovrl[usec]", "Mbytes/sec"}) {
            const auto found = std::ranges::find(columns_, name);
            if (found != columns_.end())
                return static_cast<std::size_t>(found - columns_.begin());
        }
        return columns_.size();
    }

    void row(const Words& words)
    {
        const bool has_key = !run().quantity.key.empty();
        const auto is_number = [](const std::string& word) { return number(word).has_value(); };
        if (words.size() <= value_ || !std::ranges::all_of(std::span(words).first(value_ + 1), is_number))
            return;  // as "1024 out-of-mem.; needed X= 0.002 GB"
        RunRow row;
        if (has_key)
            row.key = number(words[0]);
        row.median = *number(words[value_]);
        row.interval = {row.median, row.median};
        if (std::ranges::find(words, "Fail") != words.end() || has_defects(words))
            row.valid = false;
        run().rows.push_back(std::move(row));
    }

    bool has_defects(const Words& words) const
    {
        const auto column = std::ranges::find(columns_, "defects");
        const auto at = static_cast<std::size_t>(column - columns_.begin());
        return at < words.size() && number(words[at]).value_or(0) > 0;
    }

    const std::string& file_;
    std::vector<Run> runs_;
    Words columns_;  // of the last run; empty before its header
    std::size_t value_ = 0;
};

}  // namespace

bool is_foreign_text(std::string_view text)
{
    for (const std::string_view title : {kOsuTitle, kImbTitle}) {
        const std::size_t at = text.find(title);
        if (at != text.npos && (at == 0 || text[at - 1] == '\n'))
            return true;
    }
    return false;
}

std::vector<Run> parse_foreign_text(std::string_view text, const std::string& file)
{
    Reader reader(file);
    std::istringstream stream{std::string(text)};
    for (std::string line; std::getline(stream, line);)
        reader.line(line);
    return std::move(reader).runs();
}

}  // namespace tutti::bench::record
