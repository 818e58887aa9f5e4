// Reductions over data that is not contiguous, in their three forms.
#include "tests/threads/support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr int kBetween = -77;

// Every third element of a memory: the others are nobody's.
class Strided {
public:
    explicit Strided(const std::vector<int>& values)
        : memory_(3 * values.size(), kBetween), view(strided(memory_.data(), values.size(), 1, 3))
    {
        for (std::size_t i = 0; i < values.size(); ++i)
            memory_[3 * i] = values[i];
    }
    Strided(const Strided&) = delete;
    Strided& operator=(const Strided&) = delete;

    std::vector<int> values() const
    {
        std::vector<int> found;
        for (std::size_t i = 0; i < memory_.size(); ++i) {
            if (i % 3 == 0)
                found.push_back(memory_[i]);
            else
                expect(memory_[i] == kBetween, "between the elements of a layout");
        }
        return found;
    }

private:
    std::vector<int> memory_;

public:
    LayoutView<int> view;
};

std::vector<int> sum_of(int ranks, int message, std::size_t count)
{
    std::vector<int> total(count);
    for (int rank = 0; rank < ranks; ++rank) {
        const std::vector<int> own = numbers(rank, message, count);
        for (std::size_t i = 0; i < count; ++i)
            total[i] += own[i];
    }
    return total;
}

}  // namespace

TEST_CASE("allreduce of columns, into one, and in place, in three forms")
{
    at_all_sizes([](const Communicator& world) {
        for (const std::size_t count : {0, 1, 700}) {
            const std::vector<int> own = numbers(world.rank(), 1, count);
            const std::vector<int> total = sum_of(world.size(), 1, count);
            const Strided in(own);
            std::vector<int> plain(count);
            world.allreduce(in.view, plain, sum);
            expect(plain == total);

            Strided out(std::vector<int>(count, 5));
            world.iallreduce(own, out.view, sum).wait();
            expect(out.values() == total);
            expect(in.values() == own);

            Strided data(own);
            PersistentRequest request = world.allreduce_init(data.view, max);
            for (int i = 0; i < 2; ++i) {
                request.start();
                request.wait();
            }
            expect(data.values() == numbers(world.size() - 1, 1, count));
        }
    });
}

TEST_CASE("reduce of columns to a root; other ranks' columns are left alone")
{
    at_all_sizes([](const Communicator& world) {
        constexpr std::size_t kCount = 9;
        const int root = world.size() - 1;
        const bool is_root = world.rank() == root;
        const std::vector<int> own = numbers(world.rank(), 2, kCount);
        const std::vector<int> total = sum_of(world.size(), 2, kCount);
        Strided data(own);
        world.reduce(data.view, sum, {.root = root});
        expect(data.values() == (is_root ? total : own));
        Strided out(own);
        world.ireduce(own, out.view, sum, {.root = root}).wait();
        expect(out.values() == (is_root ? total : own));
    });
}

TEST_CASE("scans and reduce_scatter of columns")
{
    at_all_sizes([](const Communicator& world) {
        constexpr std::size_t kCount = 4;
        const std::vector<int> own = numbers(world.rank(), 3, kCount);
        Strided data(own);
        world.scan(data.view, sum);
        expect(data.values() == sum_of(world.rank() + 1, 3, kCount));
        const Strided in(own);
        Strided below(own);
        world.exscan(in.view, below.view, sum);
        expect(below.values() == (world.rank() == 0 ? own : sum_of(world.rank(), 3, kCount)));

        const auto ranks = static_cast<std::size_t>(world.size());
        const Strided all(numbers(world.rank(), 4, ranks * kCount));
        Strided block(std::vector<int>(kCount, 0));
        world.reduce_scatter(all.view, block.view, sum);
        const std::vector<int> total = sum_of(world.size(), 4, ranks * kCount);
        const auto first = total.begin() + world.rank() * static_cast<std::ptrdiff_t>(kCount);
        expect(block.values() == std::vector<int>(first, first + kCount));
    });
}

TEST_CASE("an operator of one's own over a layout, and layouts of cut elements")
{
    at_size(3, [](const Communicator& world) {
        const auto left = user_op([](int a, int) { return a; }, non_commutative);
        Strided data(numbers(world.rank(), 5, 6));
        world.allreduce(data.view, left);
        expect(data.values() == numbers(0, 5, 6));

        std::vector<int> whole(4);
        const Layout::Block cut{1, 6};
        const LayoutView<int> view{whole.data(), Layout::indexed(std::span(&cut, 1))};
        expect_error(ErrorCode::invalid_argument, "no whole number of its elements",
                     [&] { world.allreduce(view, sum); });
        expect_error(ErrorCode::invalid_argument, "input has 6 elements, output 4",
                     [&] { world.allreduce(data.view, whole, sum); });
    });
}
