// Every rank's number travels once around the ring, and each rank adds up what passes.
#include <cstdio>
#include <tutti/tutti.hpp>

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    const int right = (world.rank() + 1) % world.size();
    const int left = (world.rank() + world.size() - 1) % world.size();

    int passing = world.rank();
    int sum = 0;
    for (int step = 0; step < world.size(); ++step) {
        tutti::Request sent = world.isend(int{passing}, right);  // moved in: `passing` is free at once
        world.recv(passing, left);
        sum += passing;
        sent.wait();
    }
    std::printf("rank %d of %d: the sum of all ranks is %d\n", world.rank(), world.size(), sum);
}
