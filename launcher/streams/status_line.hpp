// A line at the bottom of a terminal that says how far a program is, and is gone when other text comes.
#pragma once

#include <string>
#include <string_view>

namespace tutti::launcher {

/// Adds to the output of a terminal what shows the line or takes it away. One that is wider than the terminal
/// is cut off by it, since only one row could be erased.
class StatusLine {
public:
    /// Text at the beginning of a line that has no end: whether it is meant to be written over. Programs
    /// begin such a line with a carriage return.
    static bool is_meant_by(std::string_view text) noexcept { return text.starts_with('\r'); }
    /// The part of such text that is still to be seen, with its carriage return.
    static std::string_view latest(std::string_view text) noexcept { return text.substr(text.rfind('\r')); }
    /// Of such text that now has an end, and maybe further lines behind it: without what was written over.
    static std::string_view final(std::string_view lines) noexcept;

    /// What latest() returned; nothing: none.
    void set(std::string_view text);
    /// The same as it is seen: without carriage return, and without what erases the rest of the row.
    static std::string_view visible(std::string_view text) noexcept;
    /// Before other text is added to `output`.
    void hide(std::string& output);
    /// When no more text is to be added for now, and `output` is at the beginning of a line.
    void show(std::string& output);

private:
    std::string text_;
    std::string shown_;  // by the terminal; empty: nothing
};

}  // namespace tutti::launcher
