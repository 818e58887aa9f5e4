// What tables take where no peer has the like: narrow rows, random rows, several owners, and pushes beside
// computing. The last rank works.
//
//     tuttirun -n 2 push-pull-goals wide      all rows of Table(10'000'000, 1)
//     tuttirun -n 2 push-pull-goals random    8,192 rows of 64 B of 10 million
//     tuttirun -n 4 push-pull-goals owners    a row at 1, 2 ... owners
//     tuttirun -n 2 push-pull-goals overlap   ipush of 16 rows of 1 MiB
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/push_pull/rounds.hpp"

namespace push_pull {

namespace {

constexpr std::size_t kRows = 10'000'000;
constexpr int kRounds = 11;

bool works(const tutti::Communicator& world)
{
    return world.rank() == world.size() - 1;
}

std::vector<std::size_t> first_rows(std::size_t count)
{
    std::vector<std::size_t> rows(count);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
}

void print(const std::string& what, tutti::Table<float>& table, const std::vector<std::size_t>& rows)
{
    std::vector<float> values(rows.size() * table.width(), 1);
    std::vector<float> pulled(values.size());
    std::vector<double> pushes, pulls;
    for (int round = 0; round < kRounds; ++round) {
        pushes.push_back(timed([&] { table.push(rows, values, tutti::sum); }));
        pulls.push_back(timed([&] { table.pull(rows, pulled); }));
    }
    const bool right = std::ranges::all_of(pulled, [](float each) { return each >= kRounds; });
    fmt::print("{}: push {:.4f} ms pull {:.4f} ms{}\n", what, median(pushes), median(pulls),
               right ? "" : " WRONG");
}

void run_wide(const tutti::Communicator& world)
{
    tutti::Table<float> table(world, kRows, 1);
    if (works(world))
        print("10,000,000 rows of 4 B", table, first_rows(kRows));
    world.barrier();
}

void run_random(const tutti::Communicator& world)
{
    tutti::Table<float> table(world, kRows, 16);
    std::mt19937_64 random(1);
    std::vector<std::size_t> rows(8192);
    for (std::size_t& row : rows)
        row = random() % kRows;
    if (works(world))
        print("8,192 random rows of 64 B", table, rows);
    world.barrier();
}

void run_owners(const tutti::Communicator& world)
{
    const auto others = static_cast<std::size_t>(world.size() - 1);
    std::vector<int> owners(others);
    std::iota(owners.begin(), owners.end(), 0);
    tutti::Table<float> table(world, others, 16, 0, {.owners = owners});
    for (std::size_t count = 1; count <= others && works(world); ++count)
        print(fmt::format("a row of 64 B at each of {} owners", count), table, first_rows(count));
    world.barrier();
}

// For `ms`, without a call of Tutti.
void compute(double ms)
{
    const double end = tutti::wall_time() + ms / 1e3;
    volatile double value = 1;
    while (tutti::wall_time() < end)
        for (int i = 0; i < 1000; ++i)
            value = std::sqrt(value + i);
}

// How much of what issue() begins goes on while this rank computes.
template <class Issue, class Finish>
void print_overlap(const std::string& what, Issue&& issue, Finish&& finish)
{
    std::vector<double> alone, issued, together;
    for (int round = 0; round < kRounds; ++round)
        alone.push_back(timed([&] { issue(), finish(); }));
    const double work = 2 * median(alone);
    for (int round = 0; round < kRounds; ++round)
        together.push_back(timed([&] {
            issued.push_back(timed(issue));
            compute(work);
            finish();
        }));
    fmt::print("{}: issued in {:.3f} ms, alone {:.2f} ms, {:.0f} % hidden behind {:.2f} ms\n", what,
               median(issued), median(alone), 100 * (1 - (median(together) - work) / median(alone)), work);
}

// Beside messages of the same bytes, which their receiver waits for.
void run_overlap(const tutti::Communicator& world)
{
    constexpr std::size_t kCount = 16;
    constexpr std::size_t kWidth = 1 << 18;
    tutti::Table<float> table(world, kCount, kWidth, 0, {.owners = {0}});
    const std::vector<std::size_t> rows = first_rows(kCount);
    std::vector<float> values(kCount * kWidth, 1);
    if (works(world)) {
        tutti::TableRequest request;
        print_overlap(
            "ipush of 16 x 1 MiB", [&] { request = table.ipush(rows, values, tutti::sum); },
            [&] {
                request.wait();
                table.flush();
            });
    }
    world.barrier();
    if (works(world)) {
        std::vector<tutti::Request> requests;
        print_overlap(
            "isend of 16 x 1 MiB",
            [&] {
                for (std::size_t i = 0; i < kCount; ++i)
                    requests.push_back(world.isend(std::span(values).subspan(i * kWidth, kWidth), 0));
            },
            [&] {
                tutti::wait_all(requests);
                requests.clear();
            });
    } else if (world.rank() == 0) {
        for (int message = 0; message < 2 * kRounds * static_cast<int>(kCount); ++message)
            world.recv(std::span(values).first(kWidth), world.size() - 1);
    }
    world.barrier();
}

int run(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    const std::string what = argc == 2 ? argv[1] : "";
    const auto goal = what == "wide"      ? run_wide
                      : what == "random"  ? run_random
                      : what == "owners"  ? run_owners
                      : what == "overlap" ? run_overlap
                                          : nullptr;
    if (goal == nullptr || world.size() < 2) {
        if (world.rank() == 0)
            std::fputs("push-pull-goals: wide, random, owners or overlap, on 2 ranks or more\n", stderr);
        return 2;
    }
    goal(world);
    return 0;
}

}  // namespace

}  // namespace push_pull

int main(int argc, char** argv)
{
    return push_pull::run(argc, argv);
}
