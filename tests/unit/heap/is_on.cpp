// is_on on|off [LIBRARY]: whether the heap is on after LIBRARY is loaded, or else one that is there at the
// start.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <dlfcn.h>

namespace {

bool has_segment()
{
    char line[512];
    bool found = false;
    std::FILE* const maps = std::fopen("/proc/self/maps", "r");
    while (std::fgets(line, sizeof line, maps) != nullptr)
        found = found || std::strstr(line, "memfd:tutti-malloc") != nullptr;
    std::fclose(maps);
    return found;
}

}  // namespace

int main(int count, char** arguments)
{
    // A program at fixed addresses then has an entry of its own for it.
    [[maybe_unused]] void* (*volatile const taken)(std::size_t) = std::malloc;
    const bool expected = std::string_view(arguments[1]) == "on";
    void* const library = count > 2 ? dlopen(arguments[2], RTLD_NOW) : RTLD_DEFAULT;
    const auto is_open = reinterpret_cast<bool (*)()>(dlsym(library, "heap_is_open_through"));
    if (is_open == nullptr) {
        std::fprintf(stderr, "no library that opens the heap is loaded\n");
        return 2;
    }
    const bool is_on = is_open();
    if (is_on == expected && has_segment() == expected)
        return 0;
    std::fprintf(stderr, "the heap is %s, its memory is %s\n", is_on ? "on" : "off",
                 has_segment() ? "mapped" : "not mapped");
    return 1;
}
