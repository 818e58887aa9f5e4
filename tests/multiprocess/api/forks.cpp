// Children that end at once, as of a program that starts others, while their parents reduce: exit statuses
// and sums are right.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <tutti/tutti.hpp>
#include <vector>
#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::forks {

namespace {

constexpr int kExecFailed = 127;

pid_t start_nothing()
{
    const pid_t child = fork();
    if (child == 0) {
        execl("/no/such/program", "program", nullptr);
        std::exit(kExecFailed);
    }
    return child;
}

}  // namespace

int run_program(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    static const tutti::shared_vector<double> ones(300'000, 1.0);  // children destroy it
    std::vector<double> sums(ones.size());
    long wrong = 0;
    const auto reduce = [&] {
        world.reduce(ones, sums, tutti::sum, {.root = 0, .algorithm = "rabenseifner"});
        for (const double sum : sums)
            wrong += world.rank() == 0 && sum != world.size();
    };
    reduce();  // working memory is kept from now on
    for (int round = 0; round < 8; ++round) {
        const pid_t child = start_nothing();
        for (int i = 0; i < 5; ++i)
            reduce();
        int status = 0;
        waitpid(child, &status, 0);
        wrong += !WIFEXITED(status) || WEXITSTATUS(status) != kExecFailed;
    }
    for (const double one : ones)
        wrong += one != 1.0;
    std::printf("rank %d: %ld wrong\n", world.rank(), wrong);
    return 0;
}

const Program program("forks", run_program);

}  // namespace tutti::test::forks
