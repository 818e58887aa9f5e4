// Operations on windows that are under way together: "window_overlap SEED [threads]". Each rank has a part of
// every rank's memory for itself, and a copy of what must be there.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/expect.hpp"
#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::window_overlap {

namespace {

using Numbers = std::vector<std::int64_t>;

constexpr std::size_t kPart = 3001;

class Overlap {
public:
    Overlap(const tutti::Communicator& world, std::span<std::int64_t> memory, unsigned seed)
        : world_(world),
          random_(seed * 101 + static_cast<unsigned>(world.rank())),
          window_(world, memory),
          first_(kPart * static_cast<std::size_t>(world.rank())),
          expected_(static_cast<std::size_t>(world.size()), Numbers(kPart))
    {
        world.barrier();
    }

    // Replacing and adding do not commute: only their order gives the values.
    void order_of_accumulates()
    {
        auto all = window_.lock_all();
        std::vector<Numbers> borrowed;
        std::vector<tutti::Request> requests;
        for (int i = 0; i < 600; ++i) {
            const int target = below(world_.size());
            const auto [begin, values] = place_and_values();
            Numbers& there = expected_[static_cast<std::size_t>(target)];
            const auto from = there.begin() + static_cast<std::ptrdiff_t>(begin);
            const bool adds = below(2) == 0;
            if (adds)
                std::transform(values.begin(), values.end(), from, from, std::plus());
            else
                std::ranges::copy(values, from);
            if (below(3) == 0) {
                borrowed.push_back(values);
                requests.push_back(
                    adds ? all[target].iaccumulate(borrowed.back(), first_ + begin, tutti::sum)
                         : all[target].iaccumulate(borrowed.back(), first_ + begin, tutti::replace));
            } else if (adds) {
                all[target].accumulate(values, first_ + begin, tutti::sum);
            } else {
                all[target].accumulate(values, first_ + begin, tutti::replace);
            }
        }
        std::ranges::shuffle(requests, random_);
        tutti::wait_all(requests);
        all.flush();
        check(all, "the order of accumulates");
    }

    void requests_in_another_order()
    {
        struct Fetch {
            std::size_t number;
            Numbers operands;
            Numbers before;
            Numbers expected;
            tutti::Request request{};
        };
        auto all = window_.lock_all();
        std::vector<Fetch> fetches;
        fetches.reserve(300);
        for (std::size_t i = 0; i < 300; ++i) {
            const int target = below(world_.size());
            const auto [begin, values] = place_and_values();
            Numbers& there = expected_[static_cast<std::size_t>(target)];
            const auto from = there.begin() + static_cast<std::ptrdiff_t>(begin);
            Fetch& made =
                fetches.emplace_back(Fetch{i, values, Numbers(values.size()),
                                           Numbers(from, from + static_cast<std::ptrdiff_t>(values.size()))});
            made.request =
                all[target].iget_accumulate(made.operands, made.before, first_ + begin, tutti::sum);
            std::transform(values.begin(), values.end(), from, from, std::plus());
        }
        std::vector<std::size_t> order(fetches.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::shuffle(order, random_);
        for (const std::size_t each : order) {
            fetches[each].request.wait();
            expect(fetches[each].before == fetches[each].expected, "fetch " + std::to_string(each));
        }
        all.flush();
        check(all, "what was fetched and added");
    }

    // Puts and gets of parts that do not touch, all at once.
    void puts_and_gets(bool requests)
    {
        auto all = window_.lock_all();
        std::vector<Numbers> kept;
        kept.reserve(kPart * expected_.size());
        std::vector<tutti::Request> open;
        for (std::size_t target = 0; target < expected_.size(); ++target) {
            const auto to = all[static_cast<int>(target)];
            for (std::size_t begin = 0; begin < kPart;) {
                const std::size_t count = std::min(kPart - begin, length());
                const Numbers values = random_numbers(count);
                std::ranges::copy(values, expected_[target].begin() + static_cast<std::ptrdiff_t>(begin));
                if (requests)
                    open.push_back(to.iput(kept.emplace_back(values), first_ + begin));
                else
                    to.put(Numbers(values), first_ + begin);  // whose values are gone when it returns
                begin += count;
            }
        }
        tutti::wait_all(open);
        all.flush();
        std::vector<Numbers> got(expected_.size(), Numbers(kPart));
        open.clear();
        for (std::size_t target = 0; target < expected_.size(); ++target) {
            const auto from = all[static_cast<int>(target)];
            for (std::size_t begin = 0; begin < kPart;) {
                const std::size_t count = std::min(kPart - begin, length());
                const std::span<std::int64_t> to = std::span(got[target]).subspan(begin, count);
                if (requests)
                    open.push_back(from.iget(to, first_ + begin));
                else
                    from.get(to, first_ + begin);
                begin += count;
            }
        }
        std::ranges::reverse(open);
        tutti::wait_all(open);
        if (!requests)
            all.flush_local();
        expect(got == expected_, "what was put and got");
    }

    // More than are under way to one target at a time; the epoch's end completes them.
    void many(bool flushes)
    {
        constexpr int kMany = 20'000;
        {
            auto all = window_.lock_all();
            for (int i = 0; i < kMany; ++i) {
                const int target = i % world_.size();
                const auto place = static_cast<std::size_t>(i) % kPart;
                all[target].accumulate(std::int64_t{i}, first_ + place, tutti::sum);
                expected_[static_cast<std::size_t>(target)][place] += i;
            }
            if (flushes)
                all.flush();
            if (flushes)
                check(all, "many accumulates");
        }
        auto all = window_.lock_all();
        check(all, "many accumulates, and the end of the epoch");
    }

    // All ranks at once, to all others: each serves while it waits.
    void layouts()
    {
        auto epoch = window_.fence();
        const Numbers values = random_numbers(kPart / 3);
        const auto every_third = tutti::Layout::strided(values.size(), 1, 3, sizeof(std::int64_t));
        for (std::size_t target = 0; target < expected_.size(); ++target) {
            epoch[static_cast<int>(target)].accumulate(values, first_, tutti::sum, every_third);
            for (std::size_t i = 0; i < values.size(); ++i)
                expected_[target][3 * i] += values[i];
        }
        epoch.fence();
        std::vector<Numbers> got(expected_.size(), Numbers(2 * values.size()));
        for (std::size_t target = 0; target < expected_.size(); ++target)
            epoch[static_cast<int>(target)].get(tutti::strided(got[target].data(), values.size(), 1, 2),
                                                first_, every_third);
        epoch.fence();
        for (std::size_t target = 0; target < expected_.size(); ++target)
            for (std::size_t i = 0; i < values.size(); ++i)
                expect(got[target][2 * i] == expected_[target][3 * i] && got[target][2 * i + 1] == 0,
                       "element " + std::to_string(i) + " of a layout");
    }

private:
    int below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }
    std::size_t length() { return 1 + random_() % (below(4) == 0 ? std::size_t{1500} : std::size_t{20}); }
    Numbers random_numbers(std::size_t count)
    {
        Numbers values(count);
        std::ranges::generate(values, [&] { return below(1'000'000); });
        return values;
    }
    std::pair<std::size_t, Numbers> place_and_values()
    {
        const std::size_t count = length();
        return {random_() % (kPart - count + 1), random_numbers(count)};
    }
    template <class Epoch>
    void check(Epoch& all, const std::string& what)
    {
        for (std::size_t target = 0; target < expected_.size(); ++target) {
            Numbers got(kPart);
            all[static_cast<int>(target)].get(got, first_);
            all.flush();
            expect(got == expected_[target], what);
        }
    }

    const tutti::Communicator& world_;
    std::minstd_rand random_;
    tutti::Window<std::int64_t> window_;
    std::size_t first_;  // of this rank's part, in each rank's memory
    std::vector<Numbers> expected_;
};

// More bytes than are under way to one target at a time.
void run_long(const tutti::Communicator& world)
{
    constexpr std::size_t kPieces = 6;
    constexpr std::size_t kPiece = std::size_t{1} << 17;
    const int next = (world.rank() + 1) % world.size();
    const int previous = (world.rank() + world.size() - 1) % world.size();
    std::vector<std::int64_t> memory(kPieces * kPiece);
    tutti::Window<std::int64_t> window(world, std::span(memory));
    const auto numbers = [](int rank, std::int64_t more) {
        std::vector<std::int64_t> made(kPieces * kPiece);
        std::iota(made.begin(), made.end(), std::int64_t{rank} * 1'000'000'000 + more);
        return made;
    };
    auto all = window.lock_all();
    const std::vector<std::int64_t> mine = numbers(world.rank(), 0);
    std::vector<tutti::Request> requests;
    for (std::size_t i = 0; i < kPieces; ++i)
        requests.push_back(all[next].iput(std::span(mine).subspan(i * kPiece, kPiece), i * kPiece));
    for (; !requests.empty(); requests.pop_back())
        requests.back().wait();
    all.flush(next);
    world.barrier();
    expect(memory == numbers(previous, 0), "long puts");
    world.barrier();
    all[next].accumulate(std::vector<std::int64_t>(memory.size(), 7), 0, tutti::sum);
    std::vector<std::int64_t> got(memory.size());
    tutti::Request get = all[next].iget_accumulate(got, got, 0, tutti::no_op);
    get.wait();
    expect(got == numbers(world.rank(), 7), "a long accumulate, and what is fetched behind it");
    world.barrier();
}

// Threads operate at once; each has elements of its own at all targets, and a flush of one completes those of
// all.
void run_threads(const tutti::Communicator& world)
{
    constexpr std::size_t kThreads = 3;
    // More ranks than cores take turns for each answer.
    const std::int64_t all_rounds = world.size() <= 3 ? 400 : 60;
    const auto ranks = static_cast<std::size_t>(world.size());
    std::vector<std::int64_t> memory(kThreads * ranks);
    tutti::Window<std::int64_t> window(world, std::span(memory));
    {
        const auto all = window.lock_all();
        std::vector<std::thread> threads;
        for (std::size_t thread = 0; thread < kThreads; ++thread)
            threads.emplace_back([&, thread] {
                const std::size_t place = thread * ranks + static_cast<std::size_t>(world.rank());
                for (std::int64_t i = 0; i < all_rounds; ++i) {
                    const int target = static_cast<int>(i) % world.size();
                    all[target].accumulate(std::int64_t{1}, place, tutti::sum);
                    std::int64_t before = -1;
                    tutti::Request fetch =
                        all[target].ifetch_and_op(std::int64_t{1}, before, place, tutti::sum);
                    if (i % 3 == 0)
                        all.flush_local(target);
                    fetch.wait();
                    expect(before == 2 * (i / world.size()) + 1, "what a thread has added itself");
                }
            });
        for (std::thread& thread : threads)
            thread.join();
    }
    world.barrier();
    for (std::size_t i = 0; i < memory.size(); ++i) {
        const std::int64_t rounds = (all_rounds - world.rank() + world.size() - 1) / world.size();
        expect(memory[i] == 2 * rounds, "what threads have added");
    }
    world.barrier();
}

void run(const tutti::Communicator& world, std::span<std::int64_t> memory, unsigned seed)
{
    Overlap overlap(world, memory, seed);
    overlap.order_of_accumulates();
    overlap.requests_in_another_order();
    overlap.puts_and_gets(false);
    overlap.puts_and_gets(true);
    overlap.many(true);
    overlap.many(false);
    overlap.layouts();
    world.barrier();
}

}  // namespace

int run_program(int argc, char** argv)
{
    const bool has_threads = argc > 2 && argv[2] == std::string("threads");
    tutti::Environment environment(
        argc, argv, {.threads = has_threads ? tutti::ThreadLevel::multiple : tutti::ThreadLevel::funneled});
    const tutti::Communicator world = environment.world();
    const auto seed = static_cast<unsigned>(argc > 1 ? std::stoi(argv[1]) : 1);
    // Ranks of a node map the one kind of memory, and not the other.
    std::vector<std::int64_t> ordinary(kPart * static_cast<std::size_t>(world.size()));
    run(world, ordinary, seed);
    tutti::shared_vector<std::int64_t> mapped(ordinary.size());
    run(world, mapped, seed + 1);
    run_long(world);
    if (has_threads)
        run_threads(world);
    return 0;
}

const Program program("window_overlap", run_program);

}  // namespace tutti::test::window_overlap
