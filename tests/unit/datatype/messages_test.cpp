// Layouts and serialised objects as messages between ranks, which are threads here.
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "tutti/tutti.hpp"

namespace {

using Table = std::map<std::string, std::vector<std::string>>;

Table table_of(int rank)
{
    // From a few bytes to beyond what travels eagerly.
    Table table{{"rank", {std::to_string(rank)}}, {"empty", {}}};
    table["long"].assign(static_cast<std::size_t>(rank) * 1000, std::string(50, 'x'));
    return table;
}

// Catch2's assertions are not for several threads: ranks throw instead.
void require(bool condition, const char* what)
{
    if (!condition)
        throw std::runtime_error(what);
}

}  // namespace

TEST_CASE("serialised objects travel around the ring, and to whoever asks")
{
    for (const int ranks : {1, 2, 3, 7}) {
        tutti::run_threads(ranks, [](tutti::Environment& environment) {
            const tutti::Communicator world = environment.world();
            const int right = (world.rank() + 1) % world.size();
            const int left = (world.rank() + world.size() - 1) % world.size();
            tutti::Request sent = world.isend(tutti::serialize(table_of(world.rank())), right, 5);
            require(tutti::recv_serialized<Table>(world, left, 5) == table_of(left), "another table");
            sent.wait();

            if (world.rank() != 0) {
                tutti::send_serialized(world, table_of(world.rank()), 0);
            } else {
                std::size_t received = 0;
                for (int i = 1; i < world.size(); ++i)
                    received += tutti::recv_serialized<Table>(world).at("long").size();
                const auto size = static_cast<std::size_t>(world.size());
                require(received == 1000 * (size * (size - 1) / 2), "strings are missing");
            }
        });
    }
}

TEST_CASE("a message of another type is refused, with its sender")
{
    CHECK_THROWS_WITH(tutti::run_threads(1,
                                         [](tutti::Environment& environment) {
                                             const tutti::Communicator world = environment.world();
                                             world.send(std::vector<int>{1, 2, 3}, 0);
                                             try {
                                                 tutti::recv_serialized<std::string>(world);
                                             } catch (const tutti::Error& error) {
                                                 require(error.code() == tutti::ErrorCode::protocol,
                                                         "another code");
                                                 require(error.peer() == 0, "another peer");
                                                 throw;
                                             }
                                         }),
                      Catch::Contains("recv_serialized"));
}

namespace {

// What rank 0's column holds.
int number(std::size_t row)
{
    return static_cast<int>(3 * row) + 1;
}

void send_columns(const tutti::Communicator& world, std::size_t n)
{
    std::vector<int> matrix(n * 3);
    std::iota(matrix.begin(), matrix.end(), 0);
    const auto column = tutti::strided(matrix.data() + 1, n, 1, 3);
    world.send(column, 1);
    world.ssend(column, 1);
    world.isend(tutti::strided(matrix.data() + 1, n, 1, 3), 1).wait();
    tutti::Request sent = world.isend(column, 1);
    sent.wait();
}

void receive_columns(const tutti::Communicator& world, std::size_t n)
{
    // Upwards in the first column of a matrix.
    std::vector<int> matrix(n * 3, -1);
    world.recv(tutti::strided(matrix.data() + 3 * (n - 1), n, 1, -3), 0);
    for (std::size_t i = 0; i < n; ++i) {
        require(matrix[3 * (n - 1 - i)] == number(i), "the reversed column differs");
        require(matrix[3 * i + 1] == -1 && matrix[3 * i + 2] == -1, "a neighbour was written to");
    }

    // The first half behind the second.
    std::vector<int> halves(n + 2, -1);
    const std::size_t half = n / 2;
    const std::vector<std::ptrdiff_t> offsets{static_cast<std::ptrdiff_t>(n - half) + 1, 1};
    const std::vector<std::size_t> lengths{half, n - half};
    world.recv(tutti::indexed(halves.data(), offsets, lengths), 0);
    for (std::size_t i = 0; i < n; ++i)
        require(halves[1 + (i < half ? n - half + i : i - half)] == number(i), "the halves differ");
    require(halves.front() == -1 && halves.back() == -1, "a neighbour was written to");

    // Side by side.
    std::vector<int> row(n);
    const tutti::Status status = world.recv(row, 0);
    require(status.count<int>() == n, "another length");
    for (std::size_t i = 0; i < n; ++i)
        require(row[i] == number(i), "the row differs");

    // One too few.
    std::vector<int> few(2 * n, -1);
    try {
        world.recv(tutti::strided(few.data(), n - 1, 1, 2), 0);
        require(false, "a message longer than its layout was taken");
    } catch (const tutti::Error& error) {
        require(error.code() == tutti::ErrorCode::truncated, "another code");
    }
    for (std::size_t i = 0; i + 1 < n; ++i)
        require(few[2 * i] == number(i) && few[2 * i + 1] == -1, "the part differs");
    require(few[2 * n - 2] == -1 && few[2 * n - 1] == -1, "the end was written over");
}

}  // namespace

TEST_CASE("layouts of any size are packed and unpacked on the way")
{
    for (const std::size_t n : {1, 3, 1000, 100'001}) {
        tutti::run_threads(2, [n](tutti::Environment& environment) {
            const tutti::Communicator world = environment.world();
            if (world.rank() == 0)
                send_columns(world, n);
            else
                receive_columns(world, n);
        });
    }
}
