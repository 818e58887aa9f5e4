#include "launcher/ranks/mpi_programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "launcher/ranks/session_directory.hpp"
#include "lib/foundation/base/proc.hpp"

namespace tutti::launcher {

namespace {

namespace fs = std::filesystem;

struct Facade {
    std::string_view soname;
    std::string_view folder;
};
constexpr std::array<Facade, 3> kFacades = {
    {{"libmpi.so.40", "openmpi"}, {"libmpi.so.12", "mpich"}, {"libmpich.so.12", "mpich"}}};

// Of a script; a longer one is none.
constexpr std::size_t kLongestLine = 4096;

void prepend(RankEnvironment& environment, const std::string& variable, const std::string& value)
{
    std::string& all = environment[variable];
    all = all.empty() ? value : value + ":" + all;
}

// Of a script: the program behind "#!"; empty: it is none.
std::string interpreter_of(const std::string& script)
{
    std::ifstream file(script, std::ios::binary);
    std::string line;
    if (file.get() != '#' || file.get() != '!' || !std::getline(file, line) || line.size() > kLongestLine)
        return {};
    std::string program;
    std::istringstream(line) >> program;
    return program;
}

// The MPI library that a line of /proc/PID/maps is of and that is not in `own`; empty: of none.
std::string foreign_library_in(const std::string& line, const std::string& own)
{
    const std::size_t path = line.find('/');
    if (path == std::string::npos || line.compare(path, own.size(), own) == 0)
        return {};
    const std::string_view name = std::string_view(line).substr(line.rfind('/') + 1);
    const bool is_mpi = std::ranges::any_of(kFacades, [name](const Facade& each) {
        return name.starts_with(each.soname) &&
               (name.size() == each.soname.size() || name[each.soname.size()] == '.');
    });
    return is_mpi ? line.substr(path) : std::string();
}

std::string own_facades()
{
    std::error_code error;
    const std::string folder = facade_folder();
    return folder.empty() ? "none" : fs::canonical(folder, error).string() + '/';
}

/// `folder`: the process's in /proc, whose numbers the children below have, too.
std::string foreign_mpi_library_of(const fs::path& folder, const std::string& own)
{
    std::ifstream maps(folder / "maps");
    for (std::string line; std::getline(maps, line);)
        if (std::string found = foreign_library_in(line, own); !found.empty())
            return found;
    std::ifstream children(folder / "task" / folder.filename() / "children");
    for (std::string child; children >> child;)
        if (std::string found = foreign_mpi_library_of(folder.parent_path() / child, own); !found.empty())
            return found;
    return {};
}

}  // namespace

std::string foreign_mpi_library(pid_t process)
{
    return foreign_mpi_library_of(base::proc_folder(process), own_facades());
}

std::string mpi_library_of(const std::string& program)
{
    if (const std::string interpreter = interpreter_of(program); !interpreter.empty())
        return mpi_library_of(interpreter);
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
    const std::string library = choice == MpiLibraries::preload_openmpi ? "libmpi.so.40"
                                : choice == MpiLibraries::preload_mpich ? "libmpi.so.12"
                                                                        : mpi_library_of(program);
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
                    "the option out, or name the library that it loads later: --mpi preload=openmpi, or "
                    "preload=mpich",
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

std::string advice_for_lonely(int rank, const std::string& file)
{
    return fmt::format(
        "rank {} has loaded {}, not Tutti's library of that name, and no rank has joined the job: if each "
        "runs alone, as rank 0 of 1, something on the way sets LD_LIBRARY_PATH anew, as R and shell wrappers "
        "do, or a file names that folder itself (RPATH): --mpi preload=openmpi, or preload=mpich, puts "
        "Tutti's library in front",
        rank, file);
}

}  // namespace tutti::launcher
