// A line at the bottom of a terminal that shows a program's progress, and is erased before other text.
#pragma once

#include <string>
#include <string_view>

namespace tutti::launcher {

/// Adds control sequences to the output of a terminal that show or erase the line. The terminal cuts off a
/// line that is too wide, since only one row can be erased.
class StatusLine {
public:
    /// Whether an unfinished line with this text will be overwritten: programs begin such a line with a
    /// carriage return.
    static bool is_meant_by(std::string_view text) noexcept { return text.starts_with('\r'); }
    /// The part of such text that stays visible, with its carriage return.
    static std::string_view latest(std::string_view text) noexcept { return text.substr(text.rfind('\r')); }
    /// Such text with its line end, and maybe more lines, without the overwritten part.
    static std::string_view final(std::string_view lines) noexcept;

    /// Sets the line to a result of latest(); empty: no line.
    void set(std::string_view text);
    /// The visible part of the line: without carriage return and erasing sequences.
    static std::string_view visible(std::string_view text) noexcept;
    /// To be called before other text is added to `output`.
    void hide(std::string& output);
    /// To be called when no text follows for now, and `output` is at the beginning of a line.
    void show(std::string& output);

private:
    std::string text_;
    std::string shown_;  // on the terminal; empty: no line
};

}  // namespace tutti::launcher
