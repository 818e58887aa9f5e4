// Reductions shared among threads: the same bits as one thread gives, and threads that rest use no processor.
#include "lib/foundation/reduction/team.hpp"

#include <catch2/catch.hpp>

#include <time.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include "lib/foundation/reduction/reduce_op.hpp"
#include "tutti/error.hpp"

namespace tutti::reduction {

namespace {

std::vector<std::byte> random_bytes(std::size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i)
        bytes[i] = static_cast<std::byte>(random());
    return bytes;
}

struct Variable {
    Variable(const char* variable, const char* value) : name(variable) { setenv(name, value, 1); }
    ~Variable() { unsetenv(name); }
    const char* name;
};

double process_cpu_seconds()
{
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

}  // namespace

TEST_CASE("a team gives the bits that one thread gives, at any count and number of threads")
{
    const auto [op, type] = GENERATE(table<Op, DataType>({{Op::sum, DataType::float32},
                                                          {Op::max, DataType::float16},
                                                          {Op::prod, DataType::int8},
                                                          {Op::sum, DataType::complex128},
                                                          {Op::min, DataType::long_double},
                                                          {Op::minloc, with_index(DataType::float64, 4)}}));
    const std::size_t element_bytes = size_bytes(type);
    const Kernel plain = kernel(op, type);
    const std::size_t most = 400'013 / element_bytes;
    // Zeroes, ones and whatever bits come: NaN stays NaN, but which payload it has is not promised.
    std::vector<std::byte> a = random_bytes(most * element_bytes + 1, 1);
    const std::vector<std::byte> b(most * element_bytes + 1);
    for (const int threads : {1, 2, 5}) {
        Team team(threads);
        for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{8191}, most}) {
            const std::size_t used = std::min(count, most);
            CAPTURE(threads, used, to_string(type));
            std::vector<std::byte> expected = a;
            std::vector<std::byte> got = a;
            // In place, at an odd address.
            plain(expected.data() + 1, expected.data() + 1, b.data() + 1, used);
            team.reduce(plain, got.data() + 1, got.data() + 1, b.data() + 1, used, element_bytes);
            CHECK(got == expected);
        }
    }
}

TEST_CASE("many reductions in a row, and callers that come at once")
{
    Team team(3);
    const Kernel plain = kernel(Op::sum, DataType::int32);
    const auto rounds = [&] {
        std::vector<std::int32_t> values(150'001, 0);
        const std::vector<std::int32_t> ones(values.size(), 1);
        for (int round = 0; round < 12; ++round)
            team.reduce(plain, values.data(), values.data(), ones.data(), values.size(), 4);
        return values == std::vector<std::int32_t>(values.size(), 12);
    };
    bool other = false;
    std::thread second([&] { other = rounds(); });
    CHECK(rounds());
    second.join();
    CHECK(other);
}

TEST_CASE("a ReduceOp shares large arrays, where the process has a team")
{
    const std::size_t count = kSharedBytes / 8 + 1001;
    const ReduceOp sum(Op::sum, DataType::float64);
    const std::vector<double> ones(count, 1.0);
    for (const int threads : {0, 1, 4}) {
        const Team team(threads);
        std::vector<double> values(count, 2.0);
        sum(values.data(), values.data(), ones.data(), count);
        sum(values.data(), ones.data(), values.data(), 1000);
        CHECK(std::count(values.begin(), values.begin() + 1000, 4.0) == 1000);
        CHECK(std::count(values.begin() + 1000, values.end(), 3.0) == static_cast<long>(count) - 1000);
    }
}

TEST_CASE("a team that rests uses no processor time")
{
    Team team(4);
    std::vector<float> values(500'000, 1.0f);
    team.reduce(kernel(Op::sum, DataType::float32), values.data(), values.data(), values.data(),
                values.size(), 4);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const double before = process_cpu_seconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    CHECK(process_cpu_seconds() - before < 0.005);
}

TEST_CASE("the environment bounds the threads of a reduction")
{
    CHECK(reduction_threads(1) == 1);
    CHECK(reduction_threads(4) == 4);
    CHECK(reduction_threads(64) == 8);
    {
        const Variable omp("OMP_NUM_THREADS", "3,2");
        CHECK(reduction_threads(4) == 3);
        CHECK(reduction_threads(2) == 2);
        const Variable reported("TUTTI_REDUCE_THREADS", "12");
        CHECK(reduction_threads(1) == 12);
    }
    const std::string wrong = GENERATE("0", "-1", "two", "4x", "2000");
    const Variable reported("TUTTI_REDUCE_THREADS", wrong.c_str());
    CHECK_THROWS_WITH(reduction_threads(4), Catch::Contains("TUTTI_REDUCE_THREADS=" + wrong));
}

}  // namespace tutti::reduction
