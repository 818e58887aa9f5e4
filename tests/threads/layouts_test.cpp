// Data that is not contiguous, serialised objects, and the calls that return values.
#include <array>
#include <map>
#include <string>

#include "tests/threads/support.hpp"
#include "tutti/serialized_messages.hpp"
#include "tutti/values.hpp"

using namespace tutti;
using namespace tutti::test;

TEST_CASE("a column of one matrix into a row, a column or a list of another, by every protocol")
{
    at_all_sizes([](const Communicator& world) {
        for (const std::size_t rows : {1u, 7u, 9000u, 40'000u}) {
            constexpr std::size_t kColumns = 3;
            std::vector<int> matrix(rows * kColumns);
            for (std::size_t i = 0; i < rows; ++i)
                matrix[i * kColumns + 1] = 1'000'000 * world.rank() + static_cast<int>(i);
            const auto expected = [&](std::size_t i) {
                return 1'000'000 * left_of(world) + static_cast<int>(i);
            };

            std::vector<int> row(rows);
            Request sent = world.isend(strided(&matrix[1], rows, 1, kColumns), right_of(world), 1);
            const Status status = world.recv(row, left_of(world), 1);
            sent.wait();
            expect(status.count<int>() == rows);
            for (std::size_t i = 0; i < rows; ++i)
                expect(row[i] == expected(i));

            std::vector<int> other(rows * kColumns, -5);
            Request received = world.irecv(strided(&other[2], rows, 1, kColumns), left_of(world), 2);
            world.ssend(strided(&matrix[1], rows, 1, kColumns), right_of(world), 2);
            received.wait();
            for (std::size_t i = 0; i < rows; ++i)
                expect(other[i * kColumns + 2] == expected(i) && other[i * kColumns] == -5 &&
                       other[i * kColumns + 1] == -5);
        }
    });
}

TEST_CASE("an indexed layout on both sides, and a receive that is truncated within a block")
{
    at_size(2, [](const Communicator& world) {
        const std::array<std::ptrdiff_t, 3> offsets{8, 0, 4};
        const std::array<std::size_t, 3> lengths{2, 1, 3};
        std::array<int, 10> data{};
        for (int i = 0; i < 10; ++i)
            data[static_cast<std::size_t>(i)] = 100 * world.rank() + i;
        std::array<int, 10> in{};
        in.fill(-1);
        world.sendrecv(indexed(data.data(), offsets, lengths), right_of(world), 1,
                       indexed(in.data(), offsets, lengths), left_of(world), 1);
        for (const int i : {8, 9, 0, 4, 5, 6})
            expect(in[static_cast<std::size_t>(i)] == 100 * left_of(world) + i);
        for (const int i : {1, 2, 3, 7})
            expect(in[static_cast<std::size_t>(i)] == -1);

        in.fill(-1);
        Request sent = world.isend(data, right_of(world), 2);
        expect_error(ErrorCode::truncated, "40 bytes",
                     [&] { world.recv(indexed(in.data(), offsets, lengths), left_of(world), 2); });
        sent.wait();
        expect(in[8] == 100 * left_of(world) && in[6] == 100 * left_of(world) + 5 && in[7] == -1);
    });
}

TEST_CASE("layouts outlive the call that was given them, also in persistent requests and broadcasts")
{
    at_size(3, [](const Communicator& world) {
        std::vector<int> out(90);
        std::vector<int> in(90, -1);
        PersistentRequest sender = [&] {
            auto view = strided(out.data(), 30, 1, 3);
            return world.send_init(view, right_of(world), 1);
        }();
        PersistentRequest receiver = [&] {
            auto view = strided(in.data() + 1, 30, 1, 3);
            return world.recv_init(view, left_of(world), 1);
        }();
        for (int round = 0; round < 3; ++round) {
            for (std::size_t i = 0; i < 30; ++i)
                out[3 * i] = 1000 * world.rank() + 100 * round + static_cast<int>(i);
            receiver.start();
            sender.start();
            receiver.wait();
            sender.wait();
            for (std::size_t i = 0; i < 30; ++i)
                expect(in[3 * i + 1] == 1000 * left_of(world) + 100 * round + static_cast<int>(i) &&
                       in[3 * i] == -1);
        }
        std::vector<int> shared(60, -1);
        if (world.rank() == 1) {
            for (std::size_t i = 0; i < 20; ++i)
                shared[3 * i] = static_cast<int>(i);
        }
        world.broadcast(strided(shared.data(), 20, 1, 3), {.root = 1});
        for (std::size_t i = 0; i < 20; ++i)
            expect(shared[3 * i] == static_cast<int>(i) && shared[3 * i + 1] == -1);
    });
}

TEST_CASE("serialised objects of any length, and a message that is none")
{
    at_all_sizes([](const Communicator& world) {
        using Table = std::map<std::string, std::vector<double>>;
        for (const std::size_t count : {0u, 10u, 30'000u}) {
            const Table out{
                {"rank " + std::to_string(world.rank()), std::vector<double>(count, world.rank() + 0.5)},
                {"empty", {}}};
            // A standard send of a large object waits for its receiver.
            const auto bytes = serialize(out);
            Request sent = world.isend(bytes, right_of(world), 4);
            const auto in = recv_serialized<Table>(world, left_of(world), 4);
            sent.wait();
            expect(in.size() == 2 && in.at("empty").empty());
            expect(in.at("rank " + std::to_string(left_of(world))) ==
                   std::vector<double>(count, left_of(world) + 0.5));
        }
        send_serialized(world, std::string("three"), right_of(world), 5);
        expect(recv_serialized<std::string>(world, any_source, 5) == "three");
        world.send(std::array<char, 3>{1, 2, 3}, right_of(world), 6);
        expect_error(ErrorCode::protocol, "same type",
                     [&] { recv_serialized<std::vector<std::string>>(world, left_of(world), 6); });
    });
}

TEST_CASE("calls that return their result")
{
    at_all_sizes([](const Communicator& world) {
        world.send(1.5 + world.rank(), right_of(world), 1);
        expect(recv_value<double>(world, left_of(world), 1) == 1.5 + left_of(world));
        Request sent = world.isend(numbers(world.rank(), 0, 12'345), right_of(world), 2);
        expect(recv_vector<int>(world, any_source, 2) == numbers(left_of(world), 0, 12'345));
        sent.wait();
        expect(allreduce(world, world.rank(), max) == world.size() - 1);
        expect(broadcast(world, world.rank() * 3, {.root = world.size() - 1}) == (world.size() - 1) * 3);
    });
}
