#include "launcher/ranks/mpi_programs.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "launcher/ranks/session_directory.hpp"

namespace tutti::launcher {

namespace {

namespace fs = std::filesystem;

struct Facade {
    std::string_view soname;
    std::string_view folder;
};
constexpr std::array<Facade, 3> kFacades = {
    {{"libmpi.so.40", "openmpi"}, {"libmpi.so.12", "mpich"}, {"libmpich.so.12", "mpich"}}};

void prepend(RankEnvironment& environment, const std::string& variable, const std::string& value)
{
    std::string& all = environment[variable];
    all = all.empty() ? value : value + ":" + all;
}

}  // namespace

std::string mpi_library_of(const std::string& program)
{
    std::ifstream file(program, std::ios::binary);
    std::array<char, 4> start{};
    if (!file.read(start.data(), start.size()) || std::string_view(start.data(), start.size()) !=
                                                      "\x7f"
                                                      "ELF")
        return {};
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    for (const Facade& each : kFacades) {
        // A whole word in the table of names.
        const std::string word = '\0' + std::string(each.soname) + '\0';
        if (content.find(word) != std::string::npos)
            return std::string(each.soname);
    }
    return {};
}

std::string facade_folder()
{
    std::error_code error;
    const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
    // Installed, and in the folder of a build.
    for (const char* const place : {TUTTI_FACADES_FROM_BINDIR, "../lib/mpi/facade"})
        if (const fs::path folder = (here / place).lexically_normal(); fs::exists(folder / "openmpi", error))
            return folder;
    return {};
}

void offer_facades(RankEnvironment& environment, MpiLibraries choice, const std::string& program,
                   const std::string& session_directory)
{
    const std::string folder = facade_folder();
    if (choice == MpiLibraries::own || folder.empty())
        return;
    if (choice == MpiLibraries::automatic)
        return prepend(environment, "LD_LIBRARY_PATH", fmt::format("{0}/openmpi:{0}/mpich", folder));
    const std::string library = mpi_library_of(program);
    for (const Facade& each : kFacades) {
        if (each.soname != library)
            continue;
        const std::string file = fmt::format("{}/{}/{}", folder, each.folder, library);
        const std::string path = listable_path(file, session_directory);
        if (path.empty())
            throw std::runtime_error(fmt::format(
                "--mpi preload: LD_PRELOAD cannot hold the path {}; set TMPDIR to a folder without blanks "
                "and colons in its path",
                file));
        return prepend(environment, "LD_PRELOAD", path);
    }
    throw std::runtime_error(
        fmt::format("--mpi preload: {} names no MPI library that Tutti stands in for; leave "
                    "the option out",
                    program));
}

std::string advice_for_lonely(MpiLibraries choice, const std::string& program, const std::string& library)
{
    const char* const remedy =
        choice == MpiLibraries::own
            ? "leave out --mpi own, which keeps Tutti's library of that name from it"
            : "it names the folder of its library itself (RPATH), and --mpi preload puts Tutti's in front";
    return fmt::format(
        "ranks of {} have ended without joining the job. It is linked with {}: if each ran alone, {}",
        program, library, remedy);
}

}  // namespace tutti::launcher
