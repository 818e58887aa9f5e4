// The directory of a job that starts while another one removes what looks as if nobody used it.
#include "launcher/ranks/session_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/temporary_folder.hpp"
#include "tests/unit/launcher/support.hpp"

using namespace tutti::launcher;

TEST_CASE("a job's directory is made again when another process has taken it for a stale one")
{
    std::string folder = std::filesystem::temp_directory_path() / "tutti-session-XXXXXX";
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    const std::string path = folder + "/job";
    constexpr int kEnough = 5;
    constexpr int kMostJobs = 20'000;
    std::atomic<int> removed{0};
    std::atomic<bool> over{false};
    std::thread other([&] {
        while (!over) {
            const int directory = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            if (directory >= 0 && ::flock(directory, LOCK_EX | LOCK_NB) == 0) {
                ::usleep(2000);  // the job sees that it is taken, and still there
                removed += ::rmdir(path.c_str()) == 0 ? 1 : 0;
            }
            if (directory >= 0)
                ::close(directory);
        }
    });
    std::string failed;
    int there = 0;
    int jobs = 0;
    for (; removed < kEnough && jobs < kMostJobs && failed.empty(); ++jobs) {
        try {
            const auto held = create_session_directory(path);
            there += std::filesystem::exists(path) ? 1 : 0;
            remove_session_directory(path);
        } catch (const std::exception& error) {
            failed = error.what();
        }
    }
    over = true;
    other.join();
    std::filesystem::remove_all(folder);
    CHECK(failed == "");
    CHECK(there == jobs);
    if (removed == 0)
        WARN("not tested: the other one was never in time");
}

TEST_CASE("what a job has in its directory stays, however many others look for stale ones")
{
    const tutti::test::TemporaryFolder place;
    const tutti::launcher::test::WithVariable parent("TMPDIR", place.path().string());
    constexpr int kJobs = 1000;
    std::atomic<bool> over{false};
    std::vector<std::thread> others;
    for (int i = 0; i < 3; ++i)
        others.emplace_back([&] {
            while (!over)
                remove_stale_session_directories();
        });
    int lost = 0;
    for (int job = 0; job < kJobs; ++job) {
        const std::string path = choose_session_directory();
        const auto held = create_session_directory(path);
        std::error_code error;
        std::filesystem::create_symlink("anywhere", path + "/link", error);
        std::this_thread::yield();
        lost += std::filesystem::is_symlink(path + "/link") ? 0 : 1;
        remove_session_directory(path);
    }
    over = true;
    for (std::thread& other : others)
        other.join();
    CHECK(lost == 0);
}

TEST_CASE("what a list of paths cannot hold has a link in the job's directory, which goes with it")
{
    const tutti::test::TemporaryFolder place;
    // Not below this one: TMPDIR may have a blank itself.
    std::string session = "/tmp/tutti-session-XXXXXX";
    REQUIRE(::mkdtemp(session.data()) != nullptr);
    CHECK(listable_path("/usr/lib/libx.so", session) == "/usr/lib/libx.so");
    CHECK(std::filesystem::is_empty(session));
    const std::string library = place.write("a b/libx.so", "x");
    const std::string folder = place.write("c:d/tutti/file", "y").parent_path();
    for (int program = 0; program < 2; ++program)
        CHECK(listable_path(library, session) == session + "/libx.so");
    CHECK(listable_path(folder, session) == session + "/tutti");
    CHECK(std::filesystem::equivalent(session + "/libx.so", library));
    // Another file of that name, none at all, and a directory that is no better.
    CHECK(listable_path(place.write("e f/libx.so", "z"), session).empty());
    CHECK(listable_path(place.path() / "a b/none.so", session).empty());
    CHECK(listable_path(library, place.path() / "a b").empty());
    remove_session_directory(session);
    CHECK_FALSE(std::filesystem::exists(session));
    CHECK(std::filesystem::exists(library));
    CHECK(std::filesystem::exists(folder + "/file"));
}
