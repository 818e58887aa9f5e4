#include "launcher/status_line.hpp"

namespace tutti::launcher {

namespace {

constexpr std::string_view kEraseToEnd = "\033[K";
constexpr std::string_view kEraseLine = "\r\033[K";
constexpr std::string_view kCutOff = "\033[?7l";
constexpr std::string_view kWrap = "\033[?7h";

}  // namespace

void StatusLine::set(std::string_view text)
{
    if (text.starts_with('\r')) {
        text.remove_prefix(1);
    }
    // What programs erase the rest of the line with: the whole line is.
    if (text.starts_with(kEraseToEnd)) {
        text.remove_prefix(kEraseToEnd.size());
    }
    if (text.ends_with(kEraseToEnd)) {
        text.remove_suffix(kEraseToEnd.size());
    }
    text_ = text;
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
    if (text_ == shown_) {
        return;
    }
    output += kEraseLine;
    if (!text_.empty()) {
        output += kCutOff;
        output += text_;
        output += kWrap;
    }
    shown_ = text_;
}

}  // namespace tutti::launcher
