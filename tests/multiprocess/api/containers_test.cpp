// Ranks whose memory the others cannot open by way of /proc: a container a rank without privileges, programs
// that may be executed but not read, a hidden /proc. By tuttirun they share memory all the same.
#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "tests/multiprocess/launched.hpp"

using namespace tutti::test;

namespace {

using Words = std::vector<std::string>;

Words operator+(Words first, const Words& second)
{
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

// An ordinary user's, whose temporary folder is that of the test.
Words as_user(const std::string& number, const Words& command)
{
    return Words{"sh",
                 "-c",
                 "chmod 777 \"$TMPDIR\" && exec \"$@\"",
                 "sh",
                 "setpriv",
                 "--reuid",
                 number,
                 "--regid",
                 number,
                 "--clear-groups"} +
           command;
}

Words as_ordinary_user(const Words& command)
{
    return geteuid() != 0 ? command : as_user("65534", command);
}

bool works(const Words& command)
{
    Launched launched(command);
    return launched.wait().status == 0;
}

bool skipped()
{
    const std::string tuttirun = tuttirun_command({}).front();
    const char* why = nullptr;
    if (!works(as_ordinary_user({"test", "-x", tuttirun})))
        why = "an ordinary user cannot execute what is built here";
    else if (!works(as_ordinary_user({"sh", "-c", "test -w \"$TMPDIR\""})))
        why = "an ordinary user cannot reach TMPDIR";
    else if (!works(as_ordinary_user({"unshare", "-c", "true"})))
        why = "the kernel, or what confines this process, allows ordinary users no namespaces";
    if (why != nullptr)
        std::printf("containers: skipped: %s\n", why);
    return why != nullptr;
}

const std::string kShared = "3 inboxes, 3 heaps, 1 boards";

// The memory of a rank could not be opened, for this reason of the kernel's.
bool tells_why(const std::string& reported, const std::string& reason)
{
    return Catch::Matches(
               "[^]*cannot open the memory of rank [0-2] \\(process \\d+\\): /proc/\\d+/fd/\\d+: " + reason +
               "[^]*")
        .match(reported);
}

// Where nobody hands memory over and /proc does not give it.
void check_reported(const Words& command, const std::string& reason)
{
    Launched launched(command);
    const Result result = launched.wait();
    CAPTURE(result.err, reason);
    CHECK(result.status == 1);
    CHECK(contains(result.err, "they are on one node and share no memory: "));
    CHECK(tells_why(result.err, reason));
    CHECK(contains(result.err, "TUTTI_FABRIC=tcp"));
    CHECK_FALSE(contains(result.err, "left"));
}

void check_shared(const Words& command)
{
    CAPTURE(command);
    Launched launched(command);
    const Result result = launched.wait();
    CHECK(result.err == "");
    CHECK(result.status == 0);
    CHECK(lines_of(result.out) == Words{kShared, kShared, kShared});
}

Words launcher(const Words& arguments)
{
    return tuttirun_command(Words{"-x", "TUTTI_SHARED_CORES=1", "-n", "3"} + arguments);
}

}  // namespace

TEST_CASE("ranks in containers of their own share memory", "[containers]")
{
    if (skipped())
        return;
    const std::string test = program("api_containers");
    const Words container =
        GENERATE(Words{"unshare", "-c"}, Words{"unshare", "-cpf", "--kill-child"},
                 Words{"sh", "-c", "if [ $PMIX_RANK = 1 ]; then exec unshare -c \"$0\"; fi; exec \"$0\""});
    check_shared(as_ordinary_user(launcher(container + Words{test})));
    if (geteuid() == 0) {
        check_shared(launcher(Words{"unshare", "-Ur", test}));
        // The user that those are who have no name.
        check_shared(as_ordinary_user(launcher({"unshare", "-U", test})));
    }
}

TEST_CASE("ranks that are other users in their containers share memory", "[containers]")
{
    if (skipped())
        return;
    if (geteuid() != 0) {
        std::puts("containers with users of their own: skipped: to be another user takes root");
        return;
    }
    const std::string test = program("api_containers");
    const Words container =
        GENERATE(Words{"unshare", "-U"}, Words{"unshare", "-Ur"},
                 Words{"sh", "-c", "if [ $PMIX_RANK = 1 ]; then exec unshare -Ur \"$0\"; fi; exec \"$0\""});
    check_shared(as_user("1234", launcher(container + Words{test})));
}

TEST_CASE("a user whom nothing names runs jobs without HOME", "[containers]")
{
    if (skipped() || geteuid() != 0)
        return;
    const Words command = launcher({program("api_containers")});
    check_shared(as_user("54321", Words{"env", "-u", "HOME", "-u", "USER", "-u", "LOGNAME"} + command));
}

TEST_CASE("ranks in containers share memory with a progress thread, too", "[containers]")
{
    if (skipped())
        return;
    check_shared(
        as_ordinary_user(tuttirun_command({"-x", "TUTTI_SHARED_CORES=1", "-x", "TUTTI_PROGRESS=thread", "-n",
                                           "3", "unshare", "-c", program("api_containers")})));
}

TEST_CASE("ranks whose files in /proc belong to others share memory", "[containers]")
{
    if (skipped())
        return;
    const std::filesystem::path test = program("api_containers");
    check_shared(as_ordinary_user(launcher({test, "undumpable"})));
    if (geteuid() != 0 || kSanitized)
        return;
    // May be executed, not read: by a sanitizer neither, which reads its own program.
    std::string folder = (std::filesystem::temp_directory_path() / "tutti-711-XXXXXX").string();
    REQUIRE(mkdtemp(folder.data()) != nullptr);
    std::filesystem::permissions(folder, std::filesystem::perms(0755));
    const std::string copy = folder + "/api_containers";
    std::filesystem::copy_file(test, copy);
    std::filesystem::permissions(copy, std::filesystem::perms(0711));
    const std::string library = test.parent_path() / ".." / ".." / ".." / "lib" / "core";
    check_shared(as_ordinary_user(launcher({"-x", "LD_LIBRARY_PATH=" + library, copy})));
    std::filesystem::remove_all(folder);
}

TEST_CASE("ranks that /proc hides from each other share memory", "[containers]")
{
    if (skipped())
        return;
    const Words hidden = {"unshare", "-mpf", "--kill-child",
                          "sh",      "-c",   "mount -t proc -o hidepid=2 proc /proc && exec \"$@\"",
                          "sh"};
    if (geteuid() != 0 || !works(hidden + Words{"true"})) {
        std::puts("containers with a hidden /proc: skipped: this user may not mount one");
        return;
    }
    const std::string test = program("api_containers");
    check_shared(hidden + as_ordinary_user(launcher({test})));
    check_shared(hidden + as_ordinary_user(launcher({"unshare", "-c", test})));
    // What is hidden looks as if it were not there.
    check_reported(hidden + as_ordinary_user(launcher({"env", "-u", "TUTTI_CONTROL", "unshare", "-c", test})),
                   "No such file or directory");
}

TEST_CASE("ranks share memory where /proc is that of another PID namespace", "[containers]")
{
    if (geteuid() != 0) {
        std::puts("containers with another's /proc: skipped: only root makes them");
        return;
    }
    const Words elsewhere = {"unshare", "-pf", "--kill-child"};
    const std::string test = program("api_containers");
    check_shared(elsewhere + launcher({test}));
    // Without the launcher's help, by that /proc itself: it has other numbers of the ranks.
    check_shared(elsewhere + launcher({"env", "-u", "TUTTI_CONTROL", test}));
}

TEST_CASE("where nobody hands memory over, ranks in containers say so, or go over TCP", "[containers]")
{
    if (skipped())
        return;
    const Words alone = {"env", "-u", "TUTTI_CONTROL", "unshare", "-c", program("api_containers")};
    // As this machine's /proc has it: some show only what one may look into.
    check_reported(as_ordinary_user(launcher(alone)), "(Permission denied|No such file or directory)");
    Launched launched(as_ordinary_user(launcher(Words{"--fabric", "tcp"} + alone)));
    const Result result = launched.wait();
    CAPTURE(result.err);
    CHECK(result.status == 0);
    CHECK(contains(result.err, "are on one node and share no memory: "));
    CHECK(contains(result.err, "; going over TCP\n"));
    const std::string unshared = "1 inboxes, 1 heaps, 0 boards";
    CHECK(lines_of(result.out) == Words{unshared, unshared, unshared});
}

TEST_CASE("under launchers that hand no memory over, ranks in containers agree to go over TCP",
          "[containers]")
{
    const char* mpirun = std::getenv("OPENMPI_MPIRUN");
    if (skipped())
        return;
    if (mpirun == nullptr || *mpirun == '\0') {
        std::puts("containers: skipped: mpirun.openmpi is not installed");
        return;
    }
    const std::string test = program("api_containers");
    const Words started = {mpirun, "--oversubscribe", "-x", "TUTTI_SHARED_CORES=1", "-n", "3"};
    // In all containers, or in one: all ranks open ports then, and those that can share memory do.
    const auto [container, unshared] = GENERATE(
        std::pair{Words{"unshare", "-c"}, 3},
        std::pair{Words{"sh", "-c", "if [ $PMIX_RANK = 2 ]; then exec unshare -c \"$0\"; fi; exec \"$0\""},
                  1});
    Launched launched(as_ordinary_user(started + container + Words{test}));
    const Result result = launched.wait();
    CAPTURE(result.err, result.out);
    CHECK(result.status == 0);
    CHECK(contains(result.err, "are on one node and share no memory: "));
    CHECK(contains(result.err, "; going over TCP\n"));
    const Words lines = lines_of(result.out);
    REQUIRE(lines.size() == 3);
    CHECK(std::ranges::count_if(
              lines, [](const std::string& line) { return line.starts_with("1 inboxes, 1"); }) == unshared);

    Launched together(as_ordinary_user(started + Words{test}));
    const Result shared = together.wait();
    CHECK(shared.err == "");
    CHECK(lines_of(shared.out) == Words{kShared, kShared, kShared});
}
