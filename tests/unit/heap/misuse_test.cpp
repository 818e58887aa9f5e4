// What is freed twice, or is no block, ends the program with a sentence, as with the C library.
#include "tests/unit/heap/preloaded.hpp"

#include <malloc.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

using namespace tutti;

namespace {

struct Misuse {
    std::string name;
    std::string call;  // what the sentence begins with
    std::string what;  // and goes on with
    std::function<void()> run;
};

const std::string kTwice = "double free detected";
const std::string kNoBlock = "invalid pointer";

// A block in the heap, which the compiler knows nothing of.
char* block(std::size_t bytes)
{
    static void* volatile block = nullptr;
    block = std::malloc(bytes);
    REQUIRE(test::is_in_heap(block));
    return static_cast<char*>(block);
}

std::vector<Misuse> misuses()
{
    std::vector<Misuse> all;
    for (const std::size_t bytes : {5'000, 100'000, 400'000}) {
        const std::string size = " " + std::to_string(bytes);
        all.push_back({"twice" + size, "free", kTwice, [=] {
                           char* const data = block(bytes);
                           std::free(data);
                           std::free(data);
                       }});
        all.push_back({"twice with another between" + size, "free", kTwice, [=] {
                           char* const first = block(bytes);
                           char* const second = block(bytes);
                           std::free(first);
                           std::free(second);
                           std::free(first);
                       }});
        all.push_back({"in two threads" + size, "free", kTwice, [=] {
                           char* const data = block(bytes);
                           std::thread([=] { std::free(data); }).join();
                           std::free(data);
                       }});
        all.push_back({"realloc of a freed block" + size, "realloc", kTwice, [=] {
                           char* const data = block(bytes);
                           std::free(data);
                           std::free(std::realloc(data, bytes * 3));
                       }});
        for (const std::size_t offset : {1, 16, 48, 64, 4096})
            all.push_back({"inside by " + std::to_string(offset) + size, "free", kNoBlock, [=] {
                               char* const data = block(bytes);
                               std::memset(data, 0, bytes);
                               std::free(data + offset);
                           }});
        all.push_back({"written before" + size, "free", kNoBlock, [=] {
                           char* const data = block(bytes);
                           std::memset(data - 16, 'A', 16);
                           std::free(data);
                       }});
    }
    all.push_back({"joined with its neighbours", "free", kTwice, [] {
                       std::array<char*, 8> blocks{};
                       for (char*& data : blocks)
                           data = block(100'000);
                       for (char* const data : blocks)
                           std::free(data);
                       std::thread([] {}).join();
                       std::free(blocks[1]);
                   }});
    all.push_back({"written behind", "free", kNoBlock, [] {
                       char* const first = block(400'000);
                       char* const second = block(400'000);
                       REQUIRE(second > first);
                       const std::size_t usable = malloc_usable_size(first);
                       std::memset(first + usable, 'A', 64);
                       std::free(second);
                   }});
    all.push_back({"written after free", "malloc", "damaged memory", [] {
                       char* const first = block(100'000);
                       char* const second = block(100'000);
                       std::free(first);
                       std::free(second);
                       char* const inside = first + 6400;
                       std::memcpy(second, &inside, sizeof inside);  // the link of a list of free blocks
                       static_cast<void>(block(100'000));
                       static_cast<void>(block(100'000));
                   }});
    return all;
}

struct Ended {
    int status = 0;
    std::string said;
};

// In a process of its own, with a heap of its own.
Ended run_alone(const std::string& name)
{
    int ends[2] = {};
    REQUIRE(pipe(ends) == 0);
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        setenv("TUTTI_TEST_MISUSE", name.c_str(), 1);
        execl("/proc/self/exe", "heap_preloaded_test", "[misuses its memory]", static_cast<char*>(nullptr));
        _exit(127);
    }
    close(ends[1]);
    Ended ended;
    std::array<char, 4096> part{};
    for (ssize_t bytes = 0; (bytes = read(ends[0], part.data(), part.size())) > 0;)
        ended.said.append(part.data(), static_cast<std::size_t>(bytes));
    close(ends[0]);
    REQUIRE(waitpid(child, &ended.status, 0) == child);
    return ended;
}

}  // namespace

TEST_CASE("double frees, other pointers than blocks and overwritten memory end the program with a sentence")
{
    for (const Misuse& misuse : misuses()) {
        const Ended ended = run_alone(misuse.name);
        INFO(misuse.name << ": " << ended.said);
        CHECK(WIFSIGNALED(ended.status));
        CHECK(WTERMSIG(ended.status) == SIGABRT);
        CHECK_THAT(ended.said, Catch::Contains("tutti: " + misuse.call + "(): " + misuse.what));
    }
}

TEST_CASE("misuses its memory", "[.][misuses its memory]")
{
    const std::string name = std::getenv("TUTTI_TEST_MISUSE");
    test::segment();
    for (const Misuse& misuse : misuses())
        if (misuse.name == name) {
            signal(SIGABRT, SIG_DFL);  // Catch's handler has nothing to tell here
            misuse.run();
        }
}
