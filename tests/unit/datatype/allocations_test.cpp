// Messages of layouts that exist already take no memory of their own. In a program of its own: it counts what
// all its code allocates.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <vector>

#include "tutti/tutti.hpp"

namespace {

thread_local std::size_t allocations = 0;

void* allocate(std::size_t size, std::size_t alignment)
{
    ++allocations;
    const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
    void* const memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
    if (memory == nullptr)
        throw std::bad_alloc();
    return memory;
}

// Catch2's assertions are not for several threads: ranks throw instead.
void require(bool condition, const char* what)
{
    if (!condition)
        throw std::runtime_error(what);
}

}  // namespace

void* operator new(std::size_t size)
{
    return allocate(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t size, std::align_val_t alignment)
{
    return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
    std::free(memory);
}

namespace {

struct Allocations {
    std::size_t receiving = SIZE_MAX;
    std::size_t sending = SIZE_MAX;
};

// The fewest of some rounds: pools and tables grow in the first ones.
template <class In, class Out>
Allocations of_exchange(const tutti::Communicator& world, In& in, Out& out)
{
    const int peer = 1 - world.rank();
    Allocations fewest;
    for (int round = 0; round < 20; ++round) {
        const std::size_t before = allocations;
        tutti::Request received = world.irecv(out, peer);
        fewest.receiving = std::min(fewest.receiving, allocations - before);
        world.barrier();
        const std::size_t between = allocations;
        tutti::Request sent = world.isend(in, peer);
        fewest.sending = std::min(fewest.sending, allocations - between);
        received.wait();
        sent.wait();
    }
    return fewest;
}

}  // namespace

TEST_CASE("isend and irecv of a layout allocate nothing for it")
{
    // In one frame without a request, in one with a request, by rendezvous.
    for (const std::size_t count : {10, 1000, 100'000}) {
        tutti::run_threads(2, [count](tutti::Environment& environment) {
            const tutti::Communicator world = environment.world();
            std::vector<double> row(count);
            std::vector<double> other_row(count);
            const Allocations plain = of_exchange(world, row, other_row);

            std::vector<double> matrix(count * 3, 1.0 + world.rank());
            auto in = tutti::strided(matrix.data(), count, 1, 3);
            auto out = tutti::strided(matrix.data() + 1, count, 1, 3);
            const Allocations strided = of_exchange(world, in, out);
            require(strided.receiving == plain.receiving, "irecv allocated for a layout");
            // The piece in which the one of middle size is collected.
            const std::size_t piece = count == 1000 ? 1 : 0;
            require(strided.sending <= plain.sending + piece, "isend allocated for a layout");
            require(matrix[3 * count - 2] == 2.0 - world.rank(), "another column");
        });
    }
}

TEST_CASE("a copy of a layout is a reference to it")
{
    const std::vector<tutti::Layout::Block> blocks{{0, 5}, {10, 3}, {30, 2}};
    const tutti::Layout layout = tutti::Layout::indexed(blocks);
    const std::size_t before = allocations;
    tutti::Layout copy = layout;
    const tutti::Layout third = std::move(copy);
    CHECK(allocations == before);
    CHECK(&third.typemap() == &layout.typemap());
    CHECK(third.size_bytes() == 10);
}
