#include "launcher/streams/status_line.hpp"

namespace tutti::launcher {

namespace {

constexpr std::string_view kEraseToEnd = "\033[K";
constexpr std::string_view kEraseLine = "\r\033[K";
constexpr std::string_view kCutOff = "\033[?7l";
constexpr std::string_view kWrap = "\033[?7h";

}  // namespace

std::string_view StatusLine::visible(std::string_view text) noexcept
{
    if (text.starts_with('\r'))
        text.remove_prefix(1);
    if (text.starts_with(kEraseToEnd))
        text.remove_prefix(kEraseToEnd.size());
    if (text.ends_with(kEraseToEnd))
        text.remove_suffix(kEraseToEnd.size());
    return text;
}

std::string_view StatusLine::final(std::string_view lines) noexcept
{
    std::string_view first = lines.substr(0, lines.find('\n'));
    if (first.ends_with('\r'))
        first.remove_suffix(1);  // the line end has two bytes
    lines.remove_prefix(first.empty() ? 0 : first.rfind('\r') + 1);
    if (lines.starts_with(kEraseToEnd))
        lines.remove_prefix(kEraseToEnd.size());
    return lines;
}

void StatusLine::set(std::string_view text)
{
    text_ = visible(text);
}

void StatusLine::hide(std::string& output)
{
    if (!shown_.empty()) {
        output += kEraseLine;
        shown_.clear();
    }
}

void StatusLine::show(std::string& output)
{
    if (text_ == shown_)
        return;
    output += kEraseLine;
    if (!text_.empty()) {
        output += kCutOff;
        output += text_;
        output += kWrap;
    }
    shown_ = text_;
}

}  // namespace tutti::launcher
