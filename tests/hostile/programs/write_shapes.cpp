// A rank that writes what shapes.hpp makes of a seed: write_shapes SEED.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "tests/hostile/shapes.hpp"

int main(int argc, char** argv)
{
    const char* rank = std::getenv("PMIX_RANK");
    if (argc != 2 || rank == nullptr) {
        return 2;
    }
    const auto seed = static_cast<std::uint32_t>(std::stoul(argv[1]));
    for (const tutti::test::ShapeStep& step : tutti::test::shape_steps(seed, std::atoi(rank))) {
        std::string_view left = step.bytes;
        while (!left.empty()) {
            const ssize_t bytes = ::write(step.channel, left.data(), left.size());
            if (bytes < 0) {
                return 3;
            }
            left.remove_prefix(static_cast<std::size_t>(bytes));
        }
        if (step.kind == tutti::test::ShapeStep::Kind::close) {
            ::close(step.channel);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(step.pause_ms));
    }
    return 0;
}
