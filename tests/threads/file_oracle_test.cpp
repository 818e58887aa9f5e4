// Files whose ranks are threads, by chance.
#include "tests/file_oracle.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/threads/support.hpp"

namespace tutti::test {

TEST_CASE("file: random views, pieces, memory and forms leave what a plain file would", "[files]")
{
    const TemporaryFolder folder;
    const std::string path = folder.path() / "file";
    const unsigned seeds = kSanitized ? 2 : 4;
    for (const int ranks : {1, 2, 3, 4, 5})
        for (unsigned seed = 1; seed <= seeds; ++seed)
            at_size(ranks, [&](const Communicator& world) { FileOracle(world, path, 20'000, seed).run(6); });
}

}  // namespace tutti::test
