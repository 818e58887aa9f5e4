// Files by chance: "files FOLDER MOST_BYTES FIRST_SEED SEEDS". All ranks see the folder.
#include "tests/file_oracle.hpp"

#include <cstdio>
#include <string>

#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::files {

int run_program(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    if (argc != 5) {
        std::fprintf(stderr, "usage: api_files FOLDER MOST_BYTES FIRST_SEED SEEDS\n");
        return 2;
    }
    const std::string path = std::string(argv[1]) + "/file_of_" + std::to_string(environment.world().size());
    const auto first = static_cast<unsigned>(std::stoul(argv[3]));
    for (unsigned seed = first; seed < first + std::stoul(argv[4]); ++seed)
        FileOracle(environment.world(), path, std::stoul(argv[2]), seed).run(6);
    return 0;
}

const Program program("files", run_program);

}  // namespace tutti::test::files
