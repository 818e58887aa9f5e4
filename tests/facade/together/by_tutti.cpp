// A module that uses the C++ interface, with the functions of by_mpi.c.
#include <cstdio>
#include <optional>
#include <tutti/tutti.hpp>

namespace {

std::optional<tutti::Environment> environment;

// 1 if not.
int expect(bool holds, const char* what)
{
    if (!holds)
        std::fprintf(stderr, "by_tutti: %s\n", what);
    return holds ? 0 : 1;
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] int begin()
{
    environment.emplace(tutti::EnvironmentOptions{.threads = tutti::ThreadLevel::multiple});
    return expect(environment->thread_level() == tutti::ThreadLevel::multiple, "thread level");
}

[[gnu::visibility("default")]] int exchange(int round)
{
    const tutti::Communicator world = environment->world();
    const int left = (world.rank() + world.size() - 1) % world.size();
    const int sent = 100 * round + world.rank();
    int got = -1;
    auto request = world.isend(sent, (world.rank() + 1) % world.size(), round);
    const tutti::Status status = world.recv(got, tutti::any_source, round);
    request.wait();
    int failures = expect(got == 100 * round + left && status.source == left, "message");
    int sum = world.rank();
    const auto half = world.split(world.rank() % 2);
    half->allreduce(sum, tutti::sum);
    int expected = 0;
    for (int rank = world.rank() % 2; rank < world.size(); rank += 2)
        expected += rank;
    failures += expect(sum == expected, "sum");
    return failures;
}

[[gnu::visibility("default")]] int end()
{
    environment.reset();
    return 0;
}
}
