// What --help and --version print.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>

#include "launcher/command_line/grammar.hpp"
#include "tests/unit/launcher/support.hpp"

using namespace tutti::launcher;
using namespace tutti::launcher::test;
using Words = std::vector<std::string>;

namespace {

/// Runs `call` with stdout going to a file, whose contents it returns.
template <typename Call>
std::string captured_stdout(const TemporaryFolder& folder, Call call)
{
    const std::string path = folder.write("stdout", "").string();
    std::fflush(stdout);
    const int saved = dup(STDOUT_FILENO);
    const int file = open(path.c_str(), O_WRONLY);
    dup2(file, STDOUT_FILENO);
    close(file);
    call();
    std::fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("Help and version are printed to stdout and end the launcher with success")
{
    const TemporaryFolder folder;
    const auto printed = [&folder](const Words& words) {
        int status = -1;
        const std::string text = captured_stdout(folder, [&] {
            try {
                parse(words);
            } catch (const EarlyExit& exit) {
                status = exit.status;
            }
        });
        CHECK(status == 0);
        return text;
    };
    for (const Words& words :
         {Words{"--help"}, Words{"-h"}, Words{"-help"}, Words{"-n", "2", "--help", "a"}}) {
        CHECK_THAT(printed(words), Catch::StartsWith("Usage: tuttirun"));
    }
    for (const Words& words : {Words{"--version"}, Words{"-V"}, Words{"-version"}}) {
        CHECK_THAT(printed(words), Catch::StartsWith("tuttirun (Tutti) " TUTTI_PROJECT_VERSION "\n") &&
                                       Catch::Contains("PMIx:  ") && Catch::Contains("hwloc: 2."));
    }
    // Under others' names, what their tools look for: with brackets and without.
    CHECK_THAT(version_text("/opt/bin/mpirun"),
               Catch::StartsWith("mpirun (Tutti) " TUTTI_PROJECT_VERSION "\n") &&
                   Catch::Contains("mpirun (Open MPI) 4.") && Catch::Contains("MPICH"));
    CHECK_THAT(version_text("mpiexec"), Catch::StartsWith("mpiexec (Tutti)"));
}

TEST_CASE("The help names every option and fits into 100 columns")
{
    CommandLine line;
    const std::vector<OptionDefinition> definitions = define_options(line);
    const std::string text = help_text(definitions);
    for (const OptionDefinition& option : definitions) {
        for (const std::string& name : option.names) {
            CAPTURE(name);
            CHECK_THAT(text, Catch::Contains(name));
        }
        CHECK_THAT(text, Catch::Contains(option.help));
        CHECK_FALSE(option.help.empty());
    }
    for (const auto& [spelling, known] : spellings_of(definitions)) {
        CAPTURE(spelling);
        CHECK((known.implied.empty() || text.find(spelling) != std::string::npos));
    }
    std::istringstream lines(text);
    for (std::string row; std::getline(lines, row);) {
        CAPTURE(row);
        CHECK(row.size() <= 100);
    }
    for (const char* part :
         {"Examples:", "Exit status:", "Environment:", "MPIEXEC_TIMEOUT", "OMP_NUM_THREADS"}) {
        CHECK_THAT(text, Catch::Contains(part));
    }
}
