// The smallest program: every rank says who and where it is.
#include <cstdio>
#include <tutti/tutti.hpp>

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    const tutti::Communicator node = world.split_by_node();
    std::printf("Hello from rank %d of %d, which is %d of %d on its node\n", world.rank(), world.size(),
                node.rank(), node.size());
}
