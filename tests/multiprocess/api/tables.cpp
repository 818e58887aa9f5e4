// Tables between processes: rows in any order, longer than a frame, and by rules that see whole rows.
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "tests/expect.hpp"
#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::tables {

namespace {

// As far as this rank knows from what it has pushed.
float value_of(int rank, std::size_t step, std::size_t row)
{
    return static_cast<float>(1 + rank + static_cast<int>(step % 7) + static_cast<int>(row % 3));
}

// Rows in any order, some of them again, by all ranks at once; then the sums.
void run_sums(const tutti::Communicator& world, std::size_t rows, std::size_t width, std::size_t steps)
{
    for (const tutti::RowPartition partition :
         {tutti::RowPartition::modulo, tutti::RowPartition::range, tutti::RowPartition::hash}) {
        tutti::Table<float> table(world, rows, width, 0.5f, {.partition = partition});
        std::vector<std::size_t> named(rows);
        for (std::size_t i = 0; i < rows; ++i)
            named[i] = (i * 7 + 3) % rows;
        named.push_back(named.front());
        std::vector<tutti::TableRequest> requests;
        std::vector<std::vector<float>> pushed;
        for (std::size_t step = 0; step < steps; ++step) {
            pushed.emplace_back(named.size() * width);
            for (std::size_t i = 0; i < pushed.back().size(); ++i)
                pushed.back()[i] = value_of(world.rank(), step, named[i / width]);
            if (step % 2 == 0)
                table.push(named, pushed.back(), tutti::sum);
            else
                requests.push_back(table.ipush(named, pushed.back(), tutti::sum));
        }
        for (tutti::TableRequest& request : requests)
            request.wait();
        table.tick();
        std::vector<float> pulled(named.size() * width);
        table.ipull(named, pulled).wait();
        expect(pulled == table.pull(named), "ipull as pull");
        for (std::size_t i = 0; i < pulled.size(); ++i) {
            const std::size_t row = named[i / width];
            float wanted = 0.5f;
            for (int rank = 0; rank < world.size(); ++rank)
                for (std::size_t step = 0; step < steps; ++step)
                    wanted += value_of(rank, step, row) * (row == named.front() ? 2 : 1);
            expect(pulled[i] == wanted, "row " + std::to_string(row));
        }
        world.barrier();
    }
}

// A rule sees whole rows, and pulls do, while all ranks push. Its state counts.
void run_rule(const tutti::Communicator& world, std::size_t width, int steps)
{
    const tutti::UpdateRule<float> rule(
        [](std::span<float> row, std::span<float> state, std::span<const float> pushed) {
            if (std::ranges::count(row, row[0]) != static_cast<std::ptrdiff_t>(row.size()))
                throw std::logic_error("a part of a row");
            std::ranges::copy(pushed, row.begin());
            state[0] += 1;
        },
        0, 1);
    tutti::Table<float> table(world, 5, width, rule);
    const std::vector<std::size_t> rows = {4, 0, 2, 0};
    std::vector<float> values(rows.size() * width);
    const auto check_rows = [&] {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::span<const float> row = std::span(values).subspan(i * width, width);
            expect(std::ranges::count(row, row[0]) == static_cast<std::ptrdiff_t>(width), "a whole row");
        }
    };
    for (int step = 0; step < steps; ++step) {
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(100 * world.rank() + step) + static_cast<float>(i / width);
        table.push(rows, values);
        table.pull(rows, values);
        check_rows();
        table.push_pull(rows, values);
        check_rows();
    }
    table.tick();
    float pushes = 0;
    for (const float each : table.local_state())
        pushes += each;
    world.allreduce(pushes, tutti::sum);
    expect(pushes == static_cast<float>(2 * steps * static_cast<int>(rows.size()) * world.size()),
           "the rule has seen all pushes");
    world.barrier();
}

// Pushes of one rank to one row keep their order, whichever way they go: as one of many rows or alone, with
// and without a request, short and longer than a frame.
void run_order(const tutti::Communicator& world, std::size_t width)
{
    const tutti::UpdateRule<float> rule(
        [](std::span<float> row, std::span<float>, std::span<const float> pushed) {
            if (pushed[0] != row[0] + 1)
                throw std::logic_error("out of order");
            std::ranges::copy(pushed, row.begin());
        });
    const auto own = static_cast<std::size_t>(world.rank());
    tutti::Table<float> table(world, 2 * static_cast<std::size_t>(world.size()), width, rule, 0.0f,
                              {.partition = tutti::RowPartition::hash});
    const std::vector<std::size_t> both = {2 * own, 2 * own + 1};
    std::vector<tutti::TableRequest> requests;
    std::vector<std::vector<float>> pushed;
    for (int step = 1; step <= 30; ++step) {
        pushed.emplace_back(2 * width, static_cast<float>(step));
        const std::span<const float> values = pushed.back();
        if (step % 3 == 0)
            table.push(both, values);
        else if (step % 3 == 1)
            requests.push_back(table.ipush(both, values));
        else
            for (std::size_t i = 0; i < 2; ++i)
                requests.push_back(
                    table.ipush(std::span(both).subspan(i, 1), values.subspan(i * width, width)));
    }
    for (tutti::TableRequest& request : requests)
        request.wait();
    table.tick();
    expect(table.pull(both) == std::vector<float>(2 * width, 30.0f), "the last push is the last one");
    world.barrier();
}

void run_refusals(const tutti::Communicator& world)
{
    const tutti::UpdateRule<int> rule([](std::span<int> row, std::span<int>, std::span<const int> pushed) {
        if (pushed[0] < 0)
            throw std::domain_error("below zero");
        row[0] += pushed[0];
    });
    const int last = world.size() - 1;
    tutti::Table<int> table(world, 4, 1, rule, 0, {.owners = {last}});
    std::string words;
    try {
        table.push({1, 3}, std::vector<int>{-1, 5});
    } catch (const tutti::Error& error) {
        words = error.what();
    }
    expect(words.find("the rule has failed: below zero") != std::string::npos, "what the rule throws: " + words);
    table.push({1, 2}, std::vector<int>{1, 2});
    table.tick();
    expect(table.pull({0, 1, 2, 3}) == std::vector<int>{0, world.size(), 2 * world.size(), 0},
           "later pushes go on");
    world.barrier();
}

// Rows of keys, of several lengths, some longer than a frame; many at once, and again.
void run_keys(const tutti::Communicator& world)
{
    tutti::SparseTable<float> table(world, 8, [](std::uint64_t key, std::span<float> row) {
        std::ranges::fill(row, static_cast<float>(key % 16));
    });
    std::vector<std::uint64_t> keys(3000);
    std::vector<std::size_t> lengths(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i] = i * 0x9e3779b97f4a7c15u;
        lengths[i] = i % 1000 == 999 ? 40'000 : i % 5;
    }
    std::vector<float> values(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}));
    for (int step = 0; step < 4; ++step) {
        std::ranges::fill(values, 1.0f);
        if (step % 2 == 0)
            table.push(keys, lengths, values, tutti::sum);
        else
            table.ipush(keys, lengths, values, tutti::sum).wait();
    }
    table.tick();
    table.pull(keys, lengths, values);
    std::size_t at = 0;
    for (std::size_t i = 0; i < keys.size(); ++i)
        for (std::size_t j = 0; j < lengths[i]; ++j)
            expect(values[at++] == static_cast<float>(keys[i] % 16) + static_cast<float>(4 * world.size()),
                   "the row of key " + std::to_string(keys[i]));
    std::vector<std::size_t> found = table.lengths(keys);
    expect(found == lengths, "lengths");
    std::size_t rows = 0;
    world.allreduce(table.local_size(), rows, tutti::sum);
    expect(rows == keys.size() - keys.size() / 5, "a row for each key that has a length");
    world.barrier();
}

void run_keys_by_rule(const tutti::Communicator& world)
{
    const std::vector<int> ends = {world.size() - 1, 0};
    tutti::SparseTable<double> table(
        world, 20'000, tutti::momentum<double>(1.0, 0.5), {},
        {.owners = world.size() == 1 ? std::vector{0} : ends, .staleness = tutti::StepClock::kFree});
    const std::vector<std::uint64_t> keys = {1, 2};
    std::vector<double> values(40'000, 1.0);
    for (int turn = 0; turn < world.size(); ++turn) {
        if (turn == world.rank())
            table.push(keys, values);
        table.tick();
        world.barrier();
    }
    table.pull(keys, values);
    double momentum = 0;
    double wanted = 0;
    for (int turn = 0; turn < world.size(); ++turn) {
        momentum = 0.5 * momentum + 1;
        wanted -= momentum;
    }
    expect(std::ranges::count(values, wanted) == 40'000, "rows as momentum makes them");
    world.barrier();
}

}  // namespace

int run_program(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    run_sums(world, 101, 7, 6);
    run_sums(world, 3000, 16, 3);   // rows for several frames
    run_sums(world, 5, 50'000, 3);  // none fits one
    run_rule(world, 3, 20);
    run_rule(world, 4000, 10);
    run_rule(world, 50'000, 5);
    run_order(world, 3);
    run_order(world, 30'000);
    run_refusals(world);
    run_keys(world);
    run_keys_by_rule(world);
    return 0;
}

const Program program("tables", run_program);

}  // namespace tutti::test::tables
