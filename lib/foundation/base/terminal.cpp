#include "lib/foundation/base/terminal.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace tutti::base {

std::string identity_of_file(int descriptor)
{
    struct stat status {};
    if (::fstat(descriptor, &status) != 0)
        return {};
    return fmt::format("{}:{}", status.st_dev, status.st_ino);
}

bool reaches_terminal(int descriptor)
{
    if (::isatty(descriptor) == 1) {
        const char* const kind = std::getenv("TERM");
        return kind == nullptr || std::string_view(kind) != "dumb";
    }
    const char* const identity = std::getenv(kTerminalVariable);
    return identity != nullptr && *identity != '\0' && identity_of_file(descriptor) == identity;
}

}  // namespace tutti::base
