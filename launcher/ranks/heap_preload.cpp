#include "launcher/ranks/heap_preload.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "launcher/ranks/session_directory.hpp"

namespace tutti::launcher {

namespace {

namespace fs = std::filesystem;

constexpr const char* kSelf = "/proc/self/exe";

// What runs programs where there is no library of this path: the loader would complain about each.
constexpr std::array<std::string_view, 10> kContainers = {"apptainer", "bwrap",      "ch-run",  "chroot",
                                                          "docker",    "enroot",     "nerdctl", "podman",
                                                          "shifter",   "singularity"};

bool is_wanted(const RankEnvironment& environment, const std::string& program)
{
    const auto found = environment.find("TUTTI_HEAP");
    const std::string value = found == environment.end() || found->second.empty() ? "auto" : found->second;
    if (value != "auto" && value != "on" && value != "off")
        throw std::runtime_error(fmt::format("TUTTI_HEAP={} is none of auto, on, off", value));
    if (value != "auto")
        return value == "on";
    const std::string name = fs::path(program).filename();
    return std::find(kContainers.begin(), kContainers.end(), name) == kContainers.end();
}

// Empty where it is not installed.
std::string library()
{
    std::error_code error;
    const fs::path here = fs::read_symlink(kSelf, error).parent_path();
    // Installed, and in the folder of a build.
    for (const char* const place : {TUTTI_HEAP_FROM_BINDIR, "../lib/heap/libtutti_heap.so"})
        if (const std::string path = (here / place).lexically_normal(); fs::exists(path, error))
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

bool preload_heap(RankEnvironment& environment, const std::string& program,
                  const std::string& session_directory)
{
    if (!is_wanted(environment, program) || !can_load(program))
        return false;
    const std::string path = listable_path(library(), session_directory);
    if (path.empty())
        return false;
    std::string& preloaded = environment["LD_PRELOAD"];
    if (preloaded.starts_with(path))
        return true;  // of a job that this one runs in
    preloaded = preloaded.empty() ? path : path + ":" + preloaded;
    return true;
}

}  // namespace tutti::launcher
