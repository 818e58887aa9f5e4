// Rows of 64-bit keys that all ranks push to and pull from; ranks are threads.
#include <atomic>
#include <map>
#include <stdexcept>

#include "tests/threads/support.hpp"

namespace tutti::test {

namespace {

void at_sparse_sizes(const std::function<void(const Communicator&)>& body)
{
    for (const int ranks : {1, 2, 3, 5, 8})
        at_size(ranks, body);
}

// Keys that differ in low bits, in high ones, and at both ends of their range.
std::vector<std::uint64_t> keys_of(std::size_t count)
{
    std::vector<std::uint64_t> keys = {0, UINT64_MAX, 1};
    for (std::uint64_t i = 0; keys.size() < count; ++i)
        keys.push_back(i % 2 == 0 ? 2 + i : i << 50);
    keys.resize(count);
    return keys;
}

std::string words_of(const std::function<void()>& call)
{
    try {
        call();
    } catch (const Error& error) {
        expect(error.code() == ErrorCode::invalid_argument, "code");
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("sparse table: rows are made at first use, and all pushes are added", "[windows]")
{
    at_sparse_sizes([](const Communicator& world) {
        for (const std::size_t count : {1u, 7u, 1500u}) {
            for (const std::size_t width : {1u, 3u, 40u}) {
                SparseTable<double> table(world, width, [](std::uint64_t key, std::span<double> row) {
                    for (std::size_t i = 0; i < row.size(); ++i)
                        row[i] = static_cast<double>(key % 1000 + i);
                });
                const std::vector<std::uint64_t> keys = keys_of(count);
                std::vector<double> ones(count * width, 1.0);
                table.push(keys, ones, sum);
                table.ipush(keys, ones, sum).wait();
                table.push(std::span<const std::uint64_t>(), {}, sum);
                table.tick();
                std::vector<double> pulled(count * width);
                table.ipull(keys, pulled).wait();
                expect(pulled == table.pull(keys), "ipull as pull");
                for (std::size_t i = 0; i < ones.size(); ++i)
                    ones[i] = static_cast<double>(keys[i / width] % 1000 + i % width) + 2 * world.size();
                expect(pulled == ones, "what was made, and all pushes");
                std::size_t rows = table.local_size();
                std::size_t visited = 0;
                std::vector<std::uint64_t> sorted = keys;
                std::ranges::sort(sorted);
                table.for_each_local([&](std::uint64_t key, std::span<const double> row) {
                    ++visited;
                    expect(row.size() == width && std::ranges::binary_search(sorted, key),
                           "a key that was named");
                });
                expect(visited == rows, "each row once");
                std::size_t all = 0;
                world.allreduce(rows, all, sum);
                expect(all == count, "a row for each key, at one owner");
                world.barrier();
            }
        }
    });
}

TEST_CASE("sparse table: lengths are those of the first use", "[windows]")
{
    at_sparse_sizes([](const Communicator& world) {
        std::vector<int> last = {world.size() - 1};
        SparseTable<int> table(world, 2, {}, {.owners = last});
        const std::vector<std::uint64_t> keys = {10, 11, 12, 10};
        const std::vector<std::size_t> lengths = {3, 1, 0, 3};
        const std::vector<std::uint64_t> wanted = {12, 10, 13, 11};
        expect(table.lengths(keys) == std::vector<std::size_t>(4, 0), "no rows yet");
        world.barrier();
        table.push(keys, lengths, std::vector<int>{1, 2, 3, 4, 10, 20, 30}, sum);
        table.tick();
        expect(table.lengths(wanted) == std::vector<std::size_t>{0, 3, 0, 1}, "lengths");
        const int ranks = world.size();
        std::vector<int> values(7);
        table.pull(keys, lengths, values);
        expect(values == std::vector<int>{11 * ranks, 22 * ranks, 33 * ranks, 4 * ranks, 11 * ranks,
                                          22 * ranks, 33 * ranks},
               "a key that is named twice gets both");
        const std::string longer = words_of([&] { table.push({11, 10}, std::vector<int>(4, 1), sum); });
        expect(longer.find("the row of key 11 has 4 bytes since its first use, this call names 8") !=
                   std::string::npos,
               longer);
        const std::string size = words_of([&] { table.push({11, 10}, std::vector<int>(3, 1), sum); });
        expect(size.find("have 4 elements, the buffer 3") != std::string::npos, size);
        table.pull(keys, lengths, values);
        expect(values[3] == 4 * ranks, "nothing is changed");
        expect((table.local_size() == 0) == (world.rank() != world.size() - 1), "owners of the options");
        world.barrier();
    });
}

TEST_CASE("sparse table: rules see whole rows with their state", "[windows]")
{
    at_sparse_sizes([](const Communicator& world) {
        const UpdateRule<double> rule = adam<double>(0.01);
        SparseTable<double> table(world, 5, rule, [](std::uint64_t key, std::span<double> row) {
            std::ranges::fill(row, static_cast<double>(key));
        });
        std::map<std::uint64_t, std::pair<std::vector<double>, std::vector<double>>> expected;
        for (int step = 0; step < 20; ++step) {
            const std::vector<std::uint64_t> keys = {static_cast<std::uint64_t>(step % 3), 7,
                                                     static_cast<std::uint64_t>(100 + step)};
            std::vector<double> gradients(15);
            for (std::size_t i = 0; i < gradients.size(); ++i)
                gradients[i] = static_cast<double>((i + static_cast<std::size_t>(step)) % 4) - 1.0;
            for (std::size_t i = 0; i < keys.size(); ++i) {
                auto& [row, state] = expected[keys[i]];
                if (row.empty()) {
                    row.assign(5, static_cast<double>(keys[i]));
                    state.assign(rule.state_of(5), rule.initial_state());
                }
                rule.function()(row, state, std::span<const double>(gradients).subspan(i * 5, 5));
            }
            if (step % world.size() == world.rank())
                table.push(keys, gradients);
            world.barrier();
        }
        for (const auto& [key, made] : expected)
            expect(table.pull({key}) == made.first, "the row of key " + std::to_string(key));
        world.barrier();
        if (world.rank() == 0) {
            std::vector<double> values(5, 1.0);
            table.push_pull(std::vector<std::uint64_t>{7}, values);
            auto& [row, state] = expected[7];
            rule.function()(row, state, std::vector<double>(5, 1.0));
            expect(values == row, "push_pull gives the row behind the push");
        }
        world.barrier();
        SparseTable<double> plain(world, 1);
        const std::string none = words_of([&] { plain.push({1}, std::vector<double>{1.0}); });
        expect(none.find("this table has no rule") != std::string::npos, none);
        world.barrier();
    });
}

TEST_CASE("sparse table: an initialiser that throws is an error at whoever names the key", "[windows]")
{
    at_size(3, [](const Communicator& world) {
        SparseTable<int> table(world, 1,
                               [](std::uint64_t key, std::span<int> row) {
                                   if (key == 13)
                                       throw std::domain_error("not that one");
                                   row[0] = 1;
                               },
                               {.owners = {1}});
        const std::string thrown = words_of([&] { table.pull({5, 13}); });
        expect(thrown.find("a row cannot be made: not that one") != std::string::npos, thrown);
        expect(table.pull({5, 6}) == std::vector<int>{1, 1}, "other keys go on");
        world.barrier();
    });
}

}  // namespace tutti::test
