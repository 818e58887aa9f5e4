// Accesses of one rank that conflict, as tuttirun --check finds them, and those that do not:
// "window_conflicts MEMORY". MEMORY is "mapped" by the others of the node, or "ordinary".
#include <string>
#include <vector>

#include "tests/expect.hpp"
#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::window_conflicts {

namespace {

/// `call` must be refused with this text.
template <class Call>
void refused(const std::string& text, Call&& call)
{
    try {
        call();
    } catch (const tutti::Error& error) {
        expect(std::string(error.what()).find(text) != std::string::npos,
               "text of: " + std::string(error.what()));
        return;
    }
    expect(false, "no error: " + text);
}

void in_locks(tutti::Window<int>& window, int next)
{
    const std::vector<int> four{1, 2, 3, 4};
    std::vector<int> got(4);
    auto access = window.lock(next);
    const std::string table = "table, rank " + std::to_string(next) + ": ";
    access.put(four, 4);
    refused(
        table +
            "bytes 28 to 32 are those of an earlier put() that is not complete; flush() or the end of the "
            "epoch must come between them (in the epoch of lock())",
        [&] { access.put(four, 7); });
    refused("put: ", [&] { access.put(0, 5); });
    refused("get: ", [&] { access.get(got, 1); });
    refused("accumulate: ", [&] { access.accumulate(1, 4, tutti::sum); });
    refused("fetch_and_op: ", [&] { access.fetch_and_op(1, 4, tutti::sum); });
    refused("compare_and_swap: ", [&] { access.compare_and_swap(1, 2, 7); });
    refused("get: ", [&] { access.iget(got, 4).wait(); });
    access.put(four, 8);  // beside it
    access.put(four, 0);
    access.flush_local();  // the target need not have them
    refused("an earlier put()", [&] { access.get(got, 2); });
    access.flush();
    access.get(got, 2);
    access.get(got, 3);  // gets agree
    refused("bytes 8 to 28 are those of an earlier get()", [&] { access.put(std::vector<int>(9), 0); });
    access.flush_local();  // what was got is here
    expect(got == std::vector<int>{4, 1, 2, 3}, "what was put");
    access.put(std::vector<int>(9), 0);
    access.flush();
    access.accumulate(four, 0, tutti::sum);
    access.accumulate(four, 1, tutti::max);  // updates agree
    access.get_accumulate(four, got, 0, tutti::no_op);
    refused("an earlier accumulate() or its like", [&] { access.put(1, 2); });
    refused("an earlier accumulate() or its like", [&] { access.get(got, 4); });
    access.flush();
    // What a request completes is complete.
    access.iget(got, 0).wait();
    access.put(four, 0);
    access.flush();
    access.fetch_and_op(1, 0, tutti::sum);
    access.put(1, 0);
    access.flush();
    access.iput(four, 0).wait();  // here only
    refused("an earlier put()", [&] { access.put(four, 0); });
}

void by_layouts(tutti::Window<int>& window, int next)
{
    const std::vector<int> four{1, 2, 3, 4};
    const auto every_second = tutti::Layout::strided(4, 1, 2, sizeof(int));
    auto access = window.lock_all();
    access[next].put(four, 0, every_second);
    access[next].put(four, 1, every_second);  // between them
    refused("bytes 8 to 12 are those of an earlier put()", [&] { access[next].put(1, 2); });
    refused("bytes 0 to 4", [&] { access[next].get(std::vector<int>(4), 0, every_second); });
    access.flush();
    access[next].put(four, 0, every_second);
}

void in_other_epochs(const tutti::Communicator& world, tutti::Window<int>& window, int next)
{
    {
        auto epoch = window.fence();
        epoch[next].put(1, 0);
        refused(
            "put() that is not complete; the end of the epoch must come between them (in the epoch of "
            "fence())",
            [&] { epoch[next].put(2, 0); });
        epoch.fence();
        epoch[next].put(3, 0);
        epoch.fence();
        expect(window.local()[0] == 3, "what was put");
    }
    const int previous = tutti::test::left_of(world);
    for (int round = 0; round < 2; ++round) {
        auto exposure = window.post(std::vector{previous});
        auto access = window.start(std::vector{next});
        access[next].put(round, 0);
        refused("(in the epoch of start())", [&] { access[next].put(2, 0); });
        access.end();
        exposure.wait();
        expect(window.local()[0] == round, "what was put");
    }
}

}  // namespace

int run_program(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    const int next = tutti::test::right_of(world);
    std::vector<int> ordinary(20);
    tutti::shared_vector<int> mapped(20);
    const bool is_mapped = argc > 1 && argv[1] == std::string("mapped");
    tutti::Window<int> window(world, is_mapped ? std::span<int>(mapped) : std::span<int>(ordinary));
    window.set_name("table");
    in_locks(window, next);
    world.barrier();
    by_layouts(window, next);
    world.barrier();
    in_other_epochs(world, window, next);
    return 0;
}

const Program program("window_conflicts", run_program);

}  // namespace tutti::test::window_conflicts
