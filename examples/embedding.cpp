// A program that starts its ranks itself, and tells Tutti who they are: no launcher takes part.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "directory_bootstrap.hpp"

namespace {

void run_rank(const std::filesystem::path& directory, int rank, int size)
{
    tutti::Environment environment(std::make_unique<DirectoryBootstrap>(directory, rank, size));
    const tutti::Communicator world = environment.world();
    int sum = world.rank();
    world.allreduce(sum, tutti::sum);
    if (world.rank() == 0)
        std::printf("%d ranks, whose numbers add up to %d\n", world.size(), sum);
}

}  // namespace

int main(int argc, char** argv)
{
    const int size = argc > 1 ? std::atoi(argv[1]) : 3;
    std::string directory = std::filesystem::temp_directory_path() / "embedding-XXXXXX";
    if (::mkdtemp(directory.data()) == nullptr) {
        std::perror("cannot make a directory");
        return 1;
    }
    // Each process joins a job at most once, and none may fork ranks that has joined one.
    for (int rank = 0; rank < size; ++rank) {
        if (::fork() == 0) {
            run_rank(directory, rank, size);
            return 0;
        }
    }
    int failures = 0;
    for (int status = 0; ::wait(&status) > 0;)
        failures += status != 0 ? 1 : 0;
    std::filesystem::remove_all(directory);
    return failures == 0 ? 0 : 1;
}
