// NCURSES_NOMACROS: names such as `move` and `timeout` stay those of other headers.
#define NCURSES_NOMACROS 1
#include <ncurses.h>

#include <stdlib.h>

#include <utility>

#include <fmt/format.h>

#include "launcher/top/screen.hpp"

namespace tutti::launcher {

namespace {

class NcursesScreen final : public Screen {
public:
    explicit NcursesScreen(SCREEN* screen) : screen_(screen)
    {
        ::cbreak();
        ::noecho();
        ::keypad(stdscr, true);
        ::nodelay(stdscr, true);
        ::curs_set(0);
    }
    NcursesScreen(const NcursesScreen&) = delete;
    NcursesScreen& operator=(const NcursesScreen&) = delete;
    ~NcursesScreen() override
    {
        ::endwin();
        ::delscreen(screen_);
    }

    int key() override
    {
        constexpr int kEscape = 27;
        constexpr std::pair<int, int> kKeys[] = {{KEY_UP, kKeyUp},         {'k', kKeyUp},
                                                 {KEY_DOWN, kKeyDown},     {'j', kKeyDown},
                                                 {KEY_LEFT, kKeyLeft},     {KEY_RIGHT, kKeyRight},
                                                 {KEY_PPAGE, kKeyPageUp},  {KEY_NPAGE, kKeyPageDown},
                                                 {KEY_ENTER, kKeyEnter},   {'\n', kKeyEnter},
                                                 {'\r', kKeyEnter},        {kEscape, kKeyBack},
                                                 {KEY_BACKSPACE, kKeyBack}};
        const int typed = ::wgetch(stdscr);
        for (const auto& [code, key] : kKeys)
            if (typed == code)
                return key;
        // KEY_RESIZE: the page is drawn after every key.
        return typed == ERR ? -1 : typed < KEY_MIN ? typed : 0;
    }

    std::size_t width() const override { return static_cast<std::size_t>(::getmaxx(stdscr)); }
    std::size_t height() const override { return static_cast<std::size_t>(::getmaxy(stdscr)); }

    void draw(const TopPage& page) override
    {
        ::werase(stdscr);
        for (int y = 0; y < static_cast<int>(page.lines.size()); ++y) {
            const bool marked = y == page.selected || y == page.titles;
            std::string line = page.lines[static_cast<std::size_t>(y)];
            if (marked) {
                line.resize(width(), ' ');
                ::wattr_on(stdscr, y == page.titles ? A_BOLD : A_REVERSE, nullptr);
            }
            // The last cell of the last line cannot be written without scrolling; an error changes nothing.
            ::mvwaddnstr(stdscr, y, 0, line.c_str(), static_cast<int>(line.size()));
            if (marked)
                ::wattr_off(stdscr, y == page.titles ? A_BOLD : A_REVERSE, nullptr);
        }
        ::wrefresh(stdscr);
    }

private:
    SCREEN* screen_;
};

}  // namespace

}  // namespace tutti::launcher

tutti::launcher::Screen* tutti_open_screen(std::string& why_not)
{
    // An Esc is one, unless the rest of a key's letters follows at once.
    ::setenv("ESCDELAY", "50", 0);
    SCREEN* const screen = ::newterm(nullptr, stdout, stdin);
    if (screen == nullptr) {
        const char* const name = ::getenv("TERM");
        why_not = fmt::format("the terminal '{}' is not known here; set TERM for a live view",
                              name == nullptr ? "" : name);
        return nullptr;
    }
    return new tutti::launcher::NcursesScreen(screen);
}
