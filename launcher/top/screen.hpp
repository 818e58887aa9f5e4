// The terminal of tuttirun --top.
#pragma once

#include <memory>
#include <string>

#include "launcher/top/view.hpp"

namespace tutti::launcher {

class Screen {
public:
    virtual ~Screen() = default;

    /// A character or a TopKey; -1: none is there.
    virtual int key() = 0;
    virtual std::size_t width() const = 0;
    virtual std::size_t height() const = 0;
    virtual void draw(const TopPage& page) = 0;
};

/// This process's terminal until the screen is destroyed. nullptr where there is none, or it cannot be used;
/// then `why_not`, where it is worth a word.
std::unique_ptr<Screen> open_screen(std::string& why_not);

}  // namespace tutti::launcher

/// In a library of its own, which only the view loads: no job has to load ncurses. nullptr: see
/// open_screen().
extern "C" [[gnu::visibility("default")]] tutti::launcher::Screen* tutti_open_screen(std::string& why_not);
