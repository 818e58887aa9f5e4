// What pages that Tutti writes have in common: their first lines, texts in them, and their style: light and
// dark, narrow windows, and paper.
#pragma once

#include <string>
#include <string_view>

namespace tutti::observe {

/// The variables --curve0 ... are the colours of curves, in the order of curve_colours().
inline constexpr std::string_view kPageStyle = R"(
:root {
  color-scheme: light dark;
  --text: #1b1f24; --quiet: #57606a; --ground: #ffffff; --raised: #f4f6f8; --line: #d0d7de; --link: #0a58a8;
  --good: #0f6b35; --good-ground: #e3f5e9; --bad: #a3260f; --bad-ground: #fdeae5;
  --curve0: #0072b2; --curve1: #d55e00; --curve2: #009e73; --curve3: #b8578c;
  --curve4: #b97a00; --curve5: #2f93cf; --curve6: #777777;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e3e8ee; --quiet: #9aa5b1; --ground: #14181d; --raised: #1d232a; --line: #39424d; --link: #79b8ff;
    --good: #7fdc9f; --good-ground: #12301d; --bad: #ff9f87; --bad-ground: #3a1811;
    --curve0: #58aaf0; --curve1: #ff8a3d; --curve2: #2fd0a2; --curve3: #ea95c3;
    --curve4: #f0b429; --curve5: #8fd3ff; --curve6: #a8a8a8;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body {
  margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 78rem; color: var(--text); background: var(--ground);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: break-word;
}
h1 { font-size: 1.9rem; line-height: 1.2; margin: .5rem 0; }
h2 {
  font-size: 1.4rem; margin: 2.8rem 0 .8rem; padding-bottom: .25rem; border-bottom: 2px solid var(--line);
}
h3 { font-size: 1.15rem; margin: 2.2rem 0 .4rem; }
h2:target, h3:target { scroll-margin-top: 1rem; }
p { margin: .5rem 0; max-width: 46rem; }
a { color: var(--link); }
a:focus-visible, .box:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: .5rem; padding: .4rem .8rem; background: var(--ground); }
.quiet, small { color: var(--quiet); }
.lead { font-size: 1.15rem; }
.box { overflow-x: auto; margin: .7rem 0; border: 1px solid var(--line); border-radius: .5rem; }
.box > .picture { display: block; width: 100%; min-width: 36rem; max-width: 58rem; height: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: .5rem .75rem; color: var(--quiet); }
th, td { padding: .3rem .75rem; text-align: right; white-space: nowrap; border-top: 1px solid var(--line); }
thead th { background: var(--raised); vertical-align: bottom; white-space: normal; }
th.name, td.name { text-align: left; }
tbody th { font-weight: 600; }
th.case { white-space: normal; min-width: 14rem; }
tbody tr:hover > * { background: var(--raised); }
td small { margin-left: .45em; font-weight: 400; }
.good { color: var(--good); background: var(--good-ground); font-weight: 600; }
.bad { color: var(--bad); background: var(--bad-ground); font-weight: 600; }
.tally { display: flex; flex-wrap: wrap; gap: .75rem; padding: 0; margin: 1rem 0; list-style: none; }
.tally li {
  flex: 1 1 8rem; padding: .7rem 1rem; background: var(--raised);
  border: 1px solid var(--line); border-radius: .5rem;
}
.tally li.good { background: var(--good-ground); }
.tally li.bad { background: var(--bad-ground); }
.tally b { display: block; font-size: 1.7rem; line-height: 1.2; }
nav ul { padding-left: 1.2rem; margin: .3rem 0; }
.contents { columns: 19rem; column-gap: 2rem; }
nav li { margin: .15rem 0; }
nav li li { break-inside: avoid; }
dl {
  display: grid; grid-template-columns: minmax(9rem, max-content) 1fr; gap: .2rem 1.2rem; margin: .7rem 0;
}
dt { color: var(--quiet); }
dd { margin: 0; min-width: 0; }
pre {
  margin: .6rem 0; padding: .7rem .9rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .9rem;
  background: var(--raised); border: 1px solid var(--line); border-radius: .5rem;
}
@media (max-width: 80rem), print { td small { display: block; margin-left: 0; } }
@media (max-width: 34rem) {
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .5rem; }
  th, td { padding: .3rem .5rem; }
  th.case { white-space: normal; min-width: 9rem; }
}
@media print {
  :root {
    color-scheme: light;
    --text: #000; --quiet: #333; --ground: #fff; --raised: #f2f2f2; --line: #999; --link: #000;
    --good: #0f6b35; --good-ground: #fff; --bad: #a3260f; --bad-ground: #fff;
    --curve0: #0072b2; --curve1: #d55e00; --curve2: #009e73; --curve3: #b8578c;
    --curve4: #b97a00; --curve5: #2f93cf; --curve6: #777777;
  }
  @page { margin: 15mm; }
  body { max-width: none; padding: 0; font-size: 9.5pt; }
  .skip { display: none; }
  .box { overflow: visible; border: 0; }
  .box > .picture { min-width: 0; max-width: 13cm; }
  th, td { padding: .15rem .35rem; }
  thead th, td, th.case { white-space: normal; }
  a { text-decoration: none; }
  h2, h3, h3 + p { break-after: avoid; }
  .box { break-inside: avoid; }
  thead { display: table-header-group; }
}
)";

/// As a text, between tags and in quoted attributes, whatever it contains.
inline std::string html_text(std::string_view text)
{
    std::string escaped;
    for (const char letter : text) {
        switch (letter) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            case '\'':
                escaped += "&#39;";
                break;
            default:
                escaped += letter;
        }
    }
    return escaped;
}

/// A page up to its header; `style` follows kPageStyle.
inline std::string begin_of_page(std::string_view title, std::string_view style)
{
    std::string page =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>";
    page += html_text(title);
    page += "</title>\n<style>";
    page += kPageStyle;
    page += style;
    return page + "</style>\n</head>\n<body>\n";
}

inline constexpr std::string_view kEndOfPage = "</body>\n</html>\n";

}  // namespace tutti::observe
