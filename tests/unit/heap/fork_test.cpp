// fork() with blocks in shared memory: parent and child each see their own writes.
#include "tests/unit/heap/preloaded.hpp"

#include <spawn.h>
#include <sys/syscall.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

using namespace tutti;

namespace {

constexpr std::size_t kBytes = 1'000'000;

struct Pipe {
    Pipe() { REQUIRE(pipe(ends) == 0); }
    void tell() const { REQUIRE(write(ends[1], "x", 1) == 1); }
    bool wait() const
    {
        char byte = 0;
        return read(ends[0], &byte, 1) == 1;
    }
    ~Pipe()
    {
        close(ends[0]);
        close(ends[1]);
    }
    int ends[2];
};

bool is_all(const unsigned char* data, int value)
{
    return data[0] == value && std::memcmp(data, data + 1, kBytes - 1) == 0;
}

int churn_in_child()
{
    std::vector<unsigned char*> blocks;
    for (int round = 0; round < 10; ++round) {
        for (int i = 0; i < 20; ++i) {
            auto* const data = static_cast<unsigned char*>(std::calloc(kBytes, 1));
            if (data == nullptr || !is_all(data, 0))
                return 1;
            std::memset(data, round, kBytes);
            blocks.push_back(data);
        }
        for (unsigned char* const block : blocks)
            std::free(block);
        blocks.clear();
    }
    return 0;
}

}  // namespace

TEST_CASE("a child sees the memory as it was at the fork, and its writes are its own")
{
    test::segment();
    auto* const data = static_cast<unsigned char*>(std::malloc(kBytes));
    auto* const freed = static_cast<unsigned char*>(std::malloc(kBytes));
    REQUIRE(test::is_in_heap(data));
    std::memset(data, 1, kBytes);
    std::memset(freed, 2, kBytes);
    Pipe child_has_written;
    Pipe parent_has_written;
    const pid_t child = fork();
    if (child == 0) {
        // Half is written by both, half by the parent only.
        bool good = is_all(data, 1);
        std::memset(data, 3, kBytes / 2);
        std::free(freed);
        static_cast<void>(!write(child_has_written.ends[1], "x", 1));
        good = parent_has_written.wait() && good;
        for (std::size_t i = 0; i < kBytes; ++i)
            good = good && data[i] == (i < kBytes / 2 ? 3 : 1);
        _exit(good ? 0 : 1);
    }
    REQUIRE(child > 0);
    REQUIRE(child_has_written.wait());
    CHECK(is_all(data, 1));
    CHECK(is_all(freed, 2));
    std::memset(data, 4, kBytes);
    std::memset(freed, 4, kBytes);
    parent_has_written.tell();
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(is_all(data, 4));
    CHECK(is_all(freed, 4));
    std::free(data);
    std::free(freed);
}

TEST_CASE("a child, and a child of the child, allocate and free as any process")
{
    auto* const data = static_cast<unsigned char*>(std::malloc(kBytes));
    std::memset(data, 1, kBytes);
    CHECK(test::status_of_child([&] {
              if (churn_in_child() != 0)
                  return 1;
              const int status = test::status_of_child([&] {
                  std::memset(data, 9, kBytes);
                  std::free(data);
                  return churn_in_child();
              });
              return status == 0 && is_all(data, 1) ? 0 : 2;
          }) == 0);
    CHECK(is_all(data, 1));
    std::free(data);
    CHECK(churn_in_child() == 0);
}

TEST_CASE("a fork while other threads allocate neither blocks nor breaks the child")
{
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i)
        threads.emplace_back([&] {
            while (!stop)
                for (const std::size_t bytes : {5000, 50'000, 500'000})
                    std::free(std::memset(std::malloc(bytes), 1, 100));
        });
    for (int i = 0; i < 20; ++i)
        REQUIRE(test::status_of_child([] {
                    void* const data = std::malloc(300'000);
                    std::memset(data, 1, 300'000);
                    std::free(data);
                    return 0;
                }) == 0);
    stop = true;
    for (std::thread& thread : threads)
        thread.join();
}

TEST_CASE("the heap's file may be closed by the program: a child still gets its copy")
{
    CHECK(test::status_of_child([] {
              // In a process with a heap of its own, which has not forked before.
              const std::string self = "/proc/self/exe";
              execl(self.c_str(), self.c_str(), "[closes its descriptors]", static_cast<char*>(nullptr));
              return 127;
          }) == 0);
}

TEST_CASE("closes its descriptors and forks", "[.][closes its descriptors]")
{
    auto* const data = static_cast<unsigned char*>(std::malloc(kBytes));
    close(test::segment().descriptor);
    auto* const second = static_cast<unsigned char*>(std::malloc(kBytes));
    REQUIRE(test::is_in_heap(second));
    std::memset(second, 5, kBytes);
    CHECK(test::status_of_child([&] {
              const bool good = is_all(second, 5);
              std::memset(second, 6, kBytes);
              return good ? 0 : 1;
          }) == 0);
    CHECK(is_all(second, 5));
    std::free(second);
    std::free(data);
}

TEST_CASE(
    "system(), posix_spawn() and vfork() run programs; a clone() past the C library never writes to the "
    "parent")
{
    auto* const data = static_cast<unsigned char*>(std::malloc(kBytes));
    std::memset(data, 1, kBytes);
    CHECK(std::system("exit 7") == 7 << 8);
    char* arguments[] = {const_cast<char*>("true"), nullptr};
    pid_t child = 0;
    REQUIRE(posix_spawnp(&child, "true", nullptr, nullptr, arguments, environ) == 0);
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);

    child = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);  // Catch's handler has nothing to tell here
        data[0] = 2;
        _exit(0);
    }
    REQUIRE(child > 0);
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    CHECK(data[0] == 1);
    std::free(data);
}
