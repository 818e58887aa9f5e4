#include "launcher/ranks/heap_preload.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace tutti::launcher {

namespace {

namespace fs = std::filesystem;

constexpr const char* kSelf = "/proc/self/exe";

bool is_wanted(const RankEnvironment& environment)
{
    const auto found = environment.find("TUTTI_HEAP");
    if (found == environment.end() || found->second.empty())
        return false;
    if (found->second != "on" && found->second != "off")
        throw std::runtime_error(fmt::format("TUTTI_HEAP={} is neither on nor off", found->second));
    return found->second == "on";
}

// Empty where it is not installed, or where LD_PRELOAD cannot name it.
std::string library()
{
    std::error_code error;
    const fs::path here = fs::read_symlink(kSelf, error).parent_path();
    // Installed, and in the folder of a build.
    for (const char* const place : {TUTTI_HEAP_FROM_BINDIR, "../lib/heap/libtutti_heap.so"})
        if (const std::string path = (here / place).lexically_normal();
            fs::exists(path, error) && path.find_first_of(": ") == std::string::npos)
            return path;
    return {};
}

// Class and machine of an ELF file, as its first bytes say them; empty for others.
std::string kind_of(const std::string& path)
{
    Elf64_Ehdr header{};
    std::ifstream file(path, std::ios::binary);
    if (!file.read(reinterpret_cast<char*>(&header), sizeof header) ||
        std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return {};
    return fmt::format("{} {} {}", header.e_ident[EI_CLASS], header.e_ident[EI_DATA], header.e_machine);
}

bool has_another_c_library(const std::string& program)
{
    // The name of its loader is among the first bytes.
    std::array<char, 4096> start{};
    std::ifstream(program, std::ios::binary).read(start.data(), start.size());
    return std::string_view(start.data(), start.size()).find("/ld-musl") != std::string_view::npos;
}

// What is no ELF file is a script: its interpreter is this machine's.
bool can_load(const std::string& program)
{
    const std::string kind = kind_of(program);
    return kind.empty() || (kind == kind_of(kSelf) && !has_another_c_library(program));
}

}  // namespace

void preload_heap(RankEnvironment& environment, const std::string& program)
{
    if (!is_wanted(environment) || !can_load(program))
        return;
    const std::string path = library();
    if (path.empty())
        return;
    std::string& preloaded = environment["LD_PRELOAD"];
    preloaded = preloaded.empty() ? path : path + ":" + preloaded;
}

}  // namespace tutti::launcher
