// The last rank dies at a known place while the others wait for it: dies HOW [all]. With "all", all die.
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "tutti/tutti.hpp"

namespace {

volatile int zero = 0;
int* volatile nowhere = nullptr;

[[gnu::noinline]] void store_into(int* target)
{
    *target = 1;  // line 23
}

[[gnu::noinline]] int divide(int by)
{
    return 7 / by;  // line 28
}

[[gnu::noinline]] int fill_stack(int depth)
{
    volatile char page[4096];
    page[0] = static_cast<char>(depth);
    return zero == 1 ? 0 : fill_stack(depth + 1) + page[0];
}

[[gnu::noinline]] void complain()
{
    throw std::runtime_error("the grid is empty");
}

[[gnu::noinline]] void give_up()
{
    std::abort();
}

void own_handler(int)
{
    constexpr std::string_view kText = "my own handler\n";
    [[maybe_unused]] const ssize_t bytes = ::write(STDOUT_FILENO, kText.data(), kText.size());
    ::_exit(23);
}

void die(std::string_view how, const tutti::Environment& environment)
{
    if (how == "segfault")
        store_into(nowhere);
    if (how == "not_to_be_seen") {
        ::prctl(PR_SET_DUMPABLE, 0);
        store_into(nowhere);
    }
    if (how == "fpe")
        ::exit(divide(zero));
    if (how == "overflow")
        ::exit(fill_stack(0));
    if (how == "ill")
        __builtin_trap();
    if (how == "bus") {
        std::FILE* const empty = std::tmpfile();
        store_into(static_cast<int*>(::mmap(nullptr, 4096, PROT_WRITE, MAP_SHARED, ::fileno(empty), 0)));
    }
    if (how == "abort")
        give_up();
    if (how == "exception")
        complain();
    if (how == "call_abort")
        environment.abort(5, "no more paper");
    if (how == "exit")
        ::_exit(0);
    if (how == "killed")
        ::raise(SIGKILL);
    if (how == "thread")
        std::thread([] { store_into(nowhere); }).join();
    if (how == "thread_overflow") {
        std::thread([&environment] {
            int value = 1;
            tutti::Request sent = environment.world().isend(int{value}, environment.world().rank(), 2);
            environment.world().recv(value, environment.world().rank(), 2);
            sent.wait();
            ::exit(fill_stack(0));
        }).join();
    }
    if (how == "own_handler" || how == "earlier_handler") {
        if (how == "own_handler")
            ::signal(SIGSEGV, own_handler);
        store_into(nowhere);
    }
    if (how == "fork") {
        if (::fork() == 0)
            store_into(nowhere);
        ::pause();
    }
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string_view how = argv[1];
    if (how == "before")
        store_into(nowhere);
    if (how == "earlier_handler")
        ::signal(SIGSEGV, own_handler);
    {
        const auto threads =
            how == "thread_overflow" ? tutti::ThreadLevel::multiple : tutti::ThreadLevel::funneled;
        tutti::Environment environment(argc, argv, {.threads = threads});
        const tutti::Communicator world = environment.world();
        world.barrier();
        const bool all = argc > 2 && std::string_view(argv[2]) == "all";
        if (how != "after" && (all || world.rank() == world.size() - 1))
            die(how, environment);
        if (how != "after" && world.size() > 1) {
            int value = 0;
            world.recv(value, world.size() - 1, 1);
        }
    }
    store_into(nowhere);
}
