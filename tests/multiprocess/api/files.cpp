// Files by chance: "files FOLDER MOST_BYTES FIRST_SEED SEEDS FIRST...". All ranks see the folder. For each
// FIRST they part: so many ranks have a file, and the others have one meanwhile.
#include "tests/file_oracle.hpp"

#include <cstdio>
#include <string>

#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::files {

int run_program(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    if (argc < 6) {
        std::fprintf(stderr, "usage: api_files FOLDER MOST_BYTES FIRST_SEED SEEDS FIRST...\n");
        return 2;
    }
    const tutti::Communicator world = environment.world();
    const auto seed = static_cast<unsigned>(std::stoul(argv[3]));
    for (int i = 5; i < argc; ++i) {
        const tutti::Communicator own = *world.split(world.rank() < std::stoi(argv[i]) ? 0 : 1);
        const std::string path = std::string(argv[1]) + "/file_of_" + std::to_string(own.size());
        for (unsigned more = 0; more < std::stoul(argv[4]); ++more)
            FileOracle(own, path, std::stoul(argv[2]), seed + more).run(6);
    }
    return 0;
}

const Program program("files", run_program);

}  // namespace tutti::test::files
