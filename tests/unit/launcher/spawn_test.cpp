// A child says which process group it leads before it executes anything.
#include "launcher/ranks/spawn.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include <catch2/catch.hpp>

#include "launcher/base/descriptors.hpp"
#include "tests/temporary_folder.hpp"

using namespace tutti::launcher;

namespace {

struct AnnouncedChild {
    pid_t pid = -1;                // as spawn() returns it; -1: it throws
    std::vector<pid_t> announced;  // all that it wrote
    SpawnError error;
};

AnnouncedChild spawn_announced(const char* program, const std::vector<std::string>& argv)
{
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    const UniqueFd read_end(ends[0]);
    UniqueFd write_end(ends[1]);
    const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    InheritedState inherited{};
    ::sigemptyset(&inherited.signal_mask);
    ::getrlimit(RLIMIT_NOFILE, &inherited.open_files);
    const std::vector<int> unbound;
    std::array<char*, 1> environment{nullptr};
    SpawnRequest request{};
    request.program = program;
    request.argv = &argv;
    request.environment = environment.data();
    request.working_directory = "";
    request.cpus = &unbound;
    for (int& stream : request.standard_streams)
        stream = null.get();
    request.inherited = &inherited;
    request.announce_to = write_end.get();

    AnnouncedChild child;
    try {
        child.pid = spawn(request);
    } catch (const SpawnError& error) {
        child.error = error;
    }
    write_end.reset();
    pid_t number = 0;
    while (::read(read_end.get(), &number, sizeof number) == sizeof number)
        child.announced.push_back(number);
    return child;
}

}  // namespace

TEST_CASE("A child announces the group that it leads, once", "[spawn]")
{
    const AnnouncedChild child = spawn_announced("/bin/sleep", {"sleep", "100"});
    REQUIRE(child.pid > 0);
    CHECK(child.announced == std::vector<pid_t>{child.pid});
    CHECK(::getpgid(child.pid) == child.pid);
    ::kill(child.pid, SIGKILL);
    ::waitpid(child.pid, nullptr, 0);
}

TEST_CASE("A child that cannot execute its program has announced itself before, and takes that back",
          "[spawn]")
{
    const AnnouncedChild child = spawn_announced("/no/such/program", {"program"});
    CHECK(child.pid == -1);
    CHECK(child.error.error_number == ENOENT);
    REQUIRE(child.announced.size() == 2);
    CHECK(child.announced[0] > 0);
    CHECK(child.announced[1] == -child.announced[0]);
    ::waitpid(child.announced[0], nullptr, 0);
}

TEST_CASE("A program that lies in the working directory, and not in PATH, is offered by its path", "[spawn]")
{
    const auto why_not = [](const char* search_path, const char* working_directory) {
        try {
            return find_program("sleep", search_path, working_directory);
        } catch (const SpawnError& error) {
            return error.what;
        }
    };
    CHECK(why_not("/no/such/folder:/bin", "/") == "/bin/sleep");
    CHECK(why_not("/no/such/folder", "/bin") ==
          "cannot run sleep (looked for in PATH; there is a ./sleep: did you mean that?)");
    CHECK(why_not("/no/such/folder", "/") == "cannot run sleep (looked for in PATH)");
}

TEST_CASE("A folder of PATH that cannot be entered has no program, a file that cannot be run is one",
          "[spawn]")
{
    const tutti::test::TemporaryFolder folder;
    const auto error_for = [](const std::string& search_path) {
        try {
            find_program("tutti-no-such-program", search_path, {});
        } catch (const SpawnError& error) {
            return error.error_number;
        }
        return 0;
    };
    const std::filesystem::path closed = folder.write("closed/other", "").parent_path();
    const std::filesystem::path file = folder.write("open/tutti-no-such-program", "");
    std::filesystem::permissions(file, std::filesystem::perms::owner_read);
    std::filesystem::permissions(closed, std::filesystem::perms::none);
    CHECK(error_for(closed) == ENOENT);
    CHECK(error_for(closed.string() + ":" + file.parent_path().string()) == EACCES);
    std::filesystem::permissions(closed, std::filesystem::perms::owner_all);
}
