// fork() with blocks in shared memory: parent and child each see their own writes.
#include "tests/unit/heap/preloaded.hpp"

#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
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

int status_of(pid_t child)
{
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// A block of ones.
struct Data {
    Data()
    {
        test::segment();
        bytes = static_cast<unsigned char*>(std::malloc(kBytes));
        REQUIRE(test::is_in_heap(bytes));
        std::memset(bytes, 1, kBytes);
    }
    Data(const Data&) = delete;
    Data& operator=(const Data&) = delete;
    ~Data() { std::free(bytes); }
    unsigned char* bytes = nullptr;
};

// As if all memory were taken.
struct NoRoom {
    NoRoom()
    {
        tutti_heap_ask_for_room([]() noexcept { return std::uint64_t{0}; });
    }
    ~NoRoom() { tutti_heap_ask_for_room(nullptr); }
    std::vector<char> filling = std::vector<char>(std::size_t{4} << 20);  // little is copied without a look
};

struct Way {
    const char* name;
    pid_t (*make)(const std::function<int()>& body);
};

constexpr std::size_t kStackBytes = std::size_t{1} << 18;

pid_t clone_on(char* stack, const std::function<int()>& body)
{
    return clone([](void* data) { return (*static_cast<const std::function<int()>*>(data))(); },
                 stack + kStackBytes, SIGCHLD, const_cast<void*>(static_cast<const void*>(&body)));
}

// Each makes a child that runs `body` and ends with what it returns.
std::vector<Way> ways()
{
    return {{"fork",
             [](const std::function<int()>& body) {
                 const pid_t child = fork();
                 if (child == 0)
                     _exit(body());
                 return child;
             }},
            {"_Fork",
             [](const std::function<int()>& body) {
                 const pid_t child = _Fork();
                 if (child == 0)
                     _exit(body());
                 return child;
             }},
            {"the system's clone",
             [](const std::function<int()>& body) {
                 const auto child = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
                 if (child == 0)
                     _exit(body());
                 return child;
             }},
            {"the system's clone3",
             [](const std::function<int()>& body) {
                 std::uint64_t arguments[8] = {};  // flags, pidfd, child_tid, parent_tid, exit_signal, ...
                 arguments[4] = SIGCHLD;
                 const auto child = static_cast<pid_t>(syscall(SYS_clone3, arguments, sizeof arguments));
                 if (child == 0)
                     _exit(body());
                 return child;
             }},
            {"clone",
             [](const std::function<int()>& body) {
                 static char stack[kStackBytes];
                 return clone_on(stack, body);
             }},
            {"clone with a stack in the heap", [](const std::function<int()>& body) {
                 static std::vector<char> stack(kStackBytes);
                 return clone_on(stack.data(), body);
             }}};
}

int start_program_with_arguments_in_heap()
{
    const std::string words = "exit 42 #" + std::string(20'000, 'x');
    execl("/bin/sh", "sh", "-c", words.c_str(), static_cast<char*>(nullptr));
    return 3;
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

TEST_CASE("system(), posix_spawn() and vfork() run programs")
{
    CHECK(std::system("exit 7") == 7 << 8);
    char* arguments[] = {const_cast<char*>("true"), nullptr};
    pid_t child = 0;
    REQUIRE(posix_spawnp(&child, "true", nullptr, nullptr, arguments, environ) == 0);
    CHECK(status_of(child) == 0);
}

TEST_CASE("children that are made past fork() see the memory, and their writes are their own")
{
    Data data;
    for (const Way& way : ways()) {
        INFO(way.name);
        CHECK(status_of(way.make([&] {
                  const bool good = is_all(data.bytes, 1);
                  std::memset(data.bytes, 2, kBytes);
                  return good ? 0 : 1;
              })) == 0);
        CHECK(is_all(data.bytes, 1));
        CHECK(status_of(way.make([] { return start_program_with_arguments_in_heap(); })) == 42);
    }
    // Whether there is such a call.
    CHECK(syscall(SYS_clone3, nullptr, 0) == -1);
    CHECK((errno == EINVAL || errno == ENOSYS));
}

TEST_CASE("without memory for a copy, a child is lent the heap until it starts a program, or ends")
{
    Data data;
    NoRoom no_room;
    for (const Way& way : ways()) {
        INFO(way.name);
        const pid_t child = way.make([&] {
            usleep(100'000);
            bool good = is_all(data.bytes, 1);
            std::memset(data.bytes, 2, kBytes);
            auto* const other = static_cast<unsigned char*>(std::malloc(kBytes));
            std::memset(other, 3, kBytes);
            std::free(other);
            data.bytes = static_cast<unsigned char*>(std::realloc(data.bytes, 3 * kBytes));
            good = good && is_all(data.bytes, 2);
            std::free(data.bytes);
            return good ? 0 : 1;
        });
        std::memset(data.bytes, 9, kBytes);
        CHECK(status_of(child) == 0);
        CHECK(is_all(data.bytes, 9));
        std::memset(data.bytes, 1, kBytes);
        const pid_t program = way.make([] {
            closefrom(3);
            return start_program_with_arguments_in_heap();
        });
        CHECK(status_of(program) == 42);
    }
}

TEST_CASE("the memory that is left is looked at once for many small pieces")
{
    static std::atomic<int> looks{0};
    Data data;
    std::vector<void*> pieces;
    for (int i = 0; i < 600; ++i)
        pieces.push_back(std::memset(std::malloc(50'000), 1, 6000));
    tutti_heap_ask_for_room([]() noexcept {
        ++looks;
        return ~std::uint64_t{0};
    });
    CHECK(test::status_of_child([&] { return is_all(data.bytes, 1) ? 0 : 1; }) == 0);
    tutti_heap_ask_for_room(nullptr);
    CHECK(looks >= 1);
    CHECK(looks <= 3);
    for (void* const piece : pieces)
        std::free(piece);
}

TEST_CASE("a child that goes on with lent memory is told of, and its parent waits for a second")
{
    Data data;
    NoRoom no_room;
    test::ErrorText errors;
    Pipe parent_has_written;
    const auto begin = std::chrono::steady_clock::now();
    const pid_t child = fork();
    if (child == 0) {
        const bool has_waited = parent_has_written.wait();
        _exit(has_waited && is_all(data.bytes, 9) ? 0 : 1);
    }
    const auto took = std::chrono::steady_clock::now() - begin;
    std::memset(data.bytes, 9, kBytes);
    parent_has_written.tell();
    CHECK(status_of(child) == 0);
    CHECK(took >= std::chrono::seconds{1});
    CHECK_THAT(errors.text(), Catch::Contains("tutti: fork(): process " + std::to_string(getpid()) +
                                              " has no memory for a copy of the ") &&
                                  Catch::Contains("(0 MiB are left)") && Catch::Contains("--heap off"));
}

TEST_CASE("a child tells of blocks that it frees twice")
{
    Data data;
    test::ErrorText errors;
    CHECK(test::status_of_child([&] {
              signal(SIGABRT, SIG_DFL);
              std::free(data.bytes);
              static void* volatile again = data.bytes;
              std::free(again);
              return 0;
          }) == 128 + SIGABRT);
    CHECK_THAT(errors.text(), Catch::Contains("tutti: free(): double free detected"));
}

TEST_CASE("pages that are given back read as zero, in the parent, in its child, and where the heap is lent")
{
    const auto reads_as_zero = [](int advice) {
        constexpr std::size_t kHalf = kBytes / 2 / heap::kPage * heap::kPage;
        auto* const data = static_cast<unsigned char*>(std::aligned_alloc(heap::kPage, 2 * kHalf));
        const bool is_in_heap = test::is_in_heap(data);
        std::memset(data, 7, 2 * kHalf);
        bool good = madvise(data, kHalf, advice) == 0;
        for (std::size_t i = 0; i < 2 * kHalf; ++i)
            good = good && data[i] == (i < kHalf ? 0 : 7);
        std::memset(data, 8, 2 * kHalf);
        good = good && data[0] == 8 && madvise(data + 1, kHalf, advice) == -1 && errno == EINVAL;
        std::free(data);
        return is_in_heap && good;
    };
    Data data;
    CHECK(reads_as_zero(MADV_DONTNEED));
    CHECK(reads_as_zero(MADV_FREE));
    const auto in_child = [&] {
        auto* const from = reinterpret_cast<unsigned char*>(
            heap::round_up(reinterpret_cast<std::uintptr_t>(data.bytes), heap::kPage));
        bool good = from[0] == 1 && madvise(from, heap::kPage, MADV_DONTNEED) == 0;
        for (std::size_t i = 0; i < heap::kPage; ++i)
            good = good && from[i] == 0;
        return good && from[heap::kPage] == 1 ? 0 : 1;
    };
    CHECK(test::status_of_child(in_child) == 0);
    NoRoom no_room;
    CHECK(test::status_of_child(in_child) == 0);
    CHECK(is_all(data.bytes, 1));
}
