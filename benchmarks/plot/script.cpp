#include "benchmarks/plot/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tutti::bench {

namespace {

constexpr int kWidth = 860;
constexpr int kHeight = 500;
constexpr int kDotsFrame = 170;  // what is above and below the rows
constexpr int kDotsRow = 22;
constexpr double kMargin = 1e-3;    // gnuplot drops ticks that lie exactly at an axis' end
constexpr double kDotsApart = 0.6;  // what the dots of a row take of its height

// Okabe and Ito's colours, which colour-blind people can distinguish, without yellow, which is hard to see on
// white.
constexpr std::array kColours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999"};
// Symbols and dashes distinguish curves without colours, on paper.
constexpr std::array kSymbols = {7, 5, 9, 13, 11, 4, 6};
constexpr std::array kDashes = {"1", "(10,4)", "(10,4,2,4)", "(4,3)", "(14,4)", "(14,3,3,3,3,3)", "(6,6)"};
constexpr std::array kLimitDashes = {"(2,4)", "(6,4)", "(2,2)", "(8,3,2,3)"};
constexpr const char* kLimitColour = "#777777";

template <typename Array>
auto pick(const Array& choices, int which)
{
    return choices[static_cast<std::size_t>(which) % choices.size()];
}

std::string terminal(Picture picture, int height)
{
    const char* const font = "font 'sans-serif,13' noenhanced";
    switch (picture) {
        case Picture::svg:
            return fmt::format("set terminal svg size {},{} dynamic {} background rgb '#ffffff'\n", kWidth,
                               height, font);
        case Picture::inline_svg:
            return fmt::format("set terminal svg size {},{} dynamic {}\n", kWidth, height, font);
        case Picture::png:
            // Twice as many pixels: sharp on fine screens and on paper.
            return fmt::format(
                "set terminal pngcairo size {},{} {} fontscale 1.8 linewidth 2 pointscale 2 background rgb "
                "'#ffffff'\n",
                2 * kWidth, 2 * height, font);
    }
    return {};
}

std::string ticks(const char* axis, const std::vector<Tick>& ticks)
{
    std::string list;
    for (const Tick& tick : ticks)
        list += fmt::format("{}{} {:.9g}", list.empty() ? "" : ", ", gnuplot_quoted(tick.label), tick.at);
    return fmt::format("set {} ({}) nomirror\n", axis, list);
}

// Of dots the columns are the other way round: names stand upright on the left.
std::string axes(const Chart& chart)
{
    const char* const value = chart.dots ? "x" : "y";
    std::string script = fmt::format("set logscale {}\nset {}label {}\nset {}range [{:.9g}:{:.9g}]\n",
                                     chart.dots ? "x" : "xy", value, gnuplot_quoted(chart.value_axis), value,
                                     chart.value_ticks.front().at, chart.value_ticks.back().at);
    script += ticks(chart.dots ? "xtics" : "ytics", chart.value_ticks);
    script += ticks(chart.dots ? "ytics" : "xtics", chart.key_ticks);
    if (chart.dots)
        return script + fmt::format("set yrange [{}.5:-0.5]\n", chart.key_ticks.size() - 1);
    double low = chart.curves.front().points.front().key;
    double high = low;
    for (const Curve& curve : chart.curves) {
        for (const Point& point : curve.points) {
            low = std::min(low, point.key);
            high = std::max(high, point.key);
        }
    }
    return script + fmt::format("set xlabel {}\nset xrange [{:.9g}:{:.9g}]\n", gnuplot_quoted(chart.key_axis),
                                low / 1.2, high * 1.2);
}

std::string data(const std::string& name, const Curve& curve, double shift)
{
    std::string block = fmt::format("${} << END\n", name);
    for (const Point& point : curve.points)
        block += fmt::format("{:.9g} {:.9g} {:.9g} {:.9g}\n", point.key + shift, point.value, point.low,
                             point.high);
    return block + "END\n";
}

std::string curve_plots(const std::string& name, const Curve& curve)
{
    const std::string colour = pick(kColours, curve.style);
    return fmt::format(
        "${0} using 1:3:4 with filledcurves linecolor rgb '{1}' fillstyle transparent solid 0.25 noborder "
        "notitle, \\\n"
        "     ${0} using 1:2 with linespoints linecolor rgb '{1}' linewidth 2 dashtype {2} pointtype {3} "
        "pointsize 0.6 title {4}",
        name, colour, pick(kDashes, curve.style), pick(kSymbols, curve.style), gnuplot_quoted(curve.name));
}

std::string dot_plot(const std::string& name, const Curve& curve)
{
    return fmt::format(
        "${} using 2:1:3:4 with xerrorbars linecolor rgb '{}' linewidth 1.5 pointtype {} pointsize 0.7 title "
        "{}",
        name, pick(kColours, curve.style), pick(kSymbols, curve.style), gnuplot_quoted(curve.name));
}

std::string limit_plot(const std::string& name, const Curve& limit)
{
    return fmt::format("${} using 1:2 with lines linecolor rgb '{}' linewidth 1.5 dashtype {} title {}", name,
                       kLimitColour, pick(kLimitDashes, limit.style), gnuplot_quoted(limit.name));
}

}  // namespace

std::span<const char* const> curve_colours()
{
    return kColours;
}

std::string gnuplot_quoted(std::string_view text)
{
    std::string quoted = "'";
    for (const char letter : text) {
        if (letter == '\'')
            quoted += "\u2019";  // gnuplot 5.4 takes a doubled one behind the opening quote for an end
        else
            quoted += static_cast<unsigned char>(letter) < ' ' || letter == '\x7f' ? ' ' : letter;
    }
    return quoted + "'";
}

std::string gnuplot_script(const Chart& chart, Picture picture)
{
    const int height =
        chart.dots ? kDotsFrame + kDotsRow * static_cast<int>(chart.key_ticks.size()) : kHeight;
    std::string script = "set encoding utf8\n" + terminal(picture, height);
    if (picture != Picture::inline_svg)  // a page says it in words of its own
        script += fmt::format("set title {}\n", gnuplot_quoted(chart.title));
    script +=
        "set border 3\n"
        "set grid linecolor rgb '#999999' linewidth 0.5 dashtype (2,4)\n"
        "set key bmargin center horizontal Left reverse samplen 3 width 2 height 1 spacing 1.2\n";
    if (chart.rows_are_curves)
        script += "unset key\n";
    script += axes(chart);

    std::string blocks;
    std::string plots;
    for (std::size_t i = 0; i < chart.curves.size(); ++i) {
        const std::string name = fmt::format("curve{}", i);
        const double between = chart.curves.size() > 1 ? kDotsApart / (chart.curves.size() - 1.0) : 0.0;
        const double shift =
            chart.dots && !chart.rows_are_curves && between > 0 ? i * between - kDotsApart / 2 : 0.0;
        blocks += data(name, chart.curves[i], shift);
        plots += plots.empty() ? "plot " : ", \\\n     ";
        plots += chart.dots ? dot_plot(name, chart.curves[i]) : curve_plots(name, chart.curves[i]);
    }
    for (std::size_t i = 0; i < chart.limits.size(); ++i) {
        const std::string name = fmt::format("limit{}", i);
        blocks += data(name, chart.limits[i], 0.0);
        plots += ", \\\n     " + limit_plot(name, chart.limits[i]);
    }
    return script + blocks + plots + "\n";
}

}  // namespace tutti::bench
