#include "benchmarks/report/picture.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "benchmarks/plot/script.hpp"
#include "benchmarks/report/escape.hpp"

namespace tutti::bench {

namespace {

void replace_all(std::string& text, std::string_view from, const std::string& to)
{
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

void erase_elements(std::string& text, const std::string& name)
{
    const std::string end = "</" + name + ">";
    for (std::size_t at = text.find("<" + name); at != std::string::npos; at = text.find("<" + name, at)) {
        const std::size_t last = text.find(end, at);
        text.erase(at, last == std::string::npos ? last : last + end.size() - at);
    }
}

// gnuplot writes many: one a state of its pen.
void erase_empty_groups(std::string& text)
{
    for (std::size_t end = text.find(">\n</g>\n"); end != std::string::npos;
         end = text.find(">\n</g>\n", end)) {
        const std::size_t begin = text.rfind('<', end);
        if (text.compare(begin, 3, "<g ") == 0) {
            text.erase(begin, end + 7 - begin);
            end = begin;
        } else
            ++end;
    }
}

// "#0072B2" as gnuplot writes it: "rgb(  0, 114, 178)".
std::string as_gnuplot_writes(const std::string& colour)
{
    const auto part = [&](std::size_t at) { return std::stoi(colour.substr(at, 2), nullptr, 16); };
    return fmt::format("rgb({:3}, {:3}, {:3})", part(1), part(3), part(5));
}

}  // namespace

std::string fitted_picture(std::string_view svg, const std::string& id, const std::string& label)
{
    const std::size_t open = svg.find("<svg"), close = svg.find('>', open);
    const std::size_t box = svg.find("viewBox=\"", open), box_end = svg.find('"', box + 9);
    if (open == std::string_view::npos || box_end == std::string_view::npos || box_end > close)
        throw std::runtime_error("gnuplot's SVG has no viewBox");
    std::string body(svg.substr(close + 1));
    for (const char* const element : {"title", "desc", "filter"})
        erase_elements(body, element);
    erase_empty_groups(body);
    replace_all(body, "id='gp", "id='" + id + "-gp");
    replace_all(body, "'#gp", "'#" + id + "-gp");
    replace_all(body, "id=\"gnuplot_", "id=\"" + id + "-");
    return fmt::format("<svg class=\"picture\" role=\"img\" aria-label=\"{}\" {}>{}", html_text(label),
                       svg.substr(box, box_end + 1 - box), body);
}

std::string picture_style()
{
    std::string style =
        ".picture [color=\"black\"], .picture [color=\"gray\"] { color: inherit; }\n"
        ".picture [stroke=\"black\"] { stroke: currentColor; }\n"
        ".picture [fill=\"black\"] { fill: currentColor; }\n";
    int number = 0;
    for (const char* const colour : curve_colours()) {
        const std::string written = as_gnuplot_writes(colour);
        for (const char* const property : {"color", "stroke", "fill"})
            style += fmt::format(".picture [{0}=\"{1}\"] {{ {0}: var(--curve{2}); }}\n", property, written,
                                 number);
        ++number;
    }
    return style;
}

}  // namespace tutti::bench
