// Waits at a known place for a test that reads its stack: known_stack plain|inline|handler|recursion|threads.
// Line numbers are those of this file: the test looks for them.
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <unistd.h>

namespace {

volatile int depth = 0;

[[gnu::noinline]] void wait_here()
{
    [[maybe_unused]] const ssize_t bytes = ::write(STDOUT_FILENO, "+", 1);
    while (depth >= 0)
        ::pause();  // line 18
}

[[gnu::noinline]] void middle(int number)
{
    wait_here();  // line 23
    depth = number;
}

[[gnu::always_inline]] inline void put_into_its_caller(int number)
{
    middle(number);  // line 29
    depth = number + 1;
}

[[gnu::noinline]] void recurse(int levels)
{
    if (levels == 0)
        wait_here();  // line 36
    else
        recurse(levels - 1);  // line 38
    depth = levels;
}

void handle(int)
{
    wait_here();
}

[[gnu::noinline]] void interrupted()
{
    ::kill(::getpid(), SIGUSR1);  // the handler runs before it returns
    depth = 1;
}

}  // namespace

int main(int, char** argv)
{
    ::alarm(60);  // a test that dies leaves nothing behind
    const char* const how = argv[1];
    if (std::strcmp(how, "inline") == 0)
        put_into_its_caller(1);  // line 60
    if (std::strcmp(how, "recursion") == 0)
        recurse(1000);
    if (std::strcmp(how, "handler") == 0) {
        std::signal(SIGUSR1, handle);
        interrupted();  // line 65
    }
    if (std::strcmp(how, "threads") == 0) {
        std::thread other([] { middle(2); });
        wait_here();
    }
    middle(1);  // line 71
    return 0;
}
