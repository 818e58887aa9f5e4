// Rows that all ranks push to and pull from; ranks are threads.
#include <atomic>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "tests/threads/support.hpp"

namespace tutti::test {

namespace {

void at_table_sizes(const std::function<void(const Communicator&)>& body)
{
    for (const int ranks : {1, 2, 3, 5, 8})
        at_size(ranks, body);
}

// Of element `column` of row `row`.
double first_value(std::size_t row, std::size_t column)
{
    return static_cast<double>(100 * row + column);
}

}  // namespace

TEST_CASE("table: what all ranks push is added, row by row", "[windows]")
{
    at_table_sizes([](const Communicator& world) {
        for (const std::size_t width : {1u, 3u, 17u}) {
            constexpr std::size_t kRows = 23;
            Table<double> table(world, kRows, width, 0.5);
            std::vector<std::size_t> rows;
            std::vector<double> values;
            for (std::size_t row = kRows; row-- > 0;) {
                rows.push_back(row);
                for (std::size_t column = 0; column < width; ++column)
                    values.push_back(first_value(row, column));
            }
            table.push(rows, values, sum);
            table.push({}, {}, sum);
            world.barrier();
            const std::vector<std::size_t> wanted = {22, 0, 5, 0, 7};
            const std::vector<double> pulled = table.pull(wanted);
            expect(pulled.size() == wanted.size() * width, "as many elements as rows have");
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                for (std::size_t column = 0; column < width; ++column)
                    expect(pulled[i * width + column] == 0.5 + world.size() * first_value(wanted[i], column),
                           "element of row " + std::to_string(wanted[i]));
            }
            expect(table.pull({}).empty(), "no rows");
        }
    });
}

TEST_CASE("table: a row that is named again gets all that is pushed to it", "[windows]")
{
    at_table_sizes([](const Communicator& world) {
        Table<int> table(world, 4, 2);
        const std::vector<std::size_t> rows = {3, 1, 3, 3, 1};
        for (int repetition = 0; repetition < 50; ++repetition)
            table.push(rows, std::vector<int>{1, 2, 10, 20, 3, 4, 5, 6, 30, 40}, sum);
        world.barrier();
        const int times = 50 * world.size();
        expect(
            table.pull(rows) == std::vector<int>{9 * times, 12 * times, 40 * times, 60 * times, 9 * times,
                                                 12 * times, 9 * times, 12 * times, 40 * times, 60 * times},
            "sums of repeated rows");
        world.barrier();
        if (world.rank() == 0)
            table.push(std::vector<std::size_t>{2, 2}, std::vector<int>{1, 2, 3, 4}, replace);
        world.barrier();
        expect(table.pull(std::vector<std::size_t>{2, 0}) == std::vector<int>{3, 4, 0, 0},
               "the last one stays");
    });
}

TEST_CASE("table: its own pushes are seen at once; rows belong to ranks in turn", "[windows]")
{
    at_table_sizes([](const Communicator& world) {
        Table<float> table(world, 100, 3);
        const auto own = static_cast<std::size_t>(world.rank());
        const std::vector<std::size_t> rows = {own, own + 10, own + 20};
        for (int i = 1; i <= 20; ++i) {
            table.push(rows, std::vector<float>(9, 1.0f), sum);
            expect(table.pull(rows) == std::vector<float>(9, static_cast<float>(i)),
                   "what was pushed before");
        }
        expect(table.owner(own + 3 * static_cast<std::size_t>(world.size())) == world.rank(), "owner");
        expect(table.local().size() / 3 == (100 + world.size() - 1 - own) / world.size(), "rows of a rank");
        expect(table.local()[0] == 20.0f, "the owner's own row");
        Table<float> empty(world, 0, 5);
        Table<float> narrow(world, 5, 0);
        narrow.push(std::vector<std::size_t>{4}, {}, sum);
        expect(empty.pull({}).empty() && narrow.pull(std::vector<std::size_t>{4, 0}).empty(), "no elements");
    });
}

TEST_CASE("table: rows outside it and buffers of another size are refused, and nothing is changed",
          "[windows]")
{
    at_table_sizes([](const Communicator& world) {
        Table<int> table(world, 10, 2);
        const auto refused = [](const auto& call) -> std::string {
            try {
                call();
            } catch (const Error& error) {
                expect(error.code() == ErrorCode::invalid_argument, "code");
                return error.what();
            }
            return {};
        };
        const std::vector<std::size_t> rows = {1, 10};
        const std::string outside = refused([&] { table.push(rows, std::vector<int>(4, 1), sum); });
        expect(outside.find("there is no row 10 in a table of 10 rows") != std::string::npos, outside);
        const std::string size = refused([&] { table.push(rows, std::vector<int>(3, 1), sum); });
        expect(size.find("2 rows of 2 elements have 4 elements, the buffer 3") != std::string::npos, size);
        expect(!refused([&] { table.pull(rows); }).empty(), "pull of a row outside");
        world.barrier();
        expect(table.pull(std::vector<std::size_t>{1}) == std::vector<int>{0, 0}, "nothing is changed");
    });
}

TEST_CASE("table: every row is at one owner, however rows are dealt", "[windows]")
{
    for (const RowPartition partition : {RowPartition::modulo, RowPartition::range, RowPartition::hash}) {
        for (const std::size_t rows : {1u, 2u, 7u, 64u, 1000u}) {
            for (const std::size_t owners : {1u, 2u, 3u, 8u}) {
                const detail::RowDeal deal(partition, rows, owners);
                std::vector<std::vector<bool>> seen(owners);
                for (std::size_t owner = 0; owner < owners; ++owner)
                    seen[owner].resize(deal.rows_of(owner));
                for (std::size_t row = 0; row < rows; ++row) {
                    const auto [owner, index] = deal.place(row);
                    REQUIRE(owner < owners);
                    REQUIRE(index < seen[owner].size());
                    CHECK_FALSE(seen[owner][index]);
                    seen[owner][index] = true;
                }
                std::size_t all = 0;
                for (const auto& rows_of_owner : seen)
                    all += rows_of_owner.size();
                CHECK(all == rows);
            }
        }
    }
}

TEST_CASE("table: rows in any order, of some owners, by every way to deal them", "[windows]")
{
    at_table_sizes([](const Communicator& world) {
        std::vector<int> some;
        for (int rank = world.size() - 1; rank >= 0; rank -= 2)
            some.push_back(rank);
        for (const RowPartition partition : {RowPartition::modulo, RowPartition::range, RowPartition::hash}) {
            for (const std::vector<int>& owners : {std::vector<int>{}, some}) {
                constexpr std::size_t kRows = 41;
                constexpr std::size_t kWidth = 3;
                Table<long> table(world, kRows, kWidth, 7L, {.owners = owners, .partition = partition});
                for (std::size_t row = 0; row < kRows; ++row)
                    expect(owners.empty() || std::ranges::count(owners, table.owner(row)) == 1,
                           "an owner that was named");
                // Consecutive ones, from any row on; every third; backwards, with one named thrice.
                const auto rows_of = [&](std::size_t form) {
                    std::vector<std::size_t> rows;
                    if (form < 3)
                        for (std::size_t row = form * 5; row < kRows - form; ++row)
                            rows.push_back(row);
                    else if (form == 3)
                        for (std::size_t row = 1; row < kRows; row += 3)
                            rows.push_back(row);
                    else
                        for (std::size_t row = kRows; row-- > 0;)
                            rows.insert(rows.end(), row == 20 ? 3 : 1, row);
                    return rows;
                };
                std::vector<long> expected(kRows * kWidth, 7);
                for (std::size_t form = 0; form < 5; ++form) {
                    const std::vector<std::size_t> rows = rows_of(form);
                    std::vector<long> values(rows.size() * kWidth);
                    for (std::size_t i = 0; i < values.size(); ++i) {
                        values[i] = static_cast<long>(1000 * form + i);
                        expected[rows[i / kWidth] * kWidth + i % kWidth] += values[i] * world.size();
                    }
                    if (form % 2 == 0)
                        table.push(rows, values, sum);
                    else
                        table.ipush(rows, values, sum).wait();
                    table.tick();
                    std::vector<long> found(values.size());
                    table.ipull(rows, found).wait();
                    expect(found == table.pull(rows), "ipull as pull");
                    for (std::size_t i = 0; i < found.size(); ++i)
                        expect(found[i] == expected[rows[i / kWidth] * kWidth + i % kWidth],
                               "an element of form " + std::to_string(form));
                    world.barrier();
                }
            }
        }
    });
}

TEST_CASE("table: push_pull gives the rows as the push leaves them", "[windows]")
{
    at_table_sizes([](const Communicator& world) {
        Table<int> table(world, 5, 2);
        for (int turn = 0; turn < world.size(); ++turn) {
            if (turn == world.rank()) {
                std::vector<int> values = {1, 2, 10, 20};
                table.push_pull(std::vector<std::size_t>{4, 1}, values, sum);
                const int times = turn + 1;
                expect(values == std::vector<int>{times, 2 * times, 10 * times, 20 * times},
                       "as the push leaves them");
            }
            world.barrier();
        }
    });
}

namespace {

// Pushes `steps` gradients to each of three rows, of all ranks by turns, and compares rows and state with
// what the rule makes of them on one rank.
void follows(const Communicator& world, const UpdateRule<double>& rule, std::size_t width,
             RowPartition partition)
{
    constexpr std::size_t kRows = 19;
    Table<double> table(world, kRows, width, rule, 0.25, {.partition = partition});
    const std::vector<std::size_t> rows = {3, 18, 4};
    std::vector<double> expected(rows.size() * width, 0.25);
    std::vector<std::vector<double>> state(rows.size(),
                                           std::vector<double>(rule.state_of(width), rule.initial_state()));
    for (int step = 0; step < 4; ++step) {
        for (int turn = 0; turn < world.size(); ++turn) {
            std::vector<double> gradients(expected.size());
            for (std::size_t i = 0; i < gradients.size(); ++i)
                gradients[i] = static_cast<double>((i * 7 + static_cast<std::size_t>(step + turn)) % 5) - 1.5;
            for (std::size_t i = 0; i < rows.size(); ++i)
                rule.function()(std::span(expected).subspan(i * width, width), state[i],
                                std::span<const double>(gradients).subspan(i * width, width));
            if (turn == world.rank() && step % 2 == 0)
                table.push(rows, gradients);
            else if (turn == world.rank())
                table.ipush(rows, gradients).wait();
            world.barrier();
        }
    }
    expect(table.pull(rows) == expected, "rows as the rule makes them");
    expect(table.pull({0, 1, 2, 3, 4}).front() == 0.25, "a row that nothing was pushed to");
    std::size_t changed = 0;
    for (const double each : table.local_state())
        changed += each != rule.initial_state();
    std::size_t expected_changes = 0;
    for (const auto& of_row : state)
        expected_changes += static_cast<std::size_t>(
            std::ranges::count_if(of_row, [&](double each) { return each != rule.initial_state(); }));
    std::size_t all = 0;
    world.allreduce(changed, all, sum);
    expect(all == expected_changes, "state of three rows, and of no others");
    world.barrier();
}

}  // namespace

TEST_CASE("table: rules change rows as they would on one rank", "[windows]")
{
    at_table_sizes([](const Communicator& world) {
        for (const std::size_t width : {1u, 3u, 130u}) {
            follows(world, sgd<double>(0.5), width, RowPartition::modulo);
            follows(world, momentum<double>(0.5, 0.75), width, RowPartition::range);
            follows(world, adagrad<double>(0.5), width, RowPartition::hash);
            follows(world, adam<double>(0.01), width, RowPartition::modulo);
        }
    });
}

TEST_CASE("rules: the formulas of the papers", "[windows]")
{
    const auto apply = [](const UpdateRule<double>& rule, std::vector<double> gradients) {
        std::vector<double> row = {1.0};
        std::vector<double> state(rule.state_of(1), rule.initial_state());
        for (const double gradient : gradients)
            rule.function()(row, state, std::span(&gradient, 1));
        return row[0];
    };
    CHECK(apply(sgd<double>(0.5), {1.0, 2.0}) == 1.0 - 0.5 - 1.0);
    CHECK(apply(momentum<double>(0.5, 0.25), {1.0, 2.0}) == 1.0 - 0.5 - 0.5 * 2.25);
    CHECK(apply(adagrad<double>(0.5, 0.0), {3.0, 4.0}) == Approx(1.0 - 0.5 - 0.5 * 4.0 / 5.0));
    // The first step of Adam is the rate, whatever the gradient.
    CHECK(apply(adam<double>(0.1), {7.0}) == Approx(0.9));
    const double m = 0.9 * 0.1 * 7.0 + 0.1 * 3.0;
    const double v = 0.999 * 0.001 * 49.0 + 0.001 * 9.0;
    CHECK(apply(adam<double>(0.1), {7.0, 3.0}) ==
          Approx(0.9 - 0.1 * (m / (1 - 0.81)) / (std::sqrt(v / (1 - 0.999 * 0.999)) + 1e-8)));
}

TEST_CASE("table: a rule sees whole rows, and so does a pull", "[windows]")
{
    at_table_sizes([](const Communicator& world) {
        // Each push sets the whole row; whoever finds two values in it has seen a part of one.
        std::atomic<int> torn{0};
        const UpdateRule<float> rule(
            [&](std::span<float> row, std::span<float> state, std::span<const float> pushed) {
                torn += std::ranges::count(row, row[0]) != static_cast<std::ptrdiff_t>(row.size());
                state[0] += 1;
                std::ranges::copy(pushed, row.begin());
            },
            0, 1);
        for (const std::size_t width : {2u, 16u, 20'000u}) {
            Table<float> table(world, 3, width, rule);
            const int times = width > 1000 ? 20 : 200;
            for (int i = 0; i < times; ++i) {
                const std::vector<std::size_t> rows = {static_cast<std::size_t>(i % 2)};
                std::vector<float> values(width, static_cast<float>(world.rank() * 1000 + i));
                table.push(rows, values);
                table.pull(rows, values);
                torn += std::ranges::count(values, values[0]) != static_cast<std::ptrdiff_t>(width);
                table.push_pull(rows, values);
                torn += std::ranges::count(values, values[0]) != static_cast<std::ptrdiff_t>(width);
                table.push(rows, values, replace);  // operators, too
            }
            world.barrier();
            float pushes = std::accumulate(table.local_state().begin(), table.local_state().end(), 0.0f);
            world.allreduce(pushes, sum);
            expect(pushes == static_cast<float>(2 * times * world.size()), "the rule has seen all pushes");
            world.barrier();
        }
        expect(torn == 0, "no row was seen in parts");
    });
}

TEST_CASE("table: what a rule throws ends the push; a table without a rule says so", "[windows]")
{
    at_size(2, [](const Communicator& world) {
        const UpdateRule<int> rule([](std::span<int> row, std::span<int>, std::span<const int> pushed) {
            if (pushed[0] < 0)
                throw std::domain_error("below zero");
            row[0] += pushed[0];
        });
        Table<int> table(world, 4, 1, rule);
        const auto words = [](auto&& call) -> std::string {
            try {
                call();
            } catch (const Error& error) {
                expect(error.code() == ErrorCode::invalid_argument, "code");
                return error.what();
            }
            return {};
        };
        const std::string thrown = words([&] { table.push({1, 3}, std::vector<int>{-1, 5}); });
        expect(thrown.find("the rule has failed: below zero") != std::string::npos, thrown);
        table.push({1, 2}, std::vector<int>{1, 2});
        world.barrier();
        expect(table.pull({0, 1, 2, 3}) == std::vector<int>{0, 2, 4, 0},
               "the row that was refused, and later ones");
        Table<int> plain(world, 4, 1);
        const std::string none = words([&] { plain.push({1}, std::vector<int>{1}); });
        expect(none.find("this table has no rule") != std::string::npos, none);
        world.barrier();
    });
}

TEST_CASE("table: owners that are no ranks, or named twice, are refused", "[windows]")
{
    at_size(2, [](const Communicator& world) {
        for (const std::vector<int>& owners :
             {std::vector<int>{2}, std::vector<int>{-1}, std::vector<int>{1, 0, 1}})
            CHECK_THROWS_WITH((Table<int>(world, 4, 1, 0, {.owners = owners})), Catch::Contains("owner"));
    });
}

TEST_CASE("steps: no rank is farther ahead than the staleness allows", "[windows]")
{
    for (const std::uint64_t staleness :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}, StepClock::kFree}) {
        for (const int ranks : {1, 2, 3, 5}) {
            std::vector<std::atomic<std::uint64_t>> steps(static_cast<std::size_t>(ranks));
            std::atomic<std::uint64_t> farthest{0};
            at_size(ranks, [&](const Communicator& world) {
                StepClock clock(world, staleness);
                for (std::uint64_t step = 1; step <= 200; ++step) {
                    steps[static_cast<std::size_t>(world.rank())] = step;  // this rank ends it now
                    clock.tick();
                    expect(clock.step() == step, "its own step");
                    for (const auto& other : steps)
                        if (const std::uint64_t behind = other; behind < step)
                            farthest = std::max<std::uint64_t>(farthest, step - behind);
                }
            });
            if (staleness != StepClock::kFree)
                CHECK(farthest <= staleness);
        }
    }
}

}  // namespace tutti::test
