// Ways to push and pull: rows at the first ranks, which serve; all others work. Prints a line for each
// worker.
//
//     tuttirun -n 4 push-pull-ways table --servers 2 --keys 256 --floats 16384
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/push_pull/message_server.hpp"
#include "benchmarks/push_pull/rounds.hpp"

namespace push_pull {

namespace {

struct Shape {
    std::string way;
    int servers = 1;
    std::size_t keys = 256;
    std::size_t floats = 16384;  // of a key
    int rounds = 9;
};

/// One worker's buffers, and what it does with them.
class Worker {
public:
    Worker(const tutti::Communicator& workers, const Shape& shape)
        : workers_(workers), shape_(shape), values_(shape.keys * shape.floats, 1), pulled_(values_.size())
    {
    }

    std::span<const float> values() const { return values_; }
    std::span<float> pulled() { return pulled_; }
    /// push() adds values() to the rows, pull() gives them.
    template <class Push, class Pull>
    bool run(Push&& push, Pull&& pull)
    {
        return run_rounds(workers_, shape_.way, shape_.rounds, push, pull, [&](int rounds) {
            const auto sum = static_cast<float>(rounds * workers_.size());
            return std::ranges::count(pulled_, sum) == std::ssize(pulled_);
        });
    }

private:
    const tutti::Communicator& workers_;
    const Shape& shape_;
    tutti::shared_vector<float> values_;
    tutti::shared_vector<float> pulled_;
};

std::vector<int> owners(const Shape& shape)
{
    std::vector<int> first(static_cast<std::size_t>(shape.servers));
    std::iota(first.begin(), first.end(), 0);
    return first;
}

bool by_table(const tutti::Communicator& world, const Shape& shape, Worker* worker)
{
    tutti::Table<float> table(world, shape.keys, shape.floats, 0, {.owners = owners(shape)});
    std::vector<std::size_t> rows(shape.keys);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    const bool right =
        worker == nullptr || worker->run([&] { table.push(rows, worker->values(), tutti::sum); },
                                         [&] { table.pull(rows, worker->pulled()); });
    world.barrier();
    return right;
}

bool by_keys(const tutti::Communicator& world, const Shape& shape, Worker* worker)
{
    tutti::SparseTable<float> table(world, shape.floats, {}, {.owners = owners(shape)});
    std::vector<std::uint64_t> keys(shape.keys);
    for (std::size_t i = 0; i < keys.size(); ++i)
        keys[i] = UINT64_MAX / keys.size() * i;
    const bool right =
        worker == nullptr || worker->run([&] { table.push(keys, worker->values(), tutti::sum); },
                                         [&] { table.pull(keys, worker->pulled()); });
    world.barrier();
    return right;
}

// An operation for each key, all of a server's at once.
bool by_window(const tutti::Communicator& world, const Shape& shape, Worker* worker)
{
    const auto servers = static_cast<std::size_t>(shape.servers);
    const std::size_t each = (shape.keys + servers - 1) / servers;
    tutti::Window<float> window(world, world.rank() < shape.servers ? each * shape.floats : 0);
    std::ranges::fill(window.local(), 0.0f);
    world.barrier();
    auto access = window.lock_all();
    const auto for_each_key = [&](auto&& act) {
        for (std::size_t key = 0; key < shape.keys; ++key)
            act(access[static_cast<int>(key / each)], key * shape.floats, key % each * shape.floats);
        access.flush();
    };
    const auto push = [&] {
        for_each_key([&](const auto& server, std::size_t here, std::size_t there) {
            server.accumulate(worker->values().subspan(here, shape.floats), there, tutti::sum);
        });
    };
    const auto pull = [&] {
        for_each_key([&](const auto& server, std::size_t here, std::size_t there) {
            const std::span<float> row = worker->pulled().subspan(here, shape.floats);
            server.get_accumulate(row, row, there, tutti::no_op);
        });
    };
    const bool right = worker == nullptr || worker->run(push, pull);
    world.barrier();
    return right;
}

bool by_messages(const tutti::Communicator& world, const Shape& shape, Worker* worker)
{
    if (worker == nullptr) {
        MessageServer::serve(world, world.size() - shape.servers);
        return true;
    }
    const MessageServer server(world, shape.servers, shape.keys, shape.floats);
    const bool right =
        worker->run([&] { server.push(worker->values()); }, [&] { server.pull(worker->pulled()); });
    server.say_goodbye();
    return right;
}

int run(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    Shape shape;
    CLI::App app("Pushes to and pulls from rows that the first ranks have, in one of several ways");
    app.add_option("way", shape.way, "table, sparse, window or messages")
        ->required()
        ->check(CLI::IsMember({"table", "sparse", "window", "messages"}));
    app.add_option("--servers", shape.servers, "ranks that have rows")->check(CLI::Range(1, 1 << 20));
    app.add_option("--keys", shape.keys, "rows")->check(CLI::Range(1, 1 << 30));
    app.add_option("--floats", shape.floats, "of a row")->check(CLI::Range(1, 1 << 30));
    app.add_option("--rounds", shape.rounds, "that count")->check(CLI::Range(1, 1 << 20));
    CLI11_PARSE(app, argc, argv);
    if (shape.servers >= world.size()) {
        if (world.rank() == 0)
            std::fputs(
                "push-pull-ways: start more ranks than servers: tuttirun -n 4 push-pull-ways table --servers "
                "2\n",
                stderr);
        return 2;
    }
    const bool works = world.rank() >= shape.servers;
    const tutti::Communicator group = *world.split(std::optional(works ? 1 : 0));
    std::optional<Worker> worker;
    if (works)
        worker.emplace(group, shape);
    Worker* const own = worker ? &*worker : nullptr;
    const auto way = shape.way == "table"    ? by_table
                     : shape.way == "sparse" ? by_keys
                     : shape.way == "window" ? by_window
                                             : by_messages;
    return way(world, shape, own) ? 0 : 1;
}

}  // namespace

}  // namespace push_pull

int main(int argc, char** argv)
{
    return push_pull::run(argc, argv);
}
