// A rank that tells which settings it has: "NAME=value" for each argument, and how many threads it has for
// "threads".
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "lib/foundation/settings/settings.hpp"
#include "tutti/environment.hpp"

int main(int argc, char** argv)
{
    try {
        const tutti::Environment environment(argc, argv);
        for (int i = 1; i < argc; ++i) {
            const std::string_view name = argv[i];
            if (name == "threads") {
                const std::filesystem::directory_iterator threads("/proc/self/task");
                std::printf("threads=%zu\n",
                            static_cast<std::size_t>(std::distance(begin(threads), end(threads))));
                continue;
            }
            const char* const value = tutti::settings::value_of(argv[i]);
            std::printf("%s=%s\n", argv[i], value == nullptr ? "" : value);
        }
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 3;
    }
}
