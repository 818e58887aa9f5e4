#include "benchmarks/plot/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "benchmarks/plot/plot_words.hpp"

namespace tutti::bench {

namespace {

// The library whose style a curve takes if no other has; those without a name here take the next free one.
constexpr std::array<std::string_view, 4> kKnownLibraries = {"tutti", "openmpi", "mpich", "gloo"};
constexpr int kMostKeyTicks = 10;
constexpr int kMostDecadesInDetail = 2;

void choose_styles(std::vector<Curve>& curves, const std::vector<std::string>& libraries)
{
    std::set<int> taken;
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const auto known = std::find(kKnownLibraries.begin(), kKnownLibraries.end(), libraries[i]);
        curves[i].style = static_cast<int>(known - kKnownLibraries.begin());
        if (known == kKnownLibraries.end() || !taken.insert(curves[i].style).second)
            others.push_back(i);
    }
    int next = 0;
    for (const std::size_t i : others) {
        while (taken.contains(next))
            ++next;
        curves[i].style = next++;
    }
}

// Logarithms need values above 0: an interval that reaches below ends at its value.
void add_point(Curve& curve, double key, const record::Measured& measured)
{
    if (measured.median <= 0)
        return;
    const double low = measured.interval.low > 0 ? measured.interval.low : measured.median;
    curve.points.push_back({key, measured.median, low, std::max(measured.interval.high, measured.median)});
}

Chart chart_of(const Topic& topic)
{
    Chart chart;
    chart.name = topic.name;
    chart.title = topic.job.empty() ? topic.title : topic.title + ", " + topic.job;
    chart.key_axis = topic.quantity.key;
    chart.value_axis =
        fmt::format("{} ({}), {} is better", topic.quantity.value, unit_text(topic.quantity.unit),
                    topic.quantity.lower_is_better ? "lower" : "higher");
    return chart;
}

// Curves of no points go; so do those of limits that nothing is drawn beside.
void finish(Chart& chart, bool sizes, std::vector<Chart>& charts)
{
    const auto empty = [](const Curve& curve) { return curve.points.empty(); };
    std::erase_if(chart.curves, empty);
    std::erase_if(chart.limits, empty);
    if (chart.curves.empty())
        return;
    Point low = chart.curves.front().points.front();
    Point high = low;
    for (const auto* const curves : {&chart.curves, &chart.limits}) {
        for (const Curve& curve : *curves) {
            for (const Point& point : curve.points) {
                low = {std::min(low.key, point.key), 0.0, std::min(low.low, point.low), 0.0};
                high = {std::max(high.key, point.key), 0.0, 0.0, std::max(high.high, point.high)};
            }
        }
    }
    chart.value_ticks = value_ticks(low.low, high.high);
    if (!chart.dots)
        chart.key_ticks = key_ticks(low.key, high.key, sizes);
    charts.push_back(std::move(chart));
}

// A curve a series and label, a dashed one a limit.
void add_curves(const Topic& topic, std::vector<Chart>& charts)
{
    Chart chart = chart_of(topic);
    std::vector<std::string> libraries;
    for (const Figures& series : topic.series) {
        std::map<std::vector<std::string>, Curve> by_label;
        for (const FiguresRow& row : series.rows) {
            Curve& curve = by_label[row.labels];
            curve.name = row.labels.empty() ? series.name : series.name + ", " + joined(row.labels, " ");
            if (row.key && *row.key > 0)
                add_point(curve, *row.key, row.measured);
        }
        for (auto& [labels, curve] : by_label) {
            chart.curves.push_back(std::move(curve));
            libraries.push_back(series.library);
        }
    }
    choose_styles(chart.curves, libraries);
    std::map<std::string, Curve> limits;
    for (const LimitRow& row : topic.limits) {
        Curve& curve = limits[row.name];
        curve.name = "limit: " + row.name;
        if (row.key && *row.key > 0)
            add_point(curve, *row.key, {row.value, {row.value, row.value}});
    }
    for (auto& [name, curve] : limits) {
        curve.style = static_cast<int>(chart.limits.size());
        chart.limits.push_back(std::move(curve));
    }
    finish(chart, keys_are_sizes(topic.quantity), charts);
}

// A dot a series beside each label, for the rows of one key.
void add_dots(const Topic& topic, std::optional<double> key, bool key_in_name, std::vector<Chart>& charts)
{
    Chart chart = chart_of(topic);
    chart.dots = true;
    if (key_in_name) {
        chart.name += fmt::format("-{:.10g}", *key);
        chart.title += ", " + key_text(topic.quantity, key);
    }
    chart.rows_are_curves = topic.quantity.labels.empty();
    std::vector<std::string> libraries;
    std::map<std::vector<std::string>, double> positions;
    for (const Figures& series : topic.series) {
        Curve curve{series.name, 0, {}};
        for (const FiguresRow& row : series.rows) {
            if (row.key != key)
                continue;
            std::vector<std::string> name = row.labels;
            if (chart.rows_are_curves)
                name.push_back(series.name);
            const auto [position, is_new] =
                positions.try_emplace(name, static_cast<double>(positions.size()));
            if (is_new)
                chart.key_ticks.push_back({position->second, joined(name, " ")});
            add_point(curve, position->second, row.measured);
        }
        chart.curves.push_back(std::move(curve));
        libraries.push_back(series.library);
    }
    choose_styles(chart.curves, libraries);
    finish(chart, false, charts);
}

std::string tick_text(double value)
{
    if (value >= 1e9)
        return fmt::format("{:g} G", value / 1e9);
    return value >= 1e6 ? fmt::format("{:g} M", value / 1e6) : fmt::format("{:g}", value);
}

}  // namespace

std::vector<Tick> value_ticks(double low, double high)
{
    const int first = static_cast<int>(std::floor(std::log10(low)));
    const int last = static_cast<int>(std::ceil(std::log10(high)));
    const bool many = last - first > kMostDecadesInDetail;
    std::vector<Tick> ticks;
    for (int power = first; power <= last; ++power) {
        for (const double factor : {1.0, 2.0, 5.0}) {
            // Dividing gives the 0.2 that is written so; multiplying by 0.1 would not.
            const double value = power < 0 ? factor / std::pow(10.0, -power) : factor * std::pow(10.0, power);
            if (value <= low)
                ticks.clear();
            ticks.push_back({value, many && factor != 1.0 ? "" : tick_text(value)});
            if (value >= high && ticks.size() > 1)
                return ticks;
        }
    }
    return ticks;
}

std::vector<Tick> key_ticks(double low, double high, bool sizes)
{
    const int first = static_cast<int>(std::floor(std::log2(low) + 1e-9));
    const int last = static_cast<int>(std::floor(std::log2(high) + 1e-9));
    const int stride = 1 + (last - first) / kMostKeyTicks;
    std::vector<Tick> ticks;
    for (int power = first; power <= last; power += stride) {
        const double key = std::exp2(power);
        ticks.push_back({key, sizes ? size_text(key) : tick_text(key)});
    }
    return ticks;
}

std::vector<Chart> charts_of(const Topic& topic)
{
    std::set<std::optional<double>> keys;
    std::set<std::vector<std::string>> labels;
    for (const Figures& series : topic.series) {
        for (const FiguresRow& row : series.rows) {
            keys.insert(row.key);
            labels.insert(row.labels);
        }
    }
    std::vector<Chart> charts;
    if (!keys.contains(std::nullopt) && (topic.quantity.labels.empty() || keys.size() > labels.size())) {
        add_curves(topic, charts);
        return charts;
    }
    for (const std::optional<double> key : keys)
        add_dots(topic, key, key.has_value() && keys.size() > 1, charts);
    return charts;
}

}  // namespace tutti::bench
