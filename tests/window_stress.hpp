// Windows that all ranks change at once, by chance from a seed: every element of every rank is as it must be.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/expect.hpp"

namespace tutti::test {

/// One rank's part, for elements of T. What is added are small whole numbers, which T adds up without
/// rounding (or modulo its range), whatever the order.
template <class T>
class WindowStress {
public:
    static constexpr std::size_t kElements = 2503;

    /// Collective. `memory`: of kElements elements of 0.
    WindowStress(const Communicator& world, std::span<T> memory, unsigned seed)
        : world_(world),
          memory_(memory),
          window_(world, memory),
          random_(seed * 1000 + static_cast<unsigned>(world.rank())),
          added_(kElements * static_cast<std::size_t>(world.size()))
    {
    }

    /// Some ranks are within one epoch of all targets while others lock one after the other.
    void run(int operations)
    {
        if (below(2) == 0) {
            auto all = window_.lock_all();
            for (int i = 0; i < operations; ++i) {
                const int rank = target();
                operate(all[rank], rank);
            }
        } else {
            for (int i = 0; i < operations; ++i) {
                const int rank = target();
                if (below(6) == 0) {
                    read_and_write(window_.lock(rank), rank);
                } else {
                    auto locked = window_.lock_shared(rank);
                    operate(locked, rank);
                }
            }
        }
    }
    /// Collective: what all have added is there, in each element of this rank.
    void check()
    {
        world_.barrier();
        world_.allreduce(added_, sum);
        const auto own = window_.lock(world_.rank());
        const std::size_t first = kElements * static_cast<std::size_t>(world_.rank());
        for (std::size_t i = 0; i < kElements; ++i)
            expect(memory_[i] == static_cast<T>(added_[first + i]), "element " + std::to_string(i));
    }

private:
    std::size_t below(std::size_t bound) { return random_() % bound; }
    int target() { return static_cast<int>(below(static_cast<std::size_t>(world_.size()))); }
    // Few elements and many, none a multiple of what is updated at once.
    std::size_t length() { return below(4) == 0 ? 1 + below(1200) : 1 + below(12); }
    std::int64_t& added(int rank, std::size_t element)
    {
        return added_[kElements * static_cast<std::size_t>(rank) + element];
    }
    std::vector<T> numbers(std::size_t count)
    {
        std::vector<T> made(count);
        for (T& each : made)
            each = static_cast<T>(below(4));
        return made;
    }
    void note(int rank, std::size_t first, std::size_t stride, const std::vector<T>& operands)
    {
        for (std::size_t i = 0; i < operands.size(); ++i)
            added(rank, first + i * stride) += whole(operands[i]);
    }
    static std::int64_t whole(const T& value)
    {
        if constexpr (std::is_arithmetic_v<T>)
            return static_cast<std::int64_t>(value);
        else
            return static_cast<std::int64_t>(value.real());
    }

    void operate(const WindowTarget<T>& to, int rank)
    {
        const std::size_t count = length();
        const std::size_t first = below(kElements - count + 1);
        const std::vector<T> operands = numbers(count);
        switch (below(7)) {
            case 0:
                to.accumulate(operands, first, sum);
                break;
            case 1:
                to.iaccumulate(operands, first, sum).wait();
                break;
            case 2:
                add_and_fetch(to, rank, first, operands);
                break;
            case 3: {
                const std::size_t stride = 1 + below(std::max<std::size_t>((kElements - first) / count, 1));
                to.accumulate(operands, first, sum,
                              Layout::strided(count, 1, static_cast<std::ptrdiff_t>(stride), sizeof(T)));
                return note(rank, first, stride, operands);
            }
            case 4:
                to.fetch_and_op(operands[0], first, sum);
                return note(rank, first, 1, {operands[0]});
            case 5:
                if constexpr (sizeof(T) <= 8 && std::is_arithmetic_v<T>)
                    return add_by_swaps(to, rank, first, operands[0]);
                [[fallthrough]];
            default: {
                std::vector<T> before(count);
                Request request = to.iget_accumulate(operands, before, first, sum);
                request.wait();
                break;
            }
        }
        note(rank, first, 1, operands);
    }
    // Nobody subtracts: what this rank has added is there, at least.
    void add_and_fetch(const WindowTarget<T>& to, int rank, std::size_t first, const std::vector<T>& operands)
    {
        std::vector<T> before(operands.size());
        if (below(2) == 0)
            to.get_accumulate(operands, before, first, sum);
        else
            to.get_accumulate(operands, before, first, sum,
                              Layout::strided(operands.size(), 1, 1, sizeof(T)));
        std::vector<T> after(operands.size());
        Request read = to.iget_accumulate(after, after, first, no_op);
        read.wait();
        if constexpr (sizeof(T) > 1 && std::is_arithmetic_v<T>)
            for (std::size_t i = 0; i < operands.size(); ++i) {
                expect(before[i] >= static_cast<T>(added(rank, first + i)), "what was added before is there");
                expect(after[i] >= before[i] + operands[i], "what was added is there");
            }
    }
    void add_by_swaps(const WindowTarget<T>& to, int rank, std::size_t element, T operand)
    {
        T expected = to.fetch_and_op(T{}, element, no_op);
        for (T was{};; expected = was) {
            was = to.compare_and_swap(expected, static_cast<T>(expected + operand), element);
            if (was == expected)
                break;
        }
        note(rank, element, 1, {operand});
    }
    // Alone: no atomics are needed.
    void read_and_write(LockedTarget<T> alone, int rank)
    {
        const std::size_t count = length();
        const std::size_t first = below(kElements - count + 1);
        const std::vector<T> operands = numbers(count);
        std::vector<T> elements(count);
        alone.get(elements, first);
        alone.flush();
        for (std::size_t i = 0; i < count; ++i)
            elements[i] = static_cast<T>(elements[i] + operands[i]);
        if (below(2) == 0)
            alone.put(elements, first);
        else
            alone.iput(elements, first).wait();
        note(rank, first, 1, operands);
    }

    const Communicator& world_;
    std::span<T> memory_;
    Window<T> window_;
    std::minstd_rand random_;
    std::vector<std::int64_t> added_;  // by this rank, by target and element
};

/// Collective. Half of the ranks give memory that those of their node map, half ordinary memory.
template <class T>
void stress_windows_of(const Communicator& world, int operations, unsigned seed)
{
    std::vector<T> ordinary(WindowStress<T>::kElements);
    shared_vector<T> mapped(WindowStress<T>::kElements);
    const bool is_mapped = (static_cast<unsigned>(world.rank()) + seed) % 2 == 0;
    WindowStress<T> stress(world, is_mapped ? std::span<T>(mapped) : std::span<T>(ordinary), seed);
    constexpr int kSlice = 8;
    for (int done = 0; done < operations; done += kSlice)
        stress.run(kSlice);
    stress.check();
    world.barrier();
}

inline void stress_windows(const Communicator& world, int operations, unsigned seed)
{
    stress_windows_of<std::uint8_t>(world, operations, seed);
    stress_windows_of<std::int32_t>(world, operations, seed + 1);
    stress_windows_of<std::int64_t>(world, operations, seed + 2);
    stress_windows_of<double>(world, operations, seed + 3);
    stress_windows_of<long double>(world, operations, seed + 4);
    stress_windows_of<std::complex<float>>(world, operations, seed + 5);
}

}  // namespace tutti::test
