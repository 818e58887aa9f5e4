#include <unistd.h>

#include "launcher/top/screen.hpp"

namespace tutti::launcher {

std::unique_ptr<Screen> open_screen(std::string& why_not)
{
    if (::isatty(STDOUT_FILENO))
        why_not = "this build has no ncurses; install libncurses-dev, and build Tutti again for a live view";
    return nullptr;
}

}  // namespace tutti::launcher
