#include "launcher/ranks/suppressions.hpp"

#include <filesystem>

namespace tutti::launcher {

namespace fs = std::filesystem;

std::string suppressions_folder()
{
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    const fs::path folder = program.parent_path().parent_path() / "share" / "tutti";
    return fs::exists(folder / "lsan.supp", error) ? folder.string() : "";
}

void add_suppressions(RankEnvironment& environment, const std::string& folder)
{
    // Both tools part options at blanks, LeakSanitizer at colons, too.
    if (folder.empty() || folder.find_first_of(" \t:'\"") != std::string::npos)
        return;
    std::string& leaks = environment["LSAN_OPTIONS"];
    if (leaks.find("suppressions=") == std::string::npos)
        leaks += (leaks.empty() ? "" : ":") + ("print_suppressions=0:suppressions=" + folder + "/lsan.supp");
    std::string& valgrind = environment["VALGRIND_OPTS"];
    valgrind += (valgrind.empty() ? "" : " ") + ("--suppressions=" + folder + "/valgrind.supp");
}

}  // namespace tutti::launcher
