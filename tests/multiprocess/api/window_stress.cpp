// Windows that all ranks change at once: "window_stress OPERATIONS SEED".
#include "tests/window_stress.hpp"

#include <string>
#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::window_stress {

int run_program(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const int operations = argc > 1 ? std::stoi(argv[1]) : 100;
    const int seed = argc > 2 ? std::stoi(argv[2]) : 1;
    tutti::test::stress_windows(environment.world(), operations, static_cast<unsigned>(seed));
    return 0;
}

const Program program("window_stress", run_program);

}  // namespace tutti::test::window_stress
