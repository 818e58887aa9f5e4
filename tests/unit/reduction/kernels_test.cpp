// Every kernel of every instruction set that this CPU has, against a plain loop written a second time here.
#include "lib/reduction/kernels.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "lib/reduction/reduce_op.hpp"
#include "tutti/error.hpp"

namespace tutti::reduction {

namespace {

constexpr Op kOps[] = {Op::sum, Op::min, Op::max, Op::prod, Op::lor};
constexpr std::size_t kCounts[] = {0, 1, 3, 17, 1000};
static_assert(std::size(kOps) == kOpCount);

template <class T>
T reference(Op op, T a, T b)
{
    if constexpr (std::is_same_v<T, bool>) {
        return op == Op::min || op == Op::prod ? a && b : a || b;
    } else if constexpr (std::is_floating_point_v<T>) {
        switch (op) {
            case Op::sum:
                return a + b;
            case Op::prod:
                return a * b;
            case Op::min:
                return std::isnan(a) || std::isnan(b) ? std::nan("") : std::min(a, b);
            case Op::max:
                return std::isnan(a) || std::isnan(b) ? std::nan("") : std::max(a, b);
            case Op::lor:
                return a != 0 || b != 0 ? 1 : 0;
        }
    } else {
        const auto wide_a = static_cast<std::uint64_t>(a);
        const auto wide_b = static_cast<std::uint64_t>(b);
        switch (op) {
            case Op::sum:
                return static_cast<T>(wide_a + wide_b);
            case Op::prod:
                return static_cast<T>(wide_a * wide_b);
            case Op::min:
                return std::min(a, b);
            case Op::max:
                return std::max(a, b);
            case Op::lor:
                return a != 0 || b != 0 ? 1 : 0;
        }
    }
    return T{};
}

/// All bit patterns for integers, the awkward values for floats, zeros often.
template <class T>
T random_value(std::mt19937_64& random)
{
    const std::uint64_t bits = random();
    if (bits % 4 == 0) {
        return T{};
    }
    if constexpr (std::is_same_v<T, bool>) {
        return bits % 2 == 1;
    } else if constexpr (std::is_floating_point_v<T>) {
        using Limits = std::numeric_limits<T>;
        constexpr T kAwkward[] = {Limits::infinity(), -Limits::infinity(),  Limits::quiet_NaN(),
                                  Limits::max(),      Limits::denorm_min(), Limits::lowest()};
        if (bits % 16 == 1) {
            return kAwkward[(bits >> 8) % std::size(kAwkward)];
        }
        return static_cast<T>(static_cast<double>(bits >> 40) / 1024 - 8192);
    } else {
        return static_cast<T>(bits >> 16);
    }
}

template <class T>
bool same(T a, T b)
{
    if constexpr (std::is_floating_point_v<T>) {
        return a == b || (std::isnan(a) && std::isnan(b));
    } else {
        return a == b;
    }
}

template <class T>
T load(const std::byte* from, std::size_t index)
{
    T value;
    std::memcpy(&value, from + index * sizeof(T), sizeof(T));
    return value;
}

enum class Target { separate, left, right };

/// Operands at an odd address, between guards that no kernel may touch.
template <class T>
void check(Kernel kernel, Op op, std::size_t count, std::size_t offset, Target target,
           std::mt19937_64& random)
{
    constexpr std::size_t kGuardBytes = 64;
    constexpr std::byte kGuard{0xA5};
    const std::size_t size_bytes = count * sizeof(T);
    std::vector<std::byte> memory[3];
    for (std::vector<std::byte>& own : memory) {
        own.assign(size_bytes + offset + 2 * kGuardBytes, kGuard);
    }
    const auto data = [&](std::size_t which) { return memory[which].data() + kGuardBytes + offset; };
    std::vector<std::byte> expected(size_bytes);
    for (std::size_t i = 0; i < count; ++i) {
        const T a = random_value<T>(random);
        const T b = random_value<T>(random);
        const T result = reference(op, a, b);
        std::memcpy(data(0) + i * sizeof(T), &a, sizeof(T));
        std::memcpy(data(1) + i * sizeof(T), &b, sizeof(T));
        std::memcpy(expected.data() + i * sizeof(T), &result, sizeof(T));
    }
    const std::size_t out = target == Target::left ? 0 : target == Target::right ? 1 : 2;
    kernel(data(out), data(0), data(1), count);
    for (std::size_t i = 0; i < count; ++i) {
        if (!same(load<T>(data(out), i), load<T>(expected.data(), i))) {
            CAPTURE(i, +load<T>(data(out), i), +load<T>(expected.data(), i));
            FAIL("wrong element");
        }
    }
    for (std::size_t i = 0; i < kGuardBytes; ++i) {
        REQUIRE(memory[out][i + offset] == kGuard);
        REQUIRE(data(out)[size_bytes + i] == kGuard);
    }
}

template <class T>
void check_type(DataType type)
{
    REQUIRE(size_bytes(type) == sizeof(T));
    std::mt19937_64 random(42);
    for (const InstructionSet set : supported_instruction_sets()) {
        for (const Op op : kOps) {
            const Kernel own = kernel(op, type, set);
            for (const std::size_t count : kCounts) {
                for (const std::size_t offset : {0, 1, 4}) {
                    for (const Target target : {Target::separate, Target::left, Target::right}) {
                        CAPTURE(to_string(set), to_string(op), to_string(type), count, offset,
                                static_cast<int>(target));
                        check<T>(own, op, count, offset, target, random);
                    }
                }
            }
        }
    }
}

}  // namespace

TEST_CASE("kernels of every operator, type and instruction set")
{
    check_type<bool>(DataType::boolean);
    check_type<std::int8_t>(DataType::int8);
    check_type<std::int16_t>(DataType::int16);
    check_type<std::int32_t>(DataType::int32);
    check_type<std::int64_t>(DataType::int64);
    check_type<std::uint8_t>(DataType::uint8);
    check_type<std::uint16_t>(DataType::uint16);
    check_type<std::uint32_t>(DataType::uint32);
    check_type<std::uint64_t>(DataType::uint64);
    check_type<float>(DataType::float32);
    check_type<double>(DataType::float64);
}

TEST_CASE("integer overflow wraps")
{
    const std::int32_t large = std::numeric_limits<std::int32_t>::max();
    const std::int32_t one = 1;
    std::int32_t result = 0;
    kernel(Op::sum, DataType::int32)(&result, &large, &one, 1);
    CHECK(result == std::numeric_limits<std::int32_t>::min());

    // 65535 * 65535 overflows int, to which unsigned short is promoted.
    const std::uint16_t wide = 65535;
    std::uint16_t product = 0;
    kernel(Op::prod, DataType::uint16)(&product, &wide, &wide, 1);
    CHECK(product == 1);

    const std::int8_t low = -128;
    std::int8_t sum = 0;
    kernel(Op::sum, DataType::int8)(&sum, &low, &low, 1);
    CHECK(sum == 0);
}

TEST_CASE("NaN wins min and max on either side, and is true for lor")
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double one = 1;
    const double zero = 0;
    for (const InstructionSet set : supported_instruction_sets()) {
        for (const Op op : {Op::min, Op::max}) {
            double result = 0;
            kernel(op, DataType::float64, set)(&result, &nan, &one, 1);
            CHECK(std::isnan(result));
            result = 0;
            kernel(op, DataType::float64, set)(&result, &one, &nan, 1);
            CHECK(std::isnan(result));
        }
        double truth = 0;
        kernel(Op::lor, DataType::float64, set)(&truth, &zero, &nan, 1);
        CHECK(truth == 1);
        kernel(Op::lor, DataType::float64, set)(&truth, &zero, &zero, 1);
        CHECK(truth == 0);
    }
}

TEST_CASE("baseline always exists, and the default kernel is that of the widest set")
{
    REQUIRE(!supported_instruction_sets().empty());
    CHECK(supported_instruction_sets().front() == InstructionSet::baseline);
    CHECK(kernel(Op::sum, DataType::float32) ==
          kernel(Op::sum, DataType::float32, supported_instruction_sets().back()));
}

TEST_CASE("values outside the enumerations are errors")
{
    CHECK_THROWS_AS(kernel(static_cast<Op>(99), DataType::int32), Error);
    CHECK_THROWS_AS(kernel(Op::sum, static_cast<DataType>(kDataTypeCount)), Error);
    CHECK_THROWS_AS(kernel(Op::sum, DataType::int32, static_cast<InstructionSet>(99)), Error);
    CHECK(to_string(static_cast<Op>(99)) == "unknown operator");
    CHECK(to_string(static_cast<DataType>(99)) == "unknown type");
}

TEST_CASE("a ReduceOp applies its kernel and knows whether it commutes")
{
    const ReduceOp sum(Op::sum, DataType::int64);
    std::int64_t values[] = {1, -2, 3};
    const std::int64_t others[] = {10, 20, 30};
    sum(values, values, others, 3);
    CHECK(values[0] == 11);
    CHECK(values[2] == 33);
    CHECK(sum.commutative());
    const Kernel take_right = [](void* dst, const void*, const void* b, std::size_t count) {
        std::memcpy(dst, b, count);
    };
    CHECK(!ReduceOp(take_right, false).commutative());
    CHECK_THROWS_AS(ReduceOp(static_cast<Op>(99), DataType::int8), Error);
}

}  // namespace tutti::reduction
