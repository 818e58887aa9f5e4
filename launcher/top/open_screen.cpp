// The library that draws is found beside this program, and loaded.
#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>

#include "launcher/top/screen.hpp"

namespace tutti::launcher {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScreenLibrary = "libtutti_screen.so";

/// Empty where there is none.
std::string screen_library()
{
    std::error_code error;
    const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
    // Installed, and in the folder of a build.
    for (const char* const folder : {TUTTI_LIBRARIES_FROM_BINDIR, "."})
        if (const fs::path path = (here / folder / kScreenLibrary).lexically_normal();
            fs::exists(path, error))
            return path;
    return {};
}

}  // namespace

std::unique_ptr<Screen> open_screen(std::string& why_not)
{
    if (!::isatty(STDIN_FILENO) || !::isatty(STDOUT_FILENO))
        return nullptr;
    const std::string path = screen_library();
    if (path.empty()) {
        why_not = fmt::format(
            "there is no {}, as this build had no ncurses; install libncurses-dev, and build Tutti again for "
            "a live view",
            kScreenLibrary);
        return nullptr;
    }
    // It stays: the screen is its object.
    void* const loaded = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const open = loaded != nullptr ? ::dlsym(loaded, "tutti_open_screen") : nullptr;
    if (open == nullptr) {
        why_not = fmt::format("a live view needs ncurses: {}", ::dlerror());
        return nullptr;
    }
    return std::unique_ptr<Screen>(reinterpret_cast<decltype(&tutti_open_screen)>(open)(why_not));
}

}  // namespace tutti::launcher
