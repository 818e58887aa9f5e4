// Collectives that move blocks, over data that is not contiguous, in their three forms.
#include "tests/threads/blocks_support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr std::size_t kRows = 6;

// Every other element of a memory of twice the count: the others are nobody's.
struct Column {
    explicit Column(std::size_t count)
        : memory(2 * count, kUntouched), view(strided(memory.data(), count, 1, 2))
    {
    }
    Column(const Column&) = delete;
    Column& operator=(const Column&) = delete;

    void fill(const std::vector<int>& values, std::size_t first = 0)
    {
        for (std::size_t i = 0; i < values.size(); ++i)
            memory[2 * (first + i)] = values[i];
    }
    std::vector<int> values() const
    {
        std::vector<int> found;
        for (std::size_t i = 0; i < memory.size(); i += 2) {
            found.push_back(memory[i]);
            expect(memory[i + 1] == kUntouched, "between the elements of a layout");
        }
        return found;
    }

    std::vector<int> memory;
    LayoutView<int> view;
};

std::vector<int> concatenated(const Communicator& world, int message)
{
    return all_numbers(message, equal(world, kRows));
}

}  // namespace

TEST_CASE("allgather of columns, and into one, in three forms")
{
    at_all_sizes([](const Communicator& world) {
        const auto size = static_cast<std::size_t>(world.size());
        const std::vector<std::size_t> counts(size, kRows);
        Column in(kRows);
        in.fill(numbers(world.rank(), 1, kRows));
        std::vector<int> plain(size * kRows);
        world.allgather(in.view, plain);
        expect(plain == concatenated(world, 1));

        Column out(size * kRows);
        world.iallgather(in.view, out.view).wait();
        expect(out.values() == concatenated(world, 1));

        Column again(size * kRows);
        PersistentRequest request = world.allgatherv_init(in.view, again.view, counts);
        for (const int message : {2, 3}) {
            in.fill(numbers(world.rank(), message, kRows));
            request.start();
            request.wait();
            expect(again.values() == concatenated(world, message));
        }

        Column in_place(size * kRows);
        in_place.fill(numbers(world.rank(), 4, kRows), static_cast<std::size_t>(world.rank()) * kRows);
        world.allgather(in_place.view);
        expect(in_place.values() == concatenated(world, 4));
    });
}

TEST_CASE("gather and scatter of columns leave alone what does not matter at a rank")
{
    at_all_sizes([](const Communicator& world) {
        const auto size = static_cast<std::size_t>(world.size());
        const int root = world.size() / 2;
        const bool is_root = world.rank() == root;
        const RootOptions at_root{.root = root};
        Column in(kRows);
        in.fill(numbers(world.rank(), 1, kRows));
        Column all(size * kRows);
        LayoutView<int> nowhere{nullptr, Layout::strided(size * kRows, 1, 2, sizeof(int))};
        world.gather(in.view, is_root ? all.view : nowhere, at_root);
        expect(all.values() ==
               (is_root ? concatenated(world, 1) : std::vector<int>(size * kRows, kUntouched)));

        Column own(kRows);
        PersistentRequest scattered = world.scatter_init(is_root ? all.view : nowhere, own.view, at_root);
        for (const int message : {2, 3}) {
            if (is_root)
                all.fill(concatenated(world, message));
            scattered.start();
            scattered.wait();
            expect(own.values() == numbers(world.rank(), message, kRows));
        }

        // In place: the whole at root, the block elsewhere.
        Column data(is_root ? size * kRows : kRows);
        data.fill(numbers(world.rank(), 4, kRows), is_root ? static_cast<std::size_t>(root) * kRows : 0);
        world.igather(data.view, at_root).wait();
        expect(data.values() == (is_root ? concatenated(world, 4) : numbers(world.rank(), 4, kRows)));
        world.scatter(data.view, at_root);
        expect(data.values() == (is_root ? concatenated(world, 4) : numbers(world.rank(), 4, kRows)));
    });
}

TEST_CASE("alltoall and alltoallv of columns")
{
    at_all_sizes([](const Communicator& world) {
        const auto size = static_cast<std::size_t>(world.size());
        const auto to = [&](int rank) { return 10 * world.rank() + 1000 * rank; };
        const auto from = [&](int rank) { return 10 * rank + 1000 * world.rank(); };
        std::vector<int> sent(size);
        std::vector<int> expected(size);
        for (int rank = 0; rank < world.size(); ++rank) {
            sent[static_cast<std::size_t>(rank)] = to(rank);
            expected[static_cast<std::size_t>(rank)] = from(rank);
        }
        Column in(size);
        in.fill(sent);
        Column out(size);
        world.alltoall(in.view, out.view);
        expect(out.values() == expected);
        world.ialltoall(in.view).wait();
        expect(in.values() == expected);

        const std::vector<std::size_t> ones(size, 1);
        std::vector<std::size_t> backwards(size);
        std::iota(backwards.rbegin(), backwards.rend(), std::size_t{0});
        Column reversed(size);
        world.alltoallv(sent, ones, reversed.view, {ones, backwards});
        std::reverse(expected.begin(), expected.end());
        expect(reversed.values() == expected);
    });
}

TEST_CASE("a layout that does not divide into elements is refused, and so is one of no memory")
{
    at_size(2, [](const Communicator& world) {
        std::vector<int> in(4);
        std::vector<int> out(8);
        const Layout::Block odd{0, 6};
        LayoutView<int> torn{in.data(), Layout::indexed(std::span(&odd, 1))};
        expect_error(ErrorCode::invalid_argument, "no whole number of its elements",
                     [&] { world.allgather(torn, out); });
        LayoutView<int> nowhere{nullptr, Layout::strided(4, 1, 2, sizeof(int))};
        expect_error(ErrorCode::invalid_argument, "null pointer", [&] { world.allgather(nowhere, out); });
        expect_error(ErrorCode::invalid_argument, "null pointer", [&] { world.broadcast(nowhere); });
    });
}
