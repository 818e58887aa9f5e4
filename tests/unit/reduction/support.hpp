// Runs a kernel of every instruction set that this CPU has on operands of all kinds, against a plain loop.
#pragma once

#include <catch2/catch.hpp>

#include <cstring>
#include <random>
#include <vector>

#include "lib/foundation/reduction/kernels.hpp"

namespace tutti::reduction::test {

using Random = std::mt19937_64;

enum class Target { separate, left, right };

template <class T>
T load(const std::byte* from, std::size_t index)
{
    T value;
    std::memcpy(&value, from + index * sizeof(T), sizeof(T));
    return value;
}

/// Operands `offset` bytes from an aligned address, between guards that no kernel may touch.
template <class T, class Reference, class Draw, class Same>
void check_kernel(Kernel kernel, std::size_t count, std::size_t offset, Target target, Reference reference,
                  Draw draw, Same same)
{
    constexpr std::size_t kGuardBytes = 64;
    constexpr std::byte kGuard{0xA5};
    const std::size_t size_bytes = count * sizeof(T);
    std::vector<std::byte> memory[3];
    for (std::vector<std::byte>& own : memory)
        own.assign(size_bytes + offset + 2 * kGuardBytes, kGuard);
    const auto data = [&](std::size_t which) { return memory[which].data() + kGuardBytes + offset; };
    std::vector<T> expected(count);
    for (std::size_t i = 0; i < count; ++i) {
        const T a = draw();
        const T b = draw();
        expected[i] = reference(a, b);
        std::memcpy(data(0) + i * sizeof(T), &a, sizeof(T));
        std::memcpy(data(1) + i * sizeof(T), &b, sizeof(T));
    }
    const std::size_t out = target == Target::left ? 0 : target == Target::right ? 1 : 2;
    kernel(data(out), data(0), data(1), count);
    for (std::size_t i = 0; i < count; ++i) {
        if (!same(load<T>(data(out), i), expected[i])) {
            CAPTURE(i);
            FAIL("wrong element");
        }
    }
    for (std::size_t i = 0; i < kGuardBytes; ++i) {
        REQUIRE(memory[out][i + offset] == kGuard);
        REQUIRE(data(out)[size_bytes + i] == kGuard);
    }
}

/// The operator on a type: at all instruction sets, odd and other counts, odd addresses, in place and not.
/// reference(a, b) is the result, draw(random) an operand, same(a, b) what counts as equal.
template <class T, class Reference, class Draw, class Same>
void check_operator(Op op, DataType type, Reference reference, Draw draw, Same same)
{
    REQUIRE(size_bytes(type) == sizeof(T));
    Random random(42);
    for (const InstructionSet set : supported_instruction_sets()) {
        const Kernel own = kernel(op, type, set);
        for (const std::size_t count : {0, 1, 3, 17, 301}) {
            for (const std::size_t offset : {0, 1, 4}) {
                for (const Target target : {Target::separate, Target::left, Target::right}) {
                    CAPTURE(to_string(set), to_string(op), to_string(type), count, offset,
                            static_cast<int>(target));
                    check_kernel<T>(
                        own, count, offset, target, reference, [&] { return draw(random); }, same);
                }
            }
        }
    }
}

}  // namespace tutti::reduction::test
