// A picture before it is drawn: curves over sizes, or dots next to names.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/plot/topic.hpp"

namespace tutti::bench {

struct Point {
    double key = 0.0;  // of dots: which of the chart's rows
    double value = 0.0;
    double low = 0.0;
    double high = 0.0;
};

struct Curve {
    std::string name;
    int style = 0;  // which of the colours, symbols and dashes
    std::vector<Point> points;
};

struct Tick {
    double at = 0.0;
    std::string label;
};

/// Both axes of curves are logarithmic, of dots that of the values is. All values are above 0.
struct Chart {
    std::string name;  // for its file
    std::string title;
    std::string key_axis;
    std::string value_axis;
    std::vector<Tick> key_ticks;    // of dots: the names of all rows
    std::vector<Tick> value_ticks;  // the first and the last are the axis' ends; some have no label
    bool dots = false;
    bool rows_are_curves = false;  // dots of a curve each: the rows' names are the curves'
    std::vector<Curve> curves;
    std::vector<Curve> limits;
};

/// As many charts as the topic needs; none where it has no value above 0. Rows without labels make one:
/// curves, or dots where rows have no key. Rows with labels make curves, one for each library and label,
/// where there are more keys than labels, and else a chart of dots for each key.
std::vector<Chart> charts_of(const Topic& topic);

/// From just below `low`, which is above 0, to just above `high`: 1, 2 and 5 times the powers of ten, of
/// which only these have labels where they are many.
std::vector<Tick> value_ticks(double low, double high);
/// Between `low` and `high` up to ten powers of two (of four, of eight, ...).
std::vector<Tick> key_ticks(double low, double high, bool sizes);

}  // namespace tutti::bench
