#include "benchmarks/peers/installation.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "lib/foundation/base/suggest.hpp"

namespace tutti::bench {

namespace {

namespace fs = std::filesystem;

constexpr double kAskSeconds = 20.0;
constexpr double kBuildSeconds = 600.0;

// PATH may name folders that this user must not see.
bool is_program(const fs::path& path)
{
    std::error_code error;
    return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

// Debian calls those of two libraries mpirun.openmpi and mpirun.mpich.
fs::path program_at(const PeerName& name, const std::string& program)
{
    for (const fs::path& folder : {name.path / "bin", name.path}) {
        for (const std::string& file : {program + "." + name.library, program}) {
            if (is_program(folder / file))
                return folder / file;
        }
    }
    throw std::runtime_error(
        fmt::format("{}: there is no {} in {} nor in its folder bin: name the folder that the MPI was "
                    "installed to",
                    name.text(), program, name.path.string()));
}

// Open MPI's launcher may have been built apart from it, and then tells its own version: the compiler is
// asked first.
Version version_by(const fs::path& compiler, const fs::path& launcher)
{
    const Outcome outcome = run_program({compiler.string(), "--showme:version"}, {}, kAskSeconds);
    const std::optional<Version> version = version_in(outcome.output);
    return version ? *version : version_of(launcher);
}

std::string meant_instead_of(const fs::path& path)
{
    std::vector<std::string> neighbours;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(path.parent_path(), ignored))
        neighbours.push_back(entry.path().string());
    return base::did_you_mean(path.string(),
                              std::vector<std::string_view>(neighbours.begin(), neighbours.end()));
}

// The number of a version that first follows these words, as in "Open MPI) v5.0.1"; empty if none does.
std::string number_after(std::string_view words, const std::string& text)
{
    for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) {
        const std::size_t begin = text.find_first_not_of(") v\t\n", at + words.size());
        if (begin == std::string::npos)
            break;
        const std::string word = text.substr(begin, text.find_first_of(" \t\r\n", begin) - begin);
        const std::size_t point = word.find_first_not_of("0123456789");
        if (point != 0 && point + 1 < word.size() && word[point] == '.' && word[point + 1] >= '0' &&
            word[point + 1] <= '9')
            return word;
    }
    return {};
}

}  // namespace

fs::path find_in_path(const std::string& program)
{
    const char* variable = std::getenv("PATH");
    std::istringstream folders(variable != nullptr ? variable : "/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (is_program(fs::path(folder) / program))
            return fs::path(folder) / program;
    }
    return {};
}

std::optional<Version> version_in(const std::string& text)
{
    if (std::string number = number_after("Open MPI", text); !number.empty())
        return Version{"openmpi", std::move(number)};
    if (std::string number = number_after("OpenRTE", text); !number.empty())
        return Version{"openmpi", std::move(number)};
    // Hydra is MPICH's launcher.
    const std::size_t hydra = text.find("HYDRA");
    if (hydra == std::string::npos)
        return {};
    if (std::string number = number_after("Version:", text.substr(hydra)); !number.empty())
        return Version{"mpich", std::move(number)};
    return {};
}

Version version_of(const fs::path& launcher)
{
    const std::vector<std::string> command = {launcher.string(), "--version"};
    const Outcome outcome = run_program(command, {}, kAskSeconds);
    const std::optional<Version> version = version_in(outcome.output);
    if (!version)
        throw std::runtime_error(fmt::format("{} is neither Open MPI's nor MPICH's launcher: {}",
                                             launcher.string(), describe_failure(command, outcome)));
    return *version;
}

Installation installation_at(const PeerName& name)
{
    if (!fs::is_directory(name.path))
        throw std::runtime_error(fmt::format("{}: there is no folder {}{}", name.text(), name.path.string(),
                                             meant_instead_of(name.path)));
    const fs::path launcher = program_at(name, "mpirun");
    const fs::path compiler = program_at(name, "mpicc");
    Installation installation{launcher, compiler, version_by(compiler, launcher)};
    if (!name.library.empty() && name.library != installation.version.library)
        throw std::runtime_error(fmt::format("{}: {} is that of {} {}", name.text(), launcher.string(),
                                             installation.version.library, installation.version.number));
    return installation;
}

fs::path built_for(const Installation& installation, const fs::path& programs)
{
    const fs::path script = programs / "build-peer";
    if (!is_program(script))
        throw std::runtime_error(
            "an MPI is named by its path where Tutti has been built, not where it is installed: call "
            "benchmarks/tutti-bench of the build folder");
    std::string folder = installation.compiler.parent_path().string();
    std::ranges::replace_if(
        folder, [](unsigned char letter) { return std::isalnum(letter) == 0; }, '-');
    const fs::path target = programs / "peers" / (installation.version.library + folder);
    const std::vector<std::string> command = {script.string(), installation.compiler.string(),
                                              target.string()};
    fmt::print(stderr, "# {}: building the loops for it, where they are not there yet\n",
               installation.compiler.string());
    const Outcome outcome = run_program(command, {}, kBuildSeconds);
    if (!outcome.good())
        throw std::runtime_error(describe_failure(command, outcome));
    return target;
}

}  // namespace tutti::bench
