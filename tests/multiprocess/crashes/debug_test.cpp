// Tools for debugging, as tuttirun offers them: gdb for a rank, and suppressions for leak checkers.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <catch2/catch.hpp>

#include "launcher/ranks/spawn.hpp"
#include "tests/multiprocess/launched.hpp"
#include "tests/multiprocess/terminal.hpp"

using namespace tutti::test;

namespace {

/// Tools that read debug information, and valgrind, take their time on a busy machine.
constexpr std::chrono::seconds kPatience{90};

bool is_installed(const std::string& tool)
{
    try {
        tutti::launcher::find_program(tool, std::getenv("PATH"), {});
        return true;
    } catch (const tutti::launcher::SpawnError&) {
        WARN("not tested: there is no " << tool);
        return false;
    }
}

/// tuttirun, whose gdb reads no settings of the user's and asks nobody for debug information.
std::vector<std::string> debugging(const std::vector<std::string>& arguments,
                                   const std::vector<std::string>& variables = {})
{
    std::vector<std::string> command{
        "env", "-u", "DEBUGINFOD_URLS", "HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent", "LC_ALL=C"};
    command.insert(command.end(), variables.begin(), variables.end());
    const std::vector<std::string> rest = tuttirun_command(arguments);
    command.insert(command.end(), rest.begin(), rest.end());
    return command;
}

}  // namespace

TEST_CASE("a rank is given to gdb in this terminal, while the others run", "[debugging]")
{
    if (kSanitized || !is_installed("gdb") || !is_installed("gdbserver"))
        return;
    // The argument has a blank: it arrives whole.
    Launched job(debugging({"-n", "2", "--debug", "1", program("dies"), "segfault", "not all"}), kPatience);
    job.write(
        "set width 0\nbreak store_into\ncontinue\nbacktrace\nframe function main\nprint "
        "argv[2]\nkill\nquit\n");
    const Result result = job.wait();
    CAPTURE(result.out, result.err);
    CHECK(contains(result.out, "hit Breakpoint 1, (anonymous namespace)::store_into"));
    CHECK(contains(result.out, "#2 "));
    CHECK(contains(result.out, "in main (argc=3"));
    CHECK(contains(result.out, "\"not all\""));
    CHECK(result.status != 0);
    CHECK(contains(result.err, "tuttirun: rank 1 (pid "));
}

TEST_CASE("a signal ends the launcher of a job that has ended, while gdb waits for its user", "[debugging]")
{
    if (kSanitized || !is_installed("gdb") || !is_installed("gdbserver"))
        return;
    Launched job(debugging({"-n", "1", "--debug", "0", "true"}), kPatience);
    job.write("set width 0\ncontinue\necho behind it\\n\n");
    REQUIRE(job.wait_for_output("behind it"));
    ::usleep(300'000);
    CHECK_FALSE(job.processes().empty());
    job.signal(SIGTERM);
    // As long as gdb has input, it stays.
    for (int i = 0; i < 1000 && !job.processes().empty(); ++i)
        ::usleep(10'000);
    CHECK(job.processes().empty());
    CHECK(job.wait().status == 0);
}

TEST_CASE("each rank gets a window of tmux with its gdb", "[debugging]")
{
    if (kSanitized || !is_installed("gdb") || !is_installed("gdbserver") || !Terminal::is_possible())
        return;
    std::string folder = std::filesystem::temp_directory_path() / "tutti-tmux-XXXXXX";
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    {
        std::string command;
        for (const std::string& word :
             debugging({"-n", "2", "--debug", "0,1", "--terminal", "tmux", program("correct")}))
            command += shell_quoted(word) + ' ';
        Terminal terminal(folder, 100, 30, command);
        for (const std::string window : {"rank 0", "rank 1"}) {
            INFO(window);
            CHECK(terminal.shows("(gdb)", window));
            terminal.press("continue Enter", window);
        }
        CHECK(terminal.shows("rank 1 of 2: the sum of all ranks is 1", "0"));
        for (const std::string window : {"rank 0", "rank 1"}) {
            CHECK(terminal.shows("exited normally", window));
            terminal.press("quit Enter", window);
        }
        CHECK(terminal.shows("status 0", "0"));
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE("each rank gets an xterm with its gdb", "[debugging]")
{
    if (kSanitized || !is_installed("gdb") || !is_installed("gdbserver"))
        return;
    // It stands for xterm: its options are checked, and its command is run.
    std::string folder = std::filesystem::temp_directory_path() / "tutti-xterm-XXXXXX";
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    const std::string xterm = folder + "/xterm";
    std::ofstream(xterm) << "#!/bin/sh\n[ \"$1 $3\" = '-T -e' ] && echo \"window of $2\" && shift 3 &&\n"
                            "exec \"$@\" -nx -batch -ex continue\n";
    std::filesystem::permissions(xterm, std::filesystem::perms::owner_all);
    // Which display it is matters to xterm alone.
    Launched job(debugging({"-n", "2", "--debug", "0,1", "--terminal", "xterm", program("correct")},
                           {"DISPLAY=:0", "PATH=" + folder + ":" + std::getenv("PATH")}),
                 kPatience);
    const Result result = job.wait();
    std::filesystem::remove_all(folder);
    CAPTURE(result.out, result.err);
    CHECK(result.status == 0);
    CHECK(contains(result.out, "window of rank 0\n"));
    CHECK(contains(result.out, "window of rank 1\n"));
    CHECK(contains(result.out, "rank 1 of 2: the sum of all ranks is 1\n"));
}

TEST_CASE("for a gdb elsewhere its command is reported", "[debugging]")
{
    if (kSanitized || !is_installed("gdb") || !is_installed("gdbserver"))
        return;
    Launched job(debugging({"-n", "2", "--debug", "0,1", "--gdbserver", program("correct")}), kPatience);
    while (!contains(job.so_far().err, "rank 0 waits for gdb on ") ||
           !contains(job.so_far().err, "rank 1 waits for gdb on "))
        ::usleep(10'000);
    std::string text = job.so_far().err;
    CAPTURE(text);
    std::string both;
    for (const std::string rank : {"0", "1"}) {
        // As in "rank 0 waits for gdb on HOST: gdb ARGUMENTS".
        const std::size_t line = text.find("rank " + rank + " waits for gdb on ");
        const std::size_t command = text.find(": gdb ", line);
        const std::size_t end = text.find('\n', line);
        REQUIRE(command < end);
        REQUIRE(end != std::string::npos);
        const std::size_t arguments = command + std::string_view(": gdb ").size();
        both += "env -u DEBUGINFOD_URLS gdb -nx -batch -ex 'set confirm off' " +
                text.substr(arguments, end - arguments) + " -ex continue > /dev/null 2>&1 & ";
    }
    CHECK(std::system((both + "wait").c_str()) == 0);
    const Result result = job.wait();
    CAPTURE(result.err);
    CHECK(result.status == 0);
    CHECK(contains(result.out, "rank 1 of 2: the sum of all ranks is 1\n"));
}

TEST_CASE("wrong ways to ask for a debugger are reported", "[debugging]")
{
    const auto reported = [](std::vector<std::string> words) {
        words.insert(words.end(), {"-n", "2", "true"});
        const Result result = tuttirun(words);
        CHECK(result.status == 2);
        return result.err;
    };
    CHECK(contains(reported({"--debug", "0,1"}), "this terminal has room for one gdb"));
    CHECK(contains(reported({"--gdbserver"}), "say which ranks by --debug"));
    CHECK(
        contains(reported({"--debug", "2", "--gdbserver"}), "there is no rank 2; the job has ranks 0 to 1"));
    CHECK(contains(reported({"--debug", "x"}), "--debug"));

    // Nothing is found there, and the program is named by its path.
    const auto without_tools = [](std::vector<std::string> words) {
        words.insert(words.end(), {"--debug", "0", "-n", "1", program("correct")});
        const Result result = Launched(debugging(words, {"PATH=/nonexistent"})).wait();
        CHECK(result.status != 0);
        return result.err;
    };
    CHECK(contains(without_tools({}),
                   "--debug needs gdb, which is not in PATH; install it (Debian: the package gdb)"));
    CHECK(contains(
        without_tools({"--gdbserver"}),
        "--debug needs gdbserver, which is not in PATH there; install it (Debian: the package gdbserver"));

    const auto without = [](const std::string& variable, const std::string& terminal) {
        Launched job(debugging({"--debug", "0,1", "--terminal", terminal, "-n", "2", "true"}, {variable}));
        const Result result = job.wait();
        CHECK(result.status == 2);
        return result.err;
    };
    CHECK(contains(without("DISPLAY=", "xterm"),
                   "--terminal xterm needs a display; set DISPLAY, or give --terminal tmux"));
    CHECK(contains(without("TMUX=", "tmux"),
                   "--terminal tmux opens windows in a tmux session; run tuttirun inside one"));
}

TEST_CASE("-v tells which process each rank is", "[debugging]")
{
    const Result result = tuttirun({"-v", "-n", "2", "sh", "-c", "echo $PMIX_RANK is pid $$"});
    CAPTURE(result.err, result.out);
    for (const std::string& line : lines_of(result.out))
        CHECK(contains(result.err, "rank " + line));
    CHECK(contains(result.err, "tuttirun: on "));
}

TEST_CASE("a correct program passes under LeakSanitizer and valgrind", "[debugging]")
{
    if (kSanitized)
        return;
    if (!can_list_paths()) {
        WARN("not tested: the tools cannot be told where suppressions are: its path and TMPDIR have blanks");
        return;
    }
    const Result sanitized = tuttirun({"-n", "2", program("correct_asan")});
    CAPTURE(sanitized.err);
    CHECK(sanitized.status == 0);
    CHECK(sanitized.err == "");
    if (!is_installed("valgrind"))
        return;
    const Result checked = tuttirun(
        {"-n", "2", "valgrind", "-q", "--leak-check=full", "--error-exitcode=9", program("correct")});
    CAPTURE(checked.err);
    CHECK(checked.status == 0);
    CHECK_FALSE(contains(checked.err, "lost"));
}
