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

#include <catch2/catch.hpp>

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
