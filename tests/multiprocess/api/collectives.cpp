// Collectives at every root and at odd counts, blocking and not, on the world and on parts of it.
#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::collectives {

namespace {

void check(const Communicator& group)
{
    const double ranks = group.size();
    for (const std::size_t count : {0u, 1u, 3u, 1001u, 4099u, 40'001u}) {
        for (int root = 0; root < group.size(); ++root) {
            auto data = group.rank() == root ? bytes(root, count, count) : std::vector<std::byte>(count);
            group.broadcast(data, {.root = root});
            expect(data == bytes(root, count, count));
            if (count > 5000 && root > 1)
                continue;
            std::vector<double> in(count);
            for (std::size_t i = 0; i < count; ++i)
                in[i] = group.rank() + static_cast<double>(i % 50);
            std::vector<double> out(count, -1);
            group.reduce(in, out, sum, {.root = root});
            for (std::size_t i = 0; i < count; ++i)
                expect(out[i] == (group.rank() == root
                                      ? ranks * (ranks - 1) / 2 + ranks * static_cast<double>(i % 50)
                                      : -1));
        }
        std::vector<float> floats(count, static_cast<float>(group.rank() + 1));
        group.allreduce(floats, sum);
        std::vector<double> doubles(count, group.rank());
        Request request = group.iallreduce(doubles, max);
        group.barrier();
        request.wait();
        for (std::size_t i = 0; i < count; ++i)
            expect(floats[i] == static_cast<float>(ranks * (ranks + 1) / 2) && doubles[i] == ranks - 1);
    }
}

}  // namespace

int run_program(int argc, char** argv)
{
    Environment environment(argc, argv);
    const Communicator world = environment.world();
    check(world);
    const auto part = world.split(world.rank() % 3, {.key = -world.rank()});
    check(*part);
    check(world.split_by_node());
    check(environment.self());
    return 0;
}

const Program program("collectives", run_program);

}  // namespace tutti::test::collectives
