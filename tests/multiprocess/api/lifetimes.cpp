// What must not be done around an Environment's life; the argument says what. Prints what it is told.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string>

#include "tests/multiprocess/api/program.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test::lifetimes {

namespace {

// Of the child of a fork: true.
bool fork_and_wait()
{
    const pid_t child = fork();
    if (child == 0)
        return true;
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return false;
}

void run(const std::string& what, int argc, char** argv)
{
    std::optional<tutti::Environment> environment(std::in_place, argc, argv);
    std::optional<tutti::Communicator> world = environment->world();
    int value = 0;
    if (what == "again") {
        world.reset();
        environment.reset();
        const tutti::Environment second(argc, argv);
    } else if (what == "barrier") {
        environment.reset();
        world->barrier();
    } else if (what == "send") {
        environment.reset();
        world->send(value, (world->rank() + 1) % world->size());
    } else if (what == "wait") {
        tutti::Request request = world->irecv(value, tutti::any_source, 3);
        environment.reset();
        request.wait();
    } else if (what == "split") {
        const std::optional<tutti::Communicator> pair = world->split(0);
        world.reset();
        environment.reset();
        pair->barrier();
    } else if (what == "destroy") {
        const std::optional<tutti::Communicator> pair = world->split(0);
        environment.reset();
    } else if (what == "fork_return") {
        if (fork_and_wait())
            return;
        world->barrier();
    } else if (what == "fork_barrier") {
        if (fork_and_wait())
            world->barrier();
        world->barrier();
    } else if (what == "fork_ibarrier") {
        if (fork_and_wait())
            tutti::Request begun = world->ibarrier();
        world->barrier();
    } else if (what == "fork_send") {
        if (fork_and_wait())
            world->send(value = 1, (world->rank() + 1) % world->size());
        world->send(value = 2, (world->rank() + 1) % world->size());
        world->recv(value, tutti::any_source);
        std::printf("received %d\n", value);
    } else if (what == "fork_request") {
        tutti::Request receive = world->irecv(value, tutti::any_source);
        if (fork_and_wait())
            return;
        world->send(2, (world->rank() + 1) % world->size());
        receive.wait();
        std::printf("received %d\n", value);
    } else if (what == "static") {
        static int later = 0;
        static tutti::Request request;
        request = world->irecv(later, tutti::any_source, 3);
    } else if (what == "fork_wait") {
        if (fork_and_wait())
            world->recv(value, tutti::any_source, 3);
        world->barrier();
    }
}

}  // namespace

int run_program(int argc, char** argv)
{
    try {
        run(argc > 1 ? argv[1] : "", argc, argv);
    } catch (const tutti::Error& error) {
        std::printf("%s\n", error.what());
        std::fflush(stdout);
        return 3;
    }
    return 0;
}

const Program program("lifetimes", run_program);

}  // namespace tutti::test::lifetimes
