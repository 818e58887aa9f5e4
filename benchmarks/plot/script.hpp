// Charts in gnuplot's language.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "benchmarks/plot/chart.hpp"

namespace tutti::bench {

enum class Picture {
    svg,         // a file of its own, on white
    inline_svg,  // part of a page, on the page's ground
    png,
};

/// A whole script: it reads nothing and writes the picture to its standard output. Texts of the chart stay
/// texts, whatever is in them: gnuplot neither runs nor formats them.
std::string gnuplot_script(const Chart& chart, Picture picture);

/// As a string of gnuplot, quotes included: nothing in it is replaced or run, and control characters are
/// spaces.
std::string gnuplot_quoted(std::string_view text);

/// "#0072B2" and so on: what curves are drawn in, in the order of styles.
std::span<const char* const> curve_colours();

}  // namespace tutti::bench
