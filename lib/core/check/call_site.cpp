#include "lib/core/check/call_site.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <link.h>

#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "lib/foundation/observe/fortran_names.hpp"
#include "lib/foundation/observe/own_library.hpp"

namespace tutti::check {

namespace {

constexpr int kMostFrames = 32;

const void* own_object() noexcept
{
    static const void* const base = [] {
        Dl_info found{};
        return dladdr(reinterpret_cast<void*>(&own_object), &found) != 0 ? found.dli_fbase : nullptr;
    }();
    return base;
}

std::string_view file_name(std::string_view path) noexcept
{
    return path.substr(path.rfind('/') + 1);
}

// A program may have Tutti's code within it.
bool is_own(const Dl_info& object) noexcept
{
    return object.dli_fbase == own_object() || observe::is_own_library(object.dli_fname) ||
           observe::is_run_time_library(object.dli_fname);
}

// The address as the object's file has it.
std::uintptr_t address_in_file(const Dl_info& object, const void* address) noexcept
{
    const auto* const header = static_cast<const ElfW(Ehdr)*>(object.dli_fbase);
    const auto value = reinterpret_cast<std::uintptr_t>(address);
    return header->e_type == ET_EXEC ? value : value - reinterpret_cast<std::uintptr_t>(object.dli_fbase);
}

std::optional<std::string> read_line(std::FILE* from)
{
    std::string line;
    for (int c = std::fgetc(from); c != EOF; c = std::fgetc(from)) {
        if (c == '\n')
            return line;
        line.push_back(static_cast<char>(c));
    }
    return std::nullopt;
}

// "function at file:line", of the innermost function there that is not of Tutti's headers; without debugging
// symbols "function in object". Empty if all are of Tutti's headers.
std::string look_up(const char* file, std::uintptr_t address)
{
    std::string quoted;
    for (const char* c = file; *c != '\0'; ++c)
        quoted += *c == '\'' ? std::string("'\\''") : std::string(1, *c);
    const std::string command =
        fmt::format("addr2line -C -f -i -e '{}' {:#x} 2>/dev/null </dev/null", quoted, address);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(popen(command.c_str(), "r"), &pclose);
    bool is_own = false;
    while (output != nullptr) {
        auto function = read_line(output.get());
        const auto place = read_line(output.get());
        if (!function || !place || function->starts_with("??"))
            break;
        is_own = function->starts_with("tutti::") || place->find("include/tutti/") != std::string::npos;
        if (is_own)
            continue;
        function = observe::name_in_fortran(*function).value_or(*function);
        const std::string_view name = file_name(*place);
        return name.starts_with('?') || name.ends_with('?')
                   ? fmt::format("{} in {}", *function, file_name(file))
                   : fmt::format("{} at {}", *function, name.substr(0, name.find(' ')));
    }
    return is_own ? "" : fmt::format("{:#x} in {}", address, file_name(file));
}

}  // namespace

Site call_site() noexcept
{
    Site site{};
    std::array<void*, kMostFrames> frames;
    const int count = backtrace(frames.data(), kMostFrames);
    std::size_t found = 0;
    for (int i = 1; i < count && found < site.size(); ++i) {
        Dl_info object{};
        void* const frame = frames[static_cast<std::size_t>(i)];
        if (dladdr(frame, &object) != 0 && !is_own(object))
            site[found++] = frame;
    }
    return site;
}

const std::string& describe(const Site& site)
{
    static std::mutex& mutex = *new std::mutex;
    static auto& known = *new std::map<Site, std::string>;
    const std::lock_guard lock(mutex);
    const auto [entry, is_new] = known.try_emplace(site);
    std::string& words = entry->second;
    if (!is_new)
        return words;
    for (void* const frame : site) {
        // The call is in front of the address to which it returns.
        const void* const call = static_cast<const char*>(frame) - 1;
        Dl_info object{};
        if (frame == nullptr || dladdr(call, &object) == 0 || object.dli_fname == nullptr)
            break;
        words = look_up(object.dli_fname, address_in_file(object, call));
        if (!words.empty())
            break;
    }
    return words;
}

bool is_of_fortran(std::string_view place) noexcept
{
    if (place.starts_with("the main program") || place.find(" (module ") != place.npos)
        return true;
    const std::size_t ending = place.rfind('.');
    return ending != place.npos && place.find(" at ") < ending &&
           (place.substr(ending).starts_with(".f") || place.substr(ending).starts_with(".F"));
}

}  // namespace tutti::check
