// gnuplot's SVG as a part of a page.
#pragma once

#include <string>
#include <string_view>

namespace tutti::bench {

/// `svg` without what a page has itself, without titles that browsers would show as tips, with names of its
/// own for what it refers to (`id`: letters, digits, - and _), and read out as `label`, which is a text.
std::string fitted_picture(std::string_view svg, const std::string& id, const std::string& label);

/// CSS that gives pictures the colours of the page: text and axes those of its text, curves what stands out
/// from it.
std::string picture_style();

}  // namespace tutti::bench
