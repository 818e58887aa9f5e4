// For tests that draw.
#pragma once

#include <cstdio>
#include <exception>
#include <string_view>

#include "benchmarks/plot/gnuplot.hpp"

namespace tutti::bench {

/// Where it is true, the test says so and ends.
inline bool lacks_gnuplot()
{
    try {
        run_gnuplot("");
    } catch (const std::exception& error) {
        // An installed one finds nothing to draw.
        if (std::string_view(error.what()).starts_with("gnuplot is not installed")) {
            std::puts("benchmarks: skipped: gnuplot is not installed");
            return true;
        }
    }
    return false;
}

}  // namespace tutti::bench
