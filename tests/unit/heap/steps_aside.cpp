// A program in which the preloaded heap must stay off: its blocks are all its own allocator's.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "lib/heap/segment.hpp"

namespace {

// True when blocks of all kinds hold what is written to them.
bool churn()
{
    for (std::size_t bytes = 10; bytes < 3'000'000; bytes *= 3) {
        auto* data = static_cast<char*>(std::calloc(bytes, 1));
        if (data == nullptr || data[bytes - 1] != 0)
            return false;
        std::memset(data, 7, bytes);
        data = static_cast<char*>(std::realloc(data, 2 * bytes));
        void* aligned = nullptr;
        if (data == nullptr || data[bytes - 1] != 7 || posix_memalign(&aligned, 256, bytes) != 0)
            return false;
        std::free(aligned);
        std::free(data);
    }
    return true;
}

}  // namespace

int main()
{
    bool good = tutti_heap_open == nullptr || tutti_heap_open() == nullptr;
    if (!good)
        std::fprintf(stderr, "the heap is on\n");
    std::thread([&] { good = churn() && good; }).join();
    const pid_t child = fork();
    if (child == 0)
        _exit(churn() ? 0 : 1);
    int status = -1;
    good = waitpid(child, &status, 0) == child && status == 0 && good;
    return churn() && good ? 0 : 1;
}
