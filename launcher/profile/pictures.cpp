#include "launcher/profile/pictures.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lib/foundation/base/quantity.hpp"
#include "lib/foundation/observe/html_page.hpp"

namespace tutti::launcher {

namespace {

using Rank = Statistics::Rank;

constexpr int kWidth = 900;
constexpr int kLabelWidth = 290;
constexpr int kRankLabelWidth = 130;
constexpr int kMostBars = 64;
constexpr std::size_t kDrawnOperations = 14;
constexpr int kBarStep = 22;
constexpr int kBarHeight = 16;
constexpr int kAxisHeight = 34;
constexpr int kLegendHeight = 30;
constexpr int kMostCells = 48;

template <class... Values>
void draw(std::string& picture, fmt::format_string<Values...> format, Values&&... values)
{
    picture += fmt::format(format, std::forward<Values>(values)...);
}

void open_picture(std::string& picture, int width, int height, const char* title)
{
    draw(picture,
         "<svg class=\"picture\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n<title>{}</title>\n",
         width, height, title, title);
}

void draw_bar(std::string& picture, double x, int y, double width, const char* part, const std::string& tip)
{
    if (width > 0)
        draw(picture,
             "<rect class=\"{}\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" "
             "height=\"{}\"><title>{}</title></rect>\n",
             part, x, y, width, kBarHeight, observe::html_text(tip));
}

void draw_text(std::string& picture, double x, double y, const char* anchor, const std::string& text)
{
    draw(picture, "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
         observe::html_text(text));
}

void draw_legend(std::string& picture, int left,
                 std::initializer_list<std::pair<const char*, const char*>> parts)
{
    for (const auto& [part, name] : parts) {
        draw(picture, "<rect class=\"{}\" x=\"{}\" y=\"6\" width=\"14\" height=\"14\"/>\n", part, left);
        draw_text(picture, left + 20, 18, "start", name);
        left += 140;
    }
}

/// A round number of at least `least`: 1, 2 or 5 times a power of ten.
double round_up(double least)
{
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= least)
            return factor * power;
    return 10 * power;
}

/// Lines and times below the bars.
void draw_axis(std::string& picture, int left, int top, int bottom, double seconds)
{
    if (!(seconds > 0))
        return;
    const double step = round_up(seconds / 6);
    for (int i = 0; i * step <= seconds * 1.0001; ++i) {
        const double x = left + (kWidth - left - 20) * i * step / seconds;
        draw(picture, "<path class=\"grid\" d=\"M{0:.1f} {1}V{2}\"/>\n", x, top, bottom);
        draw_text(picture, x, bottom + 18, "middle", i == 0 ? "0" : short_time(i * step));
    }
}

/// Some ranks, one after the other, that share a bar: their means.
struct Bar {
    std::string name;
    double computing = 0;
    double moving = 0;
    double waiting = 0;
};

std::vector<Bar> bars_of(const std::vector<Rank>& ranks)
{
    const std::size_t together = (ranks.size() + kMostBars - 1) / kMostBars;
    std::vector<Bar> bars;
    for (std::size_t first = 0; first < ranks.size(); first += together) {
        const std::size_t last = std::min(first + together, ranks.size()) - 1;
        Bar& bar = bars.emplace_back();
        bar.name = first == last ? fmt::format("rank {}", ranks[first].rank)
                                 : fmt::format("ranks {}-{}", ranks[first].rank, ranks[last].rank);
        const auto count = static_cast<double>(last - first + 1);
        for (std::size_t i = first; i <= last; ++i) {
            bar.computing += ranks[i].computing / count;
            bar.moving += ranks[i].moving() / count;
            bar.waiting += ranks[i].waiting / count;
        }
    }
    return bars;
}

/// Bytes between groups of ranks.
struct Matrix {
    int together = 1;  // ranks a row
    int rows = 0;
    std::vector<double> bytes;
    std::vector<double> messages;
    double most = 0;

    explicit Matrix(const Statistics& statistics)
    {
        together = std::max(1, (statistics.job_ranks + kMostCells - 1) / kMostCells);
        rows = (statistics.job_ranks + together - 1) / together;
        bytes.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(rows));
        messages = bytes;
        for (const Statistics::Pair& pair : statistics.pairs) {
            if (pair.to < 0)
                continue;
            const std::size_t cell = index(pair.from / together, pair.to / together);
            bytes[cell] += static_cast<double>(pair.all_bytes());
            messages[cell] += static_cast<double>(pair.all_messages());
            most = std::max(most, bytes[cell]);
        }
    }
    std::size_t index(int from, int to) const
    {
        return static_cast<std::size_t>(from) * static_cast<std::size_t>(rows) + static_cast<std::size_t>(to);
    }
    std::string name(int row, int job_ranks) const
    {
        const int last = std::min((row + 1) * together, job_ranks) - 1;
        return row * together == last ? std::to_string(last) : fmt::format("{}-{}", row * together, last);
    }
};

}  // namespace

std::string picture_of_ranks(const Statistics& statistics)
{
    const std::vector<Bar> bars = bars_of(statistics.ranks);
    double longest = 0;
    for (const Rank& rank : statistics.ranks)
        longest = std::max(longest, rank.seconds);
    const int bottom = kLegendHeight + static_cast<int>(bars.size()) * kBarStep;
    std::string picture;
    open_picture(picture, kWidth, bottom + kAxisHeight, "What each rank has done");
    draw_legend(picture, kRankLabelWidth,
                {{"computing", "computing"}, {"moving", "moving data"}, {"waiting", "waiting"}});
    draw_axis(picture, kRankLabelWidth, kLegendHeight, bottom, longest);
    const double scale = longest > 0 ? (kWidth - kRankLabelWidth - 20) / longest : 0;
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const Bar& bar = bars[i];
        const int y = kLegendHeight + static_cast<int>(i) * kBarStep + (kBarStep - kBarHeight) / 2;
        draw_text(picture, kRankLabelWidth - 8, y + 13, "end", bar.name);
        double x = kRankLabelWidth;
        for (const auto& [part, seconds] :
             {std::pair("computing", bar.computing), std::pair("moving", bar.moving),
              std::pair("waiting", bar.waiting)}) {
            draw_bar(picture, x, y, seconds * scale, part,
                     fmt::format("{}: {} {}", bar.name, short_time(seconds), part));
            x += seconds * scale;
        }
    }
    return picture + "</svg>\n";
}

std::string picture_of_operations(const Statistics& statistics)
{
    const std::size_t count = std::min(kDrawnOperations, statistics.operations.size());
    const int bottom = kLegendHeight + static_cast<int>(count) * kBarStep;
    const double longest = count == 0 ? 0 : statistics.operations.front().seconds;
    std::string picture;
    open_picture(picture, kWidth, bottom + kAxisHeight, "Time by operation, of all ranks together");
    draw_legend(picture, kLabelWidth, {{"moving", "in the call"}, {"waiting", "of it waiting"}});
    draw_axis(picture, kLabelWidth, kLegendHeight, bottom, longest);
    const double scale = longest > 0 ? (kWidth - kLabelWidth - 20) / longest : 0;
    for (std::size_t i = 0; i < count; ++i) {
        const Statistics::Operation& operation = statistics.operations[i];
        const int y = kLegendHeight + static_cast<int>(i) * kBarStep + (kBarStep - kBarHeight) / 2;
        const std::string name =
            operation.size_class == 0
                ? operation.name
                : fmt::format("{}, {}", operation.name, size_class_in_words(operation.size_class));
        draw_text(picture, kLabelWidth - 8, y + 13, "end", name);
        const double working = std::max(0.0, operation.seconds - operation.waiting);
        draw_bar(picture, kLabelWidth, y, working * scale, "moving",
                 fmt::format("{}: {} not waiting", name, short_time(working)));
        draw_bar(picture, kLabelWidth + working * scale, y, operation.waiting * scale, "waiting",
                 fmt::format("{}: {} waiting", name, short_time(operation.waiting)));
    }
    return picture + "</svg>\n";
}

std::string picture_of_messages(const Statistics& statistics)
{
    constexpr int kSide = 560;
    constexpr int kLeft = 90;
    constexpr int kTop = 50;
    constexpr int kRoom = 14;  // for a number
    const Matrix matrix(statistics);
    const double side = static_cast<double>(kSide) / std::max(matrix.rows, 1);
    const int names_step =
        std::max(1, static_cast<int>(std::ceil((matrix.together > 1 ? 3 : 1) * kRoom / side)));
    std::string picture;
    open_picture(picture, kLeft + kSide + 30, kTop + kSide + 20, "Who sends how much to whom");
    draw_text(picture, kLeft + kSide / 2, 16, "middle", "to rank");
    draw(picture,
         "<text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">from rank</text>\n",
         kTop + kSide / 2);
    for (int row = 0; row < matrix.rows; ++row) {
        if (row % names_step == 0) {
            draw_text(picture, kLeft - 8, kTop + (row + 0.5) * side + 5, "end",
                      matrix.name(row, statistics.job_ranks));
            draw_text(picture, kLeft + (row + 0.5) * side, kTop - 8, "middle",
                      matrix.name(row, statistics.job_ranks));
        }
        for (int column = 0; column < matrix.rows; ++column) {
            const std::size_t cell = matrix.index(row, column);
            if (!(matrix.messages[cell] > 0))
                continue;
            // Logarithms, so that small amounts are visible beside large ones.
            const double dark =
                matrix.most > 0 ? std::log2(matrix.bytes[cell] + 1) / std::log2(matrix.most + 1) : 1;
            draw(picture,
                 "<rect class=\"cell\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                 "fill-opacity=\"{:.2f}\"><title>{} to {}: {}, {:.0f} messages</title></rect>\n",
                 kLeft + column * side, kTop + row * side, side, side, 0.08 + 0.92 * dark,
                 matrix.name(row, statistics.job_ranks), matrix.name(column, statistics.job_ranks),
                 base::bytes_in_words(static_cast<std::uint64_t>(matrix.bytes[cell])), matrix.messages[cell]);
        }
    }
    draw(picture, "<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", kLeft, kTop,
         kSide, kSide);
    return picture + "</svg>\n";
}

std::string_view style_of_pictures()
{
    return R"(
.picture text { fill: var(--text); font: 13px system-ui, sans-serif; }
.picture .grid { stroke: var(--line); fill: none; }
.picture .frame { stroke: var(--line); fill: none; }
.picture .cell, .picture .moving { fill: var(--curve0); }
.picture .computing { fill: var(--curve2); }
.picture .waiting { fill: var(--curve1); }
th, td { padding: .3rem .5rem; }
.box > .matrix > .picture { display: block; width: 100%; max-width: 42rem; min-width: 24rem; height: auto; }
)";
}

}  // namespace tutti::launcher
